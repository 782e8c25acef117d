package vad

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/audio"
)

// scripted reads the probability off the samples: the mean of a frame in
// thousandths. It refuses frames of another length than it asked for.
type scripted struct {
	n      int
	resets int
}

func (s *scripted) FrameSamples() int { return s.n }
func (s *scripted) Reset()            { s.resets++ }
func (*scripted) String() string      { return "scripted" }

func (s *scripted) Probability(x []int16) float32 {
	if len(x) != s.n {
		panic(fmt.Sprintf("frame of %d samples, want %d", len(x), s.n))
	}
	sum := 0
	for _, v := range x {
		sum += int(v)
	}
	return float32(sum) / float32(len(x)) / 1000
}

// ear is a Segmenter with what it has said. Runs of Audio are written as
// "audio FIRST+COUNT", positions as frames of 20 ms.
type ear struct {
	*Segmenter
	det  *scripted
	at   audio.Position
	said []string
	run  int
	all  bool // pauses and sustained voice too
}

func newEar(t testing.TB, n int) *ear {
	t.Helper()
	e := &ear{det: &scripted{n: n}}
	var err error
	if e.Segmenter, err = New(DefaultOptions(), e.det); err != nil {
		t.Fatal(err)
	}
	return e
}

func (e *ear) hear(s *Signal) {
	frames := func(p audio.Position) float64 { return float64(p) / audio.FrameSamples }
	switch s.Kind {
	case Pause, Sustained:
		if !e.all {
			return
		}
		name := map[Kind]string{Pause: "pause", Sustained: "sustained"}[s.Kind]
		e.said = append(e.said, fmt.Sprintf("%d %s %v speech %v", s.Utterance, name, frames(s.At), frames(s.Speech)))
	case Onset:
		e.said = append(e.said, fmt.Sprintf("%d onset %v speech %v", s.Utterance, frames(s.At), frames(s.Speech)))
	case Audio:
		if e.all {
			return
		}
		if last := len(e.said) - 1; e.run > 0 {
			e.said[last], _, _ = strings.Cut(e.said[last], "+")
		} else {
			e.said = append(e.said, fmt.Sprintf("audio %v", frames(s.At)))
		}
		e.run++
		e.said[len(e.said)-1] += fmt.Sprintf("+%d", e.run)
		return
	case End:
		e.said = append(e.said, fmt.Sprintf("%d end %s %v speech %v", s.Utterance, s.Reason, frames(s.At),
			frames(s.Speech)))
	case Discard:
		e.said = append(e.said, fmt.Sprintf("%d discard %s %v speech %v", s.Utterance, s.Reason, frames(s.At),
			frames(s.Speech)))
	}
	e.run = 0
}

// push feeds d of constant probability p.
func (e *ear) push(p float64, d time.Duration) {
	var f audio.Frame
	for i := range f {
		f[i] = int16(p * 1000)
	}
	for range d / audio.FrameDuration {
		e.Push(&f, e.at, e.hear)
		e.at += audio.FrameSamples
	}
}

func (e *ear) want(t *testing.T, lines ...string) {
	t.Helper()
	if d := cmp.Diff(lines, e.said); d != "" {
		t.Errorf("signals (-want +got):\n%s", d)
	}
	e.said, e.run = nil, 0
}

func TestSegmenterPassesPreRollSpeechAndTrailingSilence(t *testing.T) {
	for _, n := range []int{160, 320, 960} {
		e := newEar(t, n)
		e.push(0, 1200*time.Millisecond)
		e.push(1, 1200*time.Millisecond)
		e.push(0, 1200*time.Millisecond)
		// Speech from frame 60 to 120. 700 ms of silence end in a detector
		// frame that a longer frame reaches later.
		end := map[int]int{160: 155, 320: 155, 960: 156}[n]
		e.want(t, "1 onset 40 speech 60", fmt.Sprintf("audio 40+%d", end-40),
			fmt.Sprintf("1 end silence %d speech 120", end))
	}
}

func TestSegmenterAdaptsToFramesThatDoNotDivideOurs(t *testing.T) {
	e := newEar(t, 512) // Silero's 32 ms
	e.push(0, 960*time.Millisecond)
	e.push(1, 960*time.Millisecond)
	e.push(0, 960*time.Millisecond)
	e.want(t, "1 onset 28 speech 48", "audio 28+104", "1 end silence 132 speech 96")
}

func TestSegmenterDropsWhatIsTooShort(t *testing.T) {
	e := newEar(t, 160)
	e.push(0, time.Second)
	e.push(1, 240*time.Millisecond)
	e.push(0, time.Second)
	e.want(t, "1 onset 30 speech 50", "audio 30+67", "1 discard too_short 97 speech 62")
}

func TestSegmenterIgnoresWhatIsShorterThanTheOnset(t *testing.T) {
	e := newEar(t, 160)
	for range 20 {
		e.push(1, 40*time.Millisecond)
		e.push(0, 100*time.Millisecond)
	}
	e.want(t)
}

