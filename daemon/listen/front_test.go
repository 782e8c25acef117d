package listen

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/audio"
	"hearthd/vad"
	"hearthd/vad/wake"
)

// echoes takes far out of near.
type echoes struct{}

func (echoes) Process(near, far, out *audio.Frame) {
	for i := range out {
		out[i] = near[i] - far[i]
	}
}

func (echoes) String() string { return "echoes" }

func (echoes) Placed() bool { return true }

func (echoes) Plain() *audio.Frame { return frameOf(3000) }

// louder doubles what it is given.
type louder struct{}

func (louder) Process(f *audio.Frame) {
	for i := range f {
		f[i] *= 2
	}
}

func (louder) String() string { return "louder" }

func (louder) Hold(bool) {}

func (l louder) Amplify(f *audio.Frame) { l.Process(f) }

// loudest detects in a frame whose first sample is 1234, or in every n-th one.
type loudest struct {
	every, n int
	seen     []int16 // the first samples, while every is zero
	found    [1]wake.Detection
	resets   int
}

func (s *loudest) Reset() { s.resets++ }

func (*loudest) String() string { return "loudest" }

func (s *loudest) Push(f *audio.Frame, at audio.Position) []wake.Detection {
	s.n++
	if s.every == 0 {
		s.seen = append(s.seen, f[0])
	}
	if f[0] != 1234 && (s.every == 0 || s.n%s.every != 0) {
		return nil
	}
	s.found[0] = wake.Detection{Name: "word", Score: 1, Position: at + audio.FrameSamples}
	return s.found[:]
}

func frameOf(v int16) *audio.Frame {
	var f audio.Frame
	for i := range f {
		f[i] = v
	}
	return &f
}

