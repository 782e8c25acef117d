package bed

import (
	"errors"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/audio"
)

// tones are sentences as a test needs them: a second of a tone, a break, half a
// second of it.
func tones() []Speech {
	var list []Speech
	for i := range 4 {
		x := make([]float64, 2*audio.Rate)
		for k := range x {
			if t := float64(k) / audio.Rate; t > 0.1 && t < 1.1 || t > 1.1+0.1*float64(i) && t < 1.7 {
				x[k] = 0.3 * math.Sin(2*math.Pi*300*t)
			}
		}
		s := Speech{Voice: "tone", Sound: x}
		s.trim(s.heard())
		list = append(list, s)
	}
	return list
}

func TestLabelsFollowSpeechAndItsLongBreaks(t *testing.T) {
	for i, s := range tones() {
		if n := len(s.Voiced); n != 160 || len(s.Sound) != n*Hop {
			t.Fatalf("sentence %d has %d hops and %d samples, want 160", i, n, len(s.Sound))
		}
		quiet := 0
		for _, v := range s.Voiced {
			if !v {
				quiet++
			}
		}
		// A break of 100 ms belongs to a word; from 150 ms on it is one.
		if want := []int{0, 0, 20, 30}[i]; quiet < want-1 || quiet > want {
			t.Errorf("sentence %d: %d quiet hops, want %d", i, quiet, want)
		}
	}
}

func TestChangesAreNobodysTruth(t *testing.T) {
	marks := make([]Label, 40)
	for i := 10; i < 20; i++ {
		marks[i] = Spoken
	}
	count := func(room bool) (n [3]int) {
		m := slices.Clone(marks)
		blur(m, room)
		for _, l := range m {
			n[l]++
		}
		return n
	}
	if got, want := count(false), [3]int{24, 4, 12}; got != want {
		t.Errorf("quiet, spoken, unsure: %v, want %v", got, want)
	}
	if got, want := count(true), [3]int{15, 4, 21}; got != want {
		t.Errorf("in a room: %v, want %v", got, want)
	}
}

func TestSpeechIsHeardAtTheLevelAndTheRatioThatWereAsked(t *testing.T) {
	talk := Converse(tones(), 30, 1)
	if len(talk.turns) < 6 {
		t.Fatalf("%d sentences in 30 s", len(talk.turns))
	}
	noise := Noises(tones())[1].Make(talk.Samples(), 1)
	track := talk.In(Kitchen().Response([3]float64{1, 1, 1.5}, [3]float64{3, 2, 1}, 1)).Heard(-26, noise, 12)
	var speech, quiet float64
	var n, m int
	for i, l := range track.Labels {
		sum := 0.0
		for _, s := range track.Samples[i*Hop : (i+1)*Hop] {
			sum += float64(s) * float64(s) / (1 << 30) / Hop
		}
		switch l {
		case Spoken:
			speech, n = speech+sum, n+1
		case Quiet:
			quiet, m = quiet+sum, m+1
		}
	}
	got, under := 10*math.Log10(speech/float64(n)), 10*math.Log10(quiet/float64(m))
	if math.Abs(got+26) > 1.5 || math.Abs(under+38) > 2 {
		t.Errorf("speech at %.1f dBFS over %.1f, want -26 over -38", got, under)
	}
	for _, turn := range track.Turns {
		if mid := (turn.From + audio.Rate/2) / Hop; track.Labels[mid] != Spoken {
			t.Errorf("half a second into a sentence the label is %d", track.Labels[mid])
		}
	}
}

func TestConvolutionIsTheSumOfItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x, h := make([]float64, 3000), make([]float64, 257)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	for i := range h {
		h[i] = r.NormFloat64()
	}
	got := Convolve(x, h)
	if len(got) != len(x) {
		t.Fatalf("%d samples, want %d", len(got), len(x))
	}
	for i := range x {
		want := 0.0
		for k := 0; k < len(h) && k <= i; k++ {
			want += h[k] * x[i-k]
		}
		if math.Abs(got[i]-want) > 1e-9 {
			t.Fatalf("sample %d is %v, want %v", i, got[i], want)
		}
	}
}

// The decay is read off the response backwards (Schroeder 1965), from −5 to −25 dB.
func TestRoomsRingForTheirTime(t *testing.T) {
	for _, room := range []Room{Kitchen(), Den()} {
		h := room.Response([3]float64{1, 1, 1.5}, [3]float64{3, 2, 1}, 1)
		left := make([]float64, len(h))
		sum := 0.0
		for i := len(h) - 1; i >= 0; i-- {
			sum += h[i] * h[i]
			left[i] = sum
		}
		at := func(db float64) int {
			return slices.IndexFunc(left, func(e float64) bool { return 10*math.Log10(e/sum) < db })
		}
		if got := 3 * float64(at(-25)-at(-5)) / audio.Rate; got < 0.6*room.RT60 || got > 1.3*room.RT60 {
			t.Errorf("a room of %v s rings for %.2f s", room.RT60, got)
		}
		first := slices.IndexFunc(h, func(v float64) bool { return v != 0 })
		if want := int(distance([3]float64{1, 1, 1.5}, [3]float64{3, 2, 1}) / soundSpeed * audio.Rate); first != want {
			t.Errorf("the direct sound comes at sample %d, want %d", first, want)
		}
	}
}

