package hearing

import (
	"iter"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/audio"
	"hearthd/daemon/ears"
	"hearthd/rigs/hearing/bed"
	"hearthd/vad"
)

func TestAUCIsTheShareOfPairsInTheirOrder(t *testing.T) {
	for _, c := range []struct {
		s    Scores
		want float64
	}{
		{Scores{Speech: []float32{.9, .8}, Quiet: []float32{.1, .2}}, 1},
		{Scores{Speech: []float32{.1, .2}, Quiet: []float32{.9, .8}}, 0},
		{Scores{Speech: []float32{.5, .5}, Quiet: []float32{.5}}, .5},
		{Scores{Speech: []float32{.9, .3, .3}, Quiet: []float32{.3, .1}}, (2 + 1.5 + 1.5) / 6},
	} {
		if got := c.s.AUC(); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: %v, want %v", c.s, got, c.want)
		}
	}
	if got := (Scores{Speech: []float32{1}}).AUC(); !math.IsNaN(got) {
		t.Errorf("without quiet frames: %v", got)
	}
}

func TestTruePositivesAreThoseAboveTheFalseOnes(t *testing.T) {
	var s Scores
	for i := range 100 {
		s.Quiet = append(s.Quiet, float32(i)/100)
	}
	s.Speech = []float32{.94, .95, .96, .97}
	if got := s.TruePositives(0.05); got != 0.5 {
		t.Errorf("%v, want the half above 0.95", got)
	}
}

func TestQuantilesAreValuesThatOccurred(t *testing.T) {
	d := Times{5, 1, 3, 2, 4}
	if d.At(.5) != 3 || d.At(.95) != 5 || d.At(0) != 1 || (Times{}).At(.5) != 0 {
		t.Errorf("%v, %v, %v", d.At(.5), d.At(.95), d.At(0))
	}
}

// oracle rates what it is given by its first sample.
type oracle struct{ n int }

func (o oracle) FrameSamples() int { return o.n }
func (o oracle) Reset()            {}
func (oracle) String() string      { return "oracle" }

func (o oracle) Probability(s []int16) float32 { return float32(s[0]) / 100 }
func (o oracle) New() (vad.Detector, error)    { return o, nil }

// track has a sentence from 1 to 2 s, during which samples are 90, 60 ms late.
func track() *bed.Track {
	t := &bed.Track{Samples: make([]int16, 4*audio.Rate), Labels: make([]bed.Label, 400)}
	for i := audio.Rate; i < 2*audio.Rate; i++ {
		t.Samples[i+960] = 90
		t.Labels[i/bed.Hop] = bed.Spoken
	}
	for i := 97; i < 110; i++ {
		t.Labels[i], t.Labels[i+100] = bed.Unsure, bed.Unsure
	}
	t.Turns = []bed.Turn{{From: audio.Rate, To: 2 * audio.Rate}}
	return t
}

func TestDetectorThatIsLateIsSoByTheFramesItTook(t *testing.T) {
	o := oracle{160}
	d, err := Detect(Detector{New: o.New}, track())
	if err != nil {
		t.Fatal(err)
	}
	if d.AUC() != 1 || len(d.Speech) != 87 || len(d.Quiet) != 287 {
		t.Errorf("AUC %v of %d and %d frames", d.AUC(), len(d.Speech), len(d.Quiet))
	}
	if d.Onset.At(.5) != 70*time.Millisecond || d.Offset.At(.5) != 60*time.Millisecond || d.Missed != 0 {
		t.Errorf("onset %v, offset %v, %d missed", d.Onset, d.Offset, d.Missed)
	}
}

func TestDetectorThatHearsSpeechAllTheTimeHasNoOnset(t *testing.T) {
	loud := track()
	for i := range loud.Samples {
		loud.Samples[i] = 90
	}
	d, err := Detect(Detector{New: oracle{512}.New}, loud)
	if err != nil || d.Missed != 1 || len(d.Onset) != 0 {
		t.Errorf("%d missed, onsets %v, %v", d.Missed, d.Onset, err)
	}
}