func TestSegmenterDoesNotSplitAtAPause(t *testing.T) {
	e := newEar(t, 160)
	e.push(1, 400*time.Millisecond)
	e.push(0, 600*time.Millisecond)
	e.push(1, 400*time.Millisecond)
	e.push(0, time.Second)
	e.want(t, "1 onset 0 speech 0", "audio 0+105", "1 end silence 105 speech 70")
}

func TestSegmenterTellsEachPauseOnceAndAVoiceThatGoesOn(t *testing.T) {
	e := newEar(t, 160)
	e.all = true
	e.push(1, 280*time.Millisecond)
	e.push(0, 400*time.Millisecond)
	e.push(1, 400*time.Millisecond)
	e.push(0, 120*time.Millisecond)
	e.push(1, 100*time.Millisecond)
	e.push(0, time.Second)
	e.want(t, "1 onset 0 speech 0", "1 pause 24 speech 14", "1 sustained 37 speech 37",
		"1 pause 75 speech 65", "1 end silence 100 speech 65")
}

// A detector goes on for a tenth of a second after a cough.
func TestEchoOfACoughIsNotSustainedVoice(t *testing.T) {
	for _, loud := range []int16{0, 8000} {
		e := newEar(t, 320)
		e.all = true
		push := func(n int, by int16) {
			var f audio.Frame
			for i := range f {
				f[i] = 1000 + by*int16(1-2*(i&1))
			}
			for range n {
				e.Push(&f, e.at, e.hear)
				e.at += audio.FrameSamples
			}
		}
		push(12, loud) // 240 ms of voice
		push(6, 0)     // what the detector still takes for it
		if got := len(e.said) > 1; got != (loud == 0) {
			t.Errorf("%d louder: %q", loud, e.said)
		}
	}
}

func TestPauseMayEndTheUtteranceEarlierOrLater(t *testing.T) {
	for _, c := range []struct {
		after time.Duration
		end   string
	}{
		{400 * time.Millisecond, "1 end silence 40 speech 20"},
		{300 * time.Millisecond, "1 end silence 36 speech 20"}, // it is known only now
		{1500 * time.Millisecond, "1 end silence 95 speech 20"},
	} {
		e := newEar(t, 320)
		e.all = true
		e.push(1, 400*time.Millisecond)
		e.EndAfter(1, c.after) // nobody pauses
		e.push(0, 300*time.Millisecond)
		e.EndAfter(2, time.Millisecond) // there is no such utterance
		e.EndAfter(1, c.after)
		e.push(0, 2*time.Second)
		e.want(t, "1 onset 0 speech 0", "1 sustained 15 speech 15", "1 pause 30 speech 20", c.end)
	}
}

func TestEndOfAPauseDoesNotHoldForTheNextOne(t *testing.T) {
	e := newEar(t, 320)
	e.push(1, 400*time.Millisecond)
	e.push(0, 300*time.Millisecond)
	e.EndAfter(1, 1500*time.Millisecond)
	e.push(0, 600*time.Millisecond)
	e.push(1, 200*time.Millisecond)
	e.EndAfter(1, 300*time.Millisecond) // stale: somebody is speaking
	e.push(0, 2*time.Second)
	e.want(t, "1 onset 0 speech 0", "audio 0+110", "1 end silence 110 speech 75")
}

func TestRestartKeepsTheWakeWordOutOfTheUtterance(t *testing.T) {
	for _, n := range []int{160, 320, 512} {
		e := newEar(t, n)
		e.push(0, time.Second)
		e.push(1, 600*time.Millisecond)
		e.Restart(e.at, e.hear) // the command follows in the same breath
		e.push(1, 400*time.Millisecond)
		e.push(0, time.Second)
		if s := e.said[len(e.said)-3:]; s[0] != "2 onset 80 speech 80" || !strings.HasPrefix(s[1], "audio 80+") {
			t.Errorf("frames of %d: %q", n, e.said)
		}
		if !slices.Contains(e.said, "1 discard woken 80 speech 80") && n != 512 {
			t.Errorf("frames of %d: %q", n, e.said)
		}
	}
}

func TestRestartReachesBackToAWordThatWasToldLate(t *testing.T) {
	e := newEar(t, 320)
	e.push(1, 800*time.Millisecond)
	e.Restart(20*audio.FrameSamples, e.hear)
	e.push(1, 400*time.Millisecond)
	e.push(0, time.Second)
	e.want(t, "1 onset 0 speech 0", "audio 0+40", "1 discard woken 40 speech 40",
		"2 onset 20 speech 40", "audio 20+75", "2 end silence 95 speech 60")
}

func TestRestartHearsThroughWhatOutlastedTheCap(t *testing.T) {
	e := newEar(t, 320)
	e.push(1, 20*time.Second)
	e.said, e.run = nil, 0
	e.Restart(e.at, e.hear)
	e.push(1, 400*time.Millisecond)
	e.push(0, time.Second)
	e.want(t, "2 onset 1000 speech 1000", "audio 1000+55", "2 end silence 1055 speech 1020")
}

