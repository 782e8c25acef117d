package listen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/audio"
	"hearthd/vad"
	"hearthd/vad/wake"
)

var errGap = errors.New("gap")

// step is what the source does next: frames of one loudness, or an error.
type step struct {
	frames int
	loud   int16
	speaks bool // the speaker does, meanwhile
	full   bool // it is cancelled
	err    error
}

// script is a source that plays steps as fast as they are taken and then waits
// for ctx, as a muted card does.
type script struct {
	steps []step
	now   step
	said  *[]string // gets the wake words
}

func (*script) String() string { return "script" }

func (s *script) ReadFrame(ctx context.Context, f *audio.Frame) error {
	for s.now.frames == 0 {
		if len(s.steps) == 0 {
			<-ctx.Done()
			return ctx.Err()
		}
		s.now, s.steps = s.steps[0], s.steps[1:]
		if err := s.now.err; err != nil {
			s.now.err = nil
			return err
		}
	}
	s.now.frames--
	for i := range f {
		f[i] = s.now.loud
	}
	return nil
}

func (s *script) speaks() bool { return s.now.speaks }
func (s *script) full() bool   { return s.now.full }

// loudness takes loud frames for speech.
type loudness struct{}

func (loudness) FrameSamples() int { return audio.FrameSamples }
func (loudness) Reset()            {}
func (loudness) String() string    { return "loudness" }

func (loudness) Probability(samples []int16) float32 {
	if samples[0] > 1000 {
		return 1
	}
	return 0
}

// frames is d in frames.
func frames(d time.Duration) int { return int(d / audio.FrameDuration) }

func speech(d time.Duration) step  { return step{frames: frames(d), loud: 5000} }
func silence(d time.Duration) step { return step{frames: frames(d)} }
func held(s step) step             { s.speaks = true; return s }
func cancelled(s step) step        { s.full = true; return held(s) }

// hear runs a listener over steps until the source has no more, and returns what
// was emitted, without the audio, with positions as times.
func hear(t *testing.T, steps ...step) []string {
	t.Helper()
	var said []string
	synctest.Test(t, func(t *testing.T) {
		l := newListener(t, &script{steps: steps, said: &said}, func(s *vad.Signal) {
			switch s.Kind {
			case vad.Onset:
				said = append(said, fmt.Sprintf("%d onset %v", s.Utterance, s.Speech.Duration()))
			case vad.End, vad.Discard:
				said = append(said, fmt.Sprintf("%d %v at %v", s.Utterance, s.Reason, s.At.Duration()))
			}
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- l.Run(ctx) }()
		synctest.Wait()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run returned %v when its context ended", err)
		}
	})
	return said
}