// told are ears that say the same of everything.
func told(list ...ears.Heard) Ears {
	return func(near, far []int16) iter.Seq2[ears.Heard, error] {
		return func(yield func(ears.Heard, error) bool) {
			for _, h := range list {
				if !yield(h, nil) {
					return
				}
			}
		}
	}
}

// fact is a frame in which one thing was decided.
func fact(now float64, kind string, at float64, reason string) ears.Heard {
	return ears.Heard{At: now, Events: []ears.HeardFact{{Type: kind, At: at, Reason: reason}}}
}

func TestUtterancesAreComparedWithSentences(t *testing.T) {
	for name, c := range map[string]struct {
		ears Ears
		want Turns
	}{
		"one": {told(fact(1.1, "onset", 1.05, ""), fact(2.8, "end", 2.05, "silence")),
			Turns{Said: 1, Found: 1, Whole: 1, End: Times{800 * time.Millisecond}}},
		"cut off": {told(fact(1.1, "onset", 1.05, ""), fact(2.5, "end", 1.7, "silence")),
			Turns{Said: 1, Found: 1, End: Times{500 * time.Millisecond}}},
		"in two": {told(fact(1.1, "onset", 1, ""), fact(1.5, "end", 1.4, "silence"), fact(1.6, "onset", 1.5, ""), fact(3, "end", 2, "cap")),
			Turns{Said: 1, Found: 1, End: Times{time.Second}, Capped: 1}},
		"elsewhere": {told(fact(0.1, "onset", 0.1, ""), fact(.9, "end", .8, "silence")), Turns{Said: 1, False: 1}},
		"discarded": {told(fact(1.1, "onset", 1, ""), fact(1.9, "discard", 1.8, "too_short")), Turns{Said: 1}},
	} {
		got, err := Follow(c.ears, track())
		c.want.Length = 4 * time.Second
		if d := cmp.Diff(c.want, got); err != nil || d != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, d)
		}
	}
}

func TestFalseTurnsAreCountedPerHour(t *testing.T) {
	if got := (Turns{False: 2, Length: 3 * time.Minute}).FalsePerHour(); got != 40 {
		t.Errorf("%v, want 40", got)
	}
}

// speech is what a synthesiser might say: three seconds of a tone.
func speech(hz float64) []bed.Speech {
	s := bed.Speech{Sound: make([]float64, 3*audio.Rate), Voiced: make([]bool, 300)}
	for i := range s.Sound {
		s.Sound[i] = 0.3 * math.Sin(2*math.Pi*hz*float64(i)/audio.Rate)
	}
	for i := range s.Voiced {
		s.Voiced[i] = true
	}
	return []bed.Speech{s}
}

// share passes a share of the near end on.
type share float64

func (s share) Process(near, _, out *audio.Frame) {
	for i, v := range near {
		out[i] = int16(float64(v) * float64(s))
	}
}

func TestSuppressionIsWhatACancellerTakesAway(t *testing.T) {
	answers := bed.Answers(speech(440), 60, 1)
	got := Suppress(share(0.1), Paths(time.Minute)[0], answers)
	for _, erle := range []float64{got.After2, got.After5, got.After15, got.Last} {
		if math.Abs(erle-20) > 0.5 {
			t.Errorf("a tenth is left: %+v, want 20 dB", got)
			break
		}
	}
}