func TestSegmenterOpensNothingNewInNoiseThatOutlastsTheCap(t *testing.T) {
	e := newEar(t, 160)
	e.push(0, time.Second)
	e.push(1, 60*time.Second)
	e.want(t, "1 onset 30 speech 50", "audio 30+750", "1 end cap 780 speech 780")
	// A television pauses for less than the end silence.
	for range 20 {
		e.push(0, 400*time.Millisecond)
		e.push(1, 2*time.Second)
	}
	e.want(t)
	e.push(0, time.Second)
	e.push(1, time.Second)
	e.push(0, time.Second)
	from := int(e.at/audio.FrameSamples) - 100
	e.want(t, fmt.Sprintf("2 onset %d speech %d", from-20, from),
		fmt.Sprintf("audio %d+105", from-20), fmt.Sprintf("2 end silence %d speech %d", from+85, from+50))
}

func TestFlushDiscardsAndListensAfresh(t *testing.T) {
	e := newEar(t, 160)
	e.Flush(e.hear)
	e.want(t)
	e.push(1, 400*time.Millisecond)
	e.Flush(e.hear)
	e.want(t, "1 onset 0 speech 0", "audio 0+20", "1 discard closed 20 speech 20")
	if e.det.resets != 2 {
		t.Errorf("detector was reset %d times, want 2", e.det.resets)
	}
	e.at = 32000 // elsewhere: the stream is a new one, and no pre-roll is left
	e.push(1, 400*time.Millisecond)
	e.push(0, time.Second)
	e.want(t, "2 onset 100 speech 100", "audio 100+55", "2 end silence 155 speech 120")
}

func TestSegmenterToleratesLostFramesAndNoMore(t *testing.T) {
	e := newEar(t, 160)
	e.push(1, 400*time.Millisecond)
	e.at += 5 * audio.FrameSamples
	e.push(1, 400*time.Millisecond)
	e.at += 35 * audio.FrameSamples
	e.push(0, 100*time.Millisecond)
	e.want(t, "1 onset 0 speech 0", "audio 0+40", "1 discard gap 45 speech 45")
	e.push(1, 400*time.Millisecond)
	e.at = 0
	e.push(0, 20*time.Millisecond)
	e.want(t, "2 onset 80 speech 85", "audio 80+25", "2 discard gap 105 speech 105")
}

func TestSegmenterRefusesBadOptions(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"threshold": func(o *Options) { o.Threshold = 1.5 },
		"release":   func(o *Options) { o.Release = 0.6 },
		"onset":     func(o *Options) { o.Onset = 0 },
		"hangover":  func(o *Options) { o.Hangover = o.EndSilence },
		"pre-roll":  func(o *Options) { o.PreRoll = time.Minute },
		"silence":   func(o *Options) { o.EndSilence = 0 },
		"pause":     func(o *Options) { o.Pause = o.Hangover },
		"sustain":   func(o *Options) { o.Sustain = 0 },
		"woken":     func(o *Options) { o.MaxWoken = 900 * time.Millisecond },
		"longest":   func(o *Options) { o.MaxUtterance = 500 * time.Millisecond },
	} {
		o := DefaultOptions()
		change(&o)
		if _, err := New(o, &scripted{n: 160}); err == nil {
			t.Errorf("bad %s: no error", name)
		}
	}
	for _, n := range []int{0, audio.Rate + 1} {
		if _, err := New(DefaultOptions(), &scripted{n: n}); err == nil {
			t.Errorf("detector frame of %d samples: no error", n)
		}
	}
}

func TestReadingShowsLevelFloorAndProbability(t *testing.T) {
	e := newEar(t, 160)
	if r := e.Reading(); r.Level != -96 || r.Floor != -96 {
		t.Errorf("before the first frame: %+v", r)
	}
	e.push(0.01, time.Second) // 10 of 32768 is −70.3 dBFS
	if r := e.Reading(); r.Level < -70.4 || r.Level > -70.2 || r.Floor != r.Level {
		t.Errorf("quiet: %+v", r)
	}
	e.push(0.9, time.Second) // −31.2 dBFS
	if r := e.Reading(); r.Level < -31.3 || r.Level > -31.1 || r.Floor < -67.5 || r.Floor > -67 ||
		r.Probability != 0.9 {
		t.Errorf("loud: %+v", r)
	}
	e.push(0.01, time.Second)
	if r := e.Reading(); r.Floor < -70.4 || r.Floor > -70.2 {
		t.Errorf("quiet again: %+v", r)
	}
}

// The sample path allocates nothing (DESIGN §1), with utterances in it too.
func TestSegmenterAllocatesNothing(t *testing.T) {
	s, err := New(DefaultOptions(), &scripted{n: 512})
	if err != nil {
		t.Fatal(err)
	}
	var f audio.Frame
	var at audio.Position
	utterances := 0
	emit := func(g *Signal) {
		if g.Kind == End {
			utterances++
		}
	}
	if n := testing.AllocsPerRun(3000, func() {
		for i := range f {
			f[i] = int16(at / audio.Rate % 2 * 1000)
		}
		s.Push(&f, at, emit)
		at += audio.FrameSamples
	}); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
	if utterances < 25 {
		t.Errorf("%d utterances in 60 s, want about 30", utterances)
	}
}