func TestFrontCancelsThenLevelsThenListens(t *testing.T) {
	word := &loudest{}
	var heard []int16
	seg, err := vad.New(vad.DefaultOptions(), loudness{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFront(FrontOptions{
		Canceller: echoes{}, Leveller: louder{}, Spotters: []wake.Spotter{word}, Segmenter: seg,
		Detected: func(wake.Detection) bool { return false },
		Emit: func(s *vad.Signal) {
			if s.Kind == vad.Audio {
				heard = append(heard, s.Frame[0])
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	near := frameOf(5000)
	for i := range audio.Position(5) {
		f.Push(near, frameOf(4000), i*audio.FrameSamples)
	}
	f.Push(near, nil, 5*audio.FrameSamples)
	if want := []int16{2000, 2000, 2000, 2000, 2000, 10000}; !cmp.Equal(want, word.seen) || f.out[0] != 10000 {
		t.Errorf("the spotter heard %v, want %v", word.seen, want)
	}
	if want := word.seen; !cmp.Equal(want, heard) {
		t.Errorf("the utterance has %v, want %v", heard, want)
	}
	if near[0] != 5000 {
		t.Error("the microphone's frame was changed, and it is borrowed")
	}
}

// lost is a canceller that does not find the echo.
type lost struct{ echoes }

func (lost) Placed() bool { return false }

func TestNoWordIsHeardInTheBeginOfTheFirstAnswerAndEveryOneBesideAnEarcon(t *testing.T) {
	seg, err := vad.New(vad.DefaultOptions(), loudness{})
	if err != nil {
		t.Fatal(err)
	}
	heard := 0
	f, err := NewFront(FrontOptions{
		Canceller: lost{}, Spotters: []wake.Spotter{&loudest{every: 1}}, Segmenter: seg,
		Detected: func(wake.Detection) bool { heard++; return false }, Emit: func(*vad.Signal) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		speaks bool
		want   int
	}{{false, 100}, {true, 60}, {false, 100}, {true, 100}} { // there may be no echo
		f.speaks = c.speaks
		heard = 0
		for i := range audio.Position(100) {
			f.Push(frameOf(500), frameOf(9), i*audio.FrameSamples)
		}
		if heard != c.want {
			t.Errorf("while the speaker speaks (%v) the word is heard in %d of 100 frames, want %d", c.speaks, heard,
				c.want)
		}
	}
}

// hearWord pushes a second of speech with the word at its end, then more, and
// returns what was told in its order.
func hearWord(t *testing.T, held, opens bool) []string {
	t.Helper()
	var told []string
	seg, err := vad.New(vad.DefaultOptions(), loudness{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFront(FrontOptions{
		Spotters: []wake.Spotter{&loudest{}}, Segmenter: seg,
		Detected: func(d wake.Detection) bool {
			told = append(told, fmt.Sprintf("%s at %v", d.Name, d.Position.Duration()))
			return opens
		},
		Emit: func(s *vad.Signal) {
			switch s.Kind {
			case vad.Onset:
				told = append(told, fmt.Sprintf("onset %d at %v", s.Utterance, s.At.Duration()))
			case vad.End, vad.Discard:
				told = append(told, fmt.Sprintf("%v %d", s.Reason, s.Utterance))
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	f.Hold(held)
	for i := range audio.Position(100) {
		v := int16(5000)
		if i == 49 {
			v = 1234
		}
		f.Push(frameOf(v), nil, i*audio.FrameSamples)
	}
	return told
}

func TestWakeWordIsToldBeforeTheUtteranceThatHasItIsDiscarded(t *testing.T) {
	got := hearWord(t, false, true)
	want := []string{"onset 1 at 0s", "word at 1s", "woken 1", "onset 2 at 1s"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestWordThatOpensNothingLeavesTheUtteranceAlone(t *testing.T) {
	if d := cmp.Diff([]string{"onset 1 at 0s", "word at 1s"}, hearWord(t, false, false)); d != "" {
		t.Error(d)
	}
}

func TestSpottersHearWhatTheSegmenterIsHeldFrom(t *testing.T) {
	if d := cmp.Diff([]string{"word at 1s"}, hearWord(t, true, false)); d != "" {
		t.Error(d)
	}
}

func TestWordThatOpensATurnEndsTheHold(t *testing.T) {
	if d := cmp.Diff([]string{"word at 1s", "onset 1 at 1s"}, hearWord(t, true, true)); d != "" {
		t.Error(d)
	}
}

func TestNewFrontRefusesToBeWithoutAPart(t *testing.T) {
	if _, err := NewFront(FrontOptions{}); err == nil {
		t.Error("no error")
	}
}

// nothing is a speaker that is silent.
type nothing struct{}

func (nothing) ReadFrame(f *audio.Frame) { clear(f[:]) }

// What the leveller makes of a voice says nothing of how far away it was.
func TestUtteranceIsToldWithTheLevelThatTheMicrophoneHeard(t *testing.T) {
	seg, err := vad.New(vad.DefaultOptions(), loudness{})
	if err != nil {
		t.Fatal(err)
	}
	var levels []float32
	f, err := NewFront(FrontOptions{Leveller: louder{}, Segmenter: seg, Emit: func(s *vad.Signal) {
		if s.Kind == vad.End || s.Kind == vad.Discard {
			levels = append(levels, s.Level)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	at := audio.Position(0)
	push := func(v int16, frames int) {
		for range frames {
			f.Push(frameOf(v), nil, at)
			at += audio.FrameSamples
		}
	}
	for _, v := range []int16{8231, 3277} { // -12 and -20 dBFS
		push(0, 100)
		push(v, 50)
		push(0, 100)
	}
	if len(levels) != 2 || levels[0] < -12.1 || levels[0] > -11.9 || levels[1] < -20.1 || levels[1] > -19.9 {
		t.Errorf("levels %v", levels)
	}
}

// waiter is a spotter that minds who spoke before a word.
type waiter struct {
	loudest
	spoken []bool
	played []int16 // the first samples
}

func (w *waiter) Spoken(yes bool) { w.spoken = append(w.spoken, yes) }

func (w *waiter) Played(far, plain *audio.Frame, _ audio.Position) {
	w.played = append(w.played, far[0], plain[0])
}

func TestSpottersHearLessCancelledWhileTheSpeakerSounds(t *testing.T) {
	seg, err := vad.New(vad.DefaultOptions(), loudness{})
	if err != nil {
		t.Fatal(err)
	}
	knows, other := &waiter{}, &loudest{}
	f, err := NewFront(FrontOptions{
		Canceller: echoes{}, Leveller: louder{}, Spotters: []wake.Spotter{knows, other}, Segmenter: seg,
		Emit: func(*vad.Signal) {}, Detected: func(wake.Detection) bool { return false },
	})
	if err != nil {
		t.Fatal(err)
	}
	f.Push(frameOf(5000), nil, 0)
	f.Push(frameOf(5000), frameOf(4000), audio.FrameSamples)
	if want := []int16{4000, 6000}; !cmp.Equal(want, knows.played) {
		t.Errorf("the one that hears the speaker too got %v, want what it plays and the plain frame, %v", knows.played, want)
	}
	if want := []int16{10000, 2000}; !cmp.Equal(want, knows.seen) || !cmp.Equal(want, other.seen) {
		t.Errorf("they got %v and %v, want %v", knows.seen, other.seen, want)
	}
}

func TestSpottersAreToldWhetherSomebodySpeaks(t *testing.T) {
	seg, err := vad.New(vad.DefaultOptions(), loudness{})
	if err != nil {
		t.Fatal(err)
	}
	word := &waiter{}
	f, err := NewFront(FrontOptions{
		Spotters: []wake.Spotter{word}, Segmenter: seg, Emit: func(*vad.Signal) {},
		Detected: func(wake.Detection) bool { return false },
	})
	if err != nil {
		t.Fatal(err)
	}
	at := audio.Position(0)
	push := func(level int16) {
		f.Push(frameOf(level), nil, at)
		at += audio.FrameSamples
	}
	push(0)
	push(8000)
	push(0)
	f.Hold(true) // nobody knows
	push(0)
	f.Hold(false)
	push(0)
	if want := []bool{false, true, false, true, false}; !cmp.Equal(want, word.spoken) {
		t.Errorf("the spotter was told %v, want %v", word.spoken, want)
	}
}