func TestOwnVoiceThatIsTakenForSpeechIsCounted(t *testing.T) {
	answers := bed.Answers(speech(440), 30, 1)
	got, err := Listens(told(
		fact(.2, "onset", .1, ""), fact(.9, "discard", .3, "too_short"), // before the first answer
		fact(1.2, "onset", 1.1, ""), fact(1.5, "discard", 1, "too_short"),
		fact(3, "onset", 2.9, ""), fact(3.3, "sustained", 3.3, ""), fact(5, "discard", 3.4, "closed"),
		fact(6, "wake", 6, ""),
	), Paths(time.Minute)[0], answers, nil)
	if d := cmp.Diff(Alone{Ducks: 2, Cuts: 1, Wakes: 1, Length: 30 * time.Second}, got); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

func TestNoiseLiesUnderWhatTheMicrophoneHears(t *testing.T) {
	noise := bed.Noise{Name: "one", Make: func(n int, _ uint64) []float64 { return slices.Repeat([]float64{1}, n) }}
	var near []int16
	ears := func(x, _ []int16) iter.Seq2[ears.Heard, error] { near = x; return told()(x, nil) }
	a, err := Waits(ears, &Over{Noise: &noise, Level: -20}, time.Second)
	if err != nil || a != (Alone{Length: time.Second}) || len(near) != audio.Rate {
		t.Fatalf("%+v, %v of %d samples", a, err, len(near))
	}
	for _, v := range near {
		if math.Abs(float64(v)-3277) > 100 { // the microphone has noise of its own
			t.Fatalf("sample of %d, want a tenth of full scale", v)
		}
	}
}

func TestInterruptionMustComeAfterThePersonBeganAndInTime(t *testing.T) {
	answers := bed.Answers(speech(440), 24, 1)
	people := speech(300)
	_, said := bed.Interrupted(answers, people, 5)
	if len(said) < 2 {
		t.Fatalf("%d interruptions", len(said))
	}
	first, second := span(said[0].At).Seconds(), span(said[1].At).Seconds()
	got, err := Interrupt(told(
		fact(first-.1, "onset", first-.2, ""), fact(first, "end", first, ""), fact(first+.2, "onset", first+.1, ""), fact(first+1, "end", first+.9, ""),
		fact(second+.5, "onset", second+.4, ""), fact(second+1, "end", second+1, ""),
	), Paths(time.Minute)[0], answers, people, 0, nil)
	if err != nil || got.Heard != 2 || got.InTime != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestWakeWordsAreMatchedWithWhereTheyWereSaid(t *testing.T) {
	word := speech(500)[0]
	said := []bed.Speech{word, word, word}
	at := func(i int) float64 { return aroundWord + 3 + 6*float64(i) } // the end of the i-th
	heard := func(now float64, name string) ears.Heard {
		return ears.Heard{At: now, Events: []ears.HeardFact{{Type: "wake", Word: name}}}
	}
	got, err := Wake(told(heard(at(0)+.3, "hearth"), heard(at(1)+.1, "other"), heard(at(2)+1.2, "hearth")), "hearth", said, nil, 0)
	if err != nil || got.Said != 3 || got.Missed != 2 || len(got.Late) != 1 || got.Late[0].Round(time.Millisecond) != 300*time.Millisecond {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestEveryConditionIsThereOnce(t *testing.T) {
	seen := make(map[string]int)
	noises := bed.Noises(speech(200))
	err := Conditions(speech(300), noises, TrackSeconds, func(c Condition) error {
		seen[c.Noise+" "+c.Place()]++
		return nil
	})
	if want := 2 + 2*len(noises)*len(SNRs()); err != nil || len(seen) != want {
		t.Errorf("%d conditions, want %d: %v", len(seen), want, err)
	}
	for _, place := range Places() {
		if n := seen["fan "+place] + seen[" "+place]; n != 1 {
			t.Errorf("%q occurs %d times", place, n)
		}
	}
}

func TestCostIsWhatTheThreadTook(t *testing.T) {
	got, err := Cost(time.Second, func() error {
		for begun, now := time.Duration(0), time.Duration(0); now-begun < 5*time.Millisecond; {
			var err error
			if now, err = threadTime(); err != nil {
				return err
			}
			if begun == 0 {
				begun = now
			}
		}
		return nil
	})
	if err != nil || got < 5*time.Millisecond {
		t.Errorf("%v, %v, want the 5 ms that it worked", got, err)
	}
}