func TestNoisesAreLevelAndTheSameEachTime(t *testing.T) {
	for _, n := range Noises(tones()) {
		a, b, c := n.Make(3*audio.Rate, 1), n.Make(3*audio.Rate, 1), n.Make(3*audio.Rate, 2)
		if p := power(a); math.Abs(p-1) > 1e-9 {
			t.Errorf("%s has a power of %v", n.Name, p)
		}
		if !slices.Equal(a, b) || slices.Equal(a, c) {
			t.Errorf("%s does not follow its seed", n.Name)
		}
	}
}

func TestLoudspeakerHasNoBass(t *testing.T) {
	gain := func(hz float64) float64 {
		x := make([]float64, audio.Rate)
		for i := range x {
			x[i] = 0.1 * math.Sin(2*math.Pi*hz*float64(i)/audio.Rate)
		}
		return 10 * math.Log10(power(Loudspeaker(x))/power(x))
	}
	if low, mid := gain(50), gain(1000); low > -18 || math.Abs(mid) > 1 {
		t.Errorf("%.1f dB at 50 Hz, %.1f at 1 kHz", low, mid)
	}
}

func TestVoicesSpeakTheSameEachTime(t *testing.T) {
	seen := make(map[string]bool)
	for _, v := range append(Voices(), Talkers()...) {
		if seen[v.Engine] {
			continue
		}
		a, err := Say(t.Context(), v, Manner{}, "One two.", "Three.")
		if errors.Is(err, exec.ErrNotFound) {
			t.Logf("%v", err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := Say(t.Context(), v, Manner{}, "One two.", "Three.")
		if d := cmp.Diff(a, b); err != nil || d != "" {
			t.Errorf("%s speaks in two ways: %v\n%.500s", v.Name, err, d)
		}
		fast, err := Say(t.Context(), v, Manner{Tempo: 1.4, Pitch: 1.2}, "One two.")
		if err != nil || len(fast[0].Sound) > len(a[0].Sound)*9/10 {
			t.Errorf("%s in a hurry: %d samples, %v, unhurried %d", v.Name, len(fast[0].Sound), err, len(a[0].Sound))
		}
		seen[v.Engine] = true
	}
	if len(seen) == 0 {
		t.Skip("no synthesiser is installed; packaging/deps.sh hearing installs them")
	}
}

func TestTrackIsAsLongAsItsLabels(t *testing.T) {
	track := Converse(tones(), 12.34, 3).Heard(-30, nil, 0)
	if len(track.Samples) != len(track.Labels)*Hop || len(track.Samples) != int(12.34*100)*Hop {
		t.Errorf("%d samples, %d labels", len(track.Samples), len(track.Labels))
	}
}

func TestEchoComesLateDriftsAndJumps(t *testing.T) {
	click := &Dry{sound: make([]float64, 10*audio.Rate), marks: make([]Label, 1000)}
	for s := range 10 {
		click.sound[s*audio.Rate], click.marks[s*100] = 1, Spoken
	}
	p := Path{Response: []float64{1}, Delay: 50 * time.Millisecond, Drift: 100, Jumps: []time.Duration{5500 * time.Millisecond}, Jump: 60 * time.Millisecond}
	y := p.Echo(click)
	for s := range 10 {
		top := 0
		for i := s * audio.Rate; i < (s+1)*audio.Rate; i++ {
			if math.Abs(y[i]) > math.Abs(y[s*audio.Rate+top]) {
				top = i - s*audio.Rate
			}
		}
		want := 800 + int(math.Round(1.6*float64(s)))
		if s > 5 {
			want += 960
		}
		if top < want-1 || top > want+1 {
			t.Errorf("click %d comes after %d samples, want %d", s, top, want)
		}
	}
}

func TestPeopleSpeakOverAnswersAtTheLevelThatWasAsked(t *testing.T) {
	long := tones()[0]
	long.Sound, long.Voiced = slices.Repeat(long.Sound, 3), slices.Repeat(long.Voiced, 3)
	answers := Answers([]Speech{long}, 40, 1)
	near := make([]float64, answers.Samples())
	cut, said := Interrupted(answers, tones(), 2)
	turns := Over(near, said, []float64{1}, -30)
	if len(turns) < 3 || len(turns) > len(answers.Turns()) {
		t.Fatalf("%d people in %d answers", len(turns), len(answers.Turns()))
	}
	for i, s := range said {
		end := s.At + audio.Rate/2
		if power(cut.sound[end:end+audio.Rate/2]) != 0 || power(answers.sound[end:end+audio.Rate/4]) == 0 || cut.marks[end/Hop] != Quiet {
			t.Errorf("answer %d goes on after it was interrupted", i)
		}
	}
	for _, turn := range turns {
		if got := 10 * math.Log10(power(near[turn.From:turn.From+audio.Rate])); math.Abs(got+30) > 1 {
			t.Errorf("a person speaks at %.1f dBFS, want -30", got)
		}
	}
	if got := 10 * math.Log10(active(answers.sound, answers.voiced())); math.Abs(got+20) > 0.1 {
		t.Errorf("answers are played at %.1f dBFS, want -20", got)
	}
}