func newListener(t *testing.T, s *script, emit func(*vad.Signal)) *Listener {
	t.Helper()
	seg, err := vad.New(vad.DefaultOptions(), loudness{})
	if err != nil {
		t.Fatal(err)
	}
	front, err := NewFront(FrontOptions{
		Segmenter: seg, Emit: emit, Spotters: []wake.Spotter{&loudest{}},
		Detected: func(d wake.Detection) bool {
			*s.said = append(*s.said, fmt.Sprintf("%s at %v", d.Name, d.Position.Duration()))
			return true
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	l, err := New(Options{
		Source: s, Front: front, Speaking: s.speaks, FullDuplex: s.full,
		IsGap: func(err error) bool { return errors.Is(err, errGap) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("signals (-want +got):\n%s", d)
	}
}

func TestUtteranceKeepsItsPlaceInTheStream(t *testing.T) {
	expect(t, hear(t, silence(time.Second), speech(time.Second), silence(2*time.Second)),
		"1 onset 1s", "1 silence at 2.7s")
}

func TestSpeakerThatBeginsDiscardsTheOpenUtteranceOnce(t *testing.T) {
	expect(t, hear(t, silence(time.Second), speech(time.Second), held(speech(time.Second)), silence(time.Second)),
		"1 onset 1s", "1 closed at 2s")
}

// The guard is counted in frames: 20 of them are ignored after the speaker has
// ended, and the one after that is heard. Positions go on meanwhile.
func TestGuardIgnoresFourHundredMillisecondsOfFrames(t *testing.T) {
	expect(t, hear(t, held(silence(time.Second)), silence(380*time.Millisecond), speech(time.Second),
		silence(time.Second)),
		"1 onset 1.4s", "1 silence at 3.08s")
	expect(t, hear(t, held(silence(time.Second)), silence(400*time.Millisecond), speech(time.Second),
		silence(time.Second)),
		"1 onset 1.4s", "1 silence at 3.1s")
	expect(t, hear(t, held(silence(time.Second)), silence(420*time.Millisecond), speech(time.Second),
		silence(time.Second)),
		"1 onset 1.42s", "1 silence at 3.12s")
}

func TestSpeakerThatPausesWithinTheGuardLetsNothingThrough(t *testing.T) {
	expect(t, hear(t, held(speech(time.Second)), speech(380*time.Millisecond), held(speech(time.Second)),
		speech(300*time.Millisecond), silence(200*time.Millisecond), speech(time.Second), silence(time.Second)),
		"1 onset 2.88s", "1 silence at 4.58s")
}

// The canceller may become good, or bad, in the middle of an answer.
func TestCancelledSpeakerIsHeardThrough(t *testing.T) {
	expect(t, hear(t, held(speech(time.Second)), cancelled(speech(time.Second)), cancelled(silence(time.Second)),
		silence(time.Second)),
		"1 onset 1s", "1 silence at 2.7s")
	expect(t, hear(t, cancelled(speech(time.Second)), held(speech(time.Second)), silence(time.Second)),
		"1 onset 0s", "1 closed at 1s")
	expect(t, hear(t, cancelled(silence(time.Second)), speech(time.Second), silence(time.Second)),
		"1 onset 1s", "1 silence at 2.7s")
}

// Half duplex: the word cuts the answer, which sounds for a moment more, and the
// command follows in the same breath.
func TestWordInAHeldAnswerLetsTheCommandThrough(t *testing.T) {
	word := step{frames: 1, loud: 1234, speaks: true}
	expect(t, hear(t, held(speech(time.Second)), word, held(speech(100*time.Millisecond)), speech(time.Second),
		silence(time.Second)),
		"word at 1.02s", "1 onset 1.02s", "1 silence at 2.82s")
}

// A word that the dialogue did not act on does not open the microphone for good.
func TestAnswerThatGoesOnAfterAWordIsHeldAgain(t *testing.T) {
	word := step{frames: 1, loud: 1234, speaks: true}
	expect(t, hear(t, held(speech(time.Second)), word, held(speech(2*time.Second)), silence(time.Second)),
		"word at 1.02s", "1 onset 1.02s", "1 closed at 2.02s")
}

func TestGapDiscardsTheOpenUtteranceAndForgetsThePreRoll(t *testing.T) {
	gap := step{err: errGap}
	expect(t, hear(t, silence(time.Second), speech(time.Second), gap, silence(time.Second), gap, gap,
		speech(time.Second), silence(time.Second)),
		"1 onset 1s", "1 closed at 2s", "2 onset 3s", "2 silence at 4.7s")
}

func TestEndOfTheContextDiscardsTheOpenUtterance(t *testing.T) {
	expect(t, hear(t, speech(time.Second)), "1 onset 0s", "1 closed at 1s")
}

func TestFailureOfTheSourceEndsRunAndDiscardsTheUtterance(t *testing.T) {
	broken := errors.New("broken")
	var kinds []vad.Kind
	l := newListener(t, &script{steps: []step{speech(100 * time.Millisecond), {err: broken}}},
		func(s *vad.Signal) { kinds = append(kinds, s.Kind) })
	if err := l.Run(t.Context()); !errors.Is(err, broken) || err.Error() != "read frame: broken" {
		t.Errorf("error %v", err)
	}
	if len(kinds) == 0 || kinds[len(kinds)-1] != vad.Discard || slices.Index(kinds, vad.Discard) != len(kinds)-1 {
		t.Errorf("kinds %v, want one discard at the end", kinds)
	}
}

func TestHearingIsClosedByTheFirstFrameAndHeldFramesCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{}
		l := newListener(t, s, func(*vad.Signal) {})
		hearing := func() bool {
			select {
			case <-l.Hearing():
				return true
			default:
				return false
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- l.Run(ctx) }()
		synctest.Wait()
		if hearing() || l.Frames() != 0 {
			t.Errorf("hearing before the first frame, %d frames", l.Frames())
		}
		cancel()
		<-done
		s.steps = []step{held(silence(time.Second))}
		ctx, cancel = context.WithCancel(t.Context())
		go func() { done <- l.Run(ctx) }()
		synctest.Wait()
		if !hearing() || l.Frames() != 50 {
			t.Errorf("hearing is %v after %d frames, want 50", hearing(), l.Frames())
		}
		cancel()
		<-done
	})
}

func TestAnewDiscardsWhatWasOpen(t *testing.T) {
	var got []vad.Kind
	synctest.Test(t, func(t *testing.T) {
		var l *Listener
		frames := 0
		steps := []step{silence(time.Second), speech(time.Second), silence(time.Second)}
		l = newListener(t, &script{steps: steps}, func(s *vad.Signal) {
			switch s.Kind {
			case vad.Onset, vad.End, vad.Discard:
				got = append(got, s.Kind)
			case vad.Audio:
				if frames++; frames == 30 {
					l.DiscardOpen()
				}
			}
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- l.Run(ctx) }()
		synctest.Wait()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	if d := cmp.Diff([]vad.Kind{vad.Onset, vad.Discard, vad.Onset, vad.End}, got); d != "" {
		t.Errorf("signals (-want +got):\n%s", d)
	}
}

func TestNewRefusesToBeWithoutAPart(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("no error")
	}
}

func TestWhoLooksSeesEveryFrameAndWhetherItWasHeld(t *testing.T) {
	var seen []string
	synctest.Test(t, func(t *testing.T) {
		s := &script{steps: []step{speech(40 * time.Millisecond), held(silence(20 * time.Millisecond)),
			silence(20 * time.Millisecond)}, said: new([]string)}
		l := newListener(t, s, func(*vad.Signal) {})
		l.opt.Look = func(f *audio.Frame, held bool) { seen = append(seen, fmt.Sprint(f[0], held)) }
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- l.Run(ctx) }()
		synctest.Wait()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	if d := cmp.Diff([]string{"5000 false", "5000 false", "0 true", "0 true"}, seen); d != "" {
		t.Errorf("frames (-want +got):\n%s", d)
	}
}
