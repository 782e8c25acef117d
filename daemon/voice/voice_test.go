package voice

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/audio"
)

const rate = 16000

// scripted makes a second of sound of each sentence, in parts of a tenth.
type scripted struct{ err error }

func (e scripted) Speak(context.Context, string) iter.Seq2[audio.Chunk, error] {
	return func(yield func(audio.Chunk, error) bool) {
		if e.err != nil {
			yield(audio.Chunk{}, e.err)
			return
		}
		for range 10 {
			if !yield(audio.Chunk{Rate: rate, Samples: make([]int16, rate/10)}, nil) {
				return
			}
		}
	}
}

// speaking runs a voice with a speaker that plays in the bubble's time.
func speaking(t *testing.T, e, fallback engine, do func(t *testing.T, v *Voice)) {
	synctest.Test(t, func(t *testing.T) {
		mixer := audio.NewMixer(70)
		mixer.SetRate(rate)
		v, err := New(Options{
			Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Mixer: mixer, Wake: func() {}, Engine: e,
			Fallback: fallback,
			Speaking: func(error) {},
		})
		if err != nil {
			t.Fatal(err)
		}
		go func() { // the sound card
			out := make([]int16, rate/100)
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-t.Context().Done():
					return
				case <-tick.C:
					mixer.Mix(out)
				}
			}
		}()
		do(t, v)
	})
}

func TestCutSpeechKeepsTheWordsThatWereHeard(t *testing.T) {
	speaking(t, scripted{}, nil, func(t *testing.T, v *Voice) {
		s := v.Begin()
		time.AfterFunc(1500*time.Millisecond, func() { v.Cut(func() {}) })
		for _, text := range []string{"Good morning.", "one two three four", "never"} {
			if err := s.Say(t.Context(), text, func() {}); err != nil {
				t.Error(err)
			}
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
		if got := s.Heard(); got != "Good morning. one two …" && got != "Good morning. one …" {
			t.Errorf("heard %q", got)
		}
	})
}

func TestFallbackSpeaksWhatTheEngineCannot(t *testing.T) {
	speaking(t, scripted{errors.New("no voice")}, scripted{}, func(t *testing.T, v *Voice) {
		s := v.Begin()
		if err := s.Say(t.Context(), "Good morning.", func() {}); err != nil {
			t.Error(err)
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
		if _, _, played := s.First(); played.IsZero() {
			t.Error("nothing was heard")
		}
	})
}

// hanging is an engine that says nothing until it is given up.
type hanging struct{ asked int }

func (e *hanging) Speak(ctx context.Context, _ string) iter.Seq2[audio.Chunk, error] {
	e.asked++
	return func(yield func(audio.Chunk, error) bool) {
		<-ctx.Done()
		yield(audio.Chunk{}, context.Cause(ctx))
	}
}

func TestEngineThatHangsIsNotWaitedForTwice(t *testing.T) {
	engine := &hanging{}
	speaking(t, engine, scripted{}, func(t *testing.T, v *Voice) {
		say := func() (waited time.Duration) {
			t.Helper()
			s, begun := v.Begin(), time.Now()
			if err := s.Say(t.Context(), "Good morning.", func() {}); err != nil {
				t.Error(err)
			}
			_, made, _ := s.First()
			if err := s.Drain(t.Context()); err != nil {
				t.Error(err)
			}
			return made.Sub(begun)
		}
		for sentence, want := range []time.Duration{firstLimit, 0} {
			if waited := say(); waited != want {
				t.Errorf("sentence %d comes after %v", sentence, waited)
			}
		}
		time.Sleep(restTime)
		if waited := say(); waited != firstLimit || engine.asked != 2 {
			t.Errorf("later it is asked again: after %v, asked %d times", waited, engine.asked)
		}
	})
}

func TestSpeechWithoutASpeakerIsText(t *testing.T) {
	v, err := New(Options{Log: slog.Default(), Mixer: audio.NewMixer(70), Wake: func() {}, Engine: scripted{},
		Speaking: func(error) {}})
	if err != nil {
		t.Fatal(err)
	}
	s := v.Begin()
	if err := s.Say(t.Context(), "Good morning.", func() { t.Error("it sounds") }); err != nil || !s.Written() ||
		s.Text() != "Good morning." {
		t.Errorf("%v %v %q", err, s.Written(), s.Text())
	}
}
