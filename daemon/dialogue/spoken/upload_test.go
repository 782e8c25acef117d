package spoken

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/audio"
	"hearthd/llm"
)

// remote is a responder and its one turn.
type remote struct{ cut time.Duration }

func (r *remote) Open(context.Context, string) (Turn, error) { return r, nil }
func (r *remote) Write([]int16) error                        { return nil }
func (r *remote) Speech() (begun, ended <-chan struct{})     { return nil, nil }
func (r *remote) Commit() error                              { return nil }
func (r *remote) Result(string, string)                      {}
func (r *remote) Cut(heard time.Duration)                    { r.cut = heard }
func (r *remote) Answer(context.Context, time.Duration, time.Duration) iter.Seq2[llm.Delta, error] {
	return func(func(llm.Delta, error) bool) {}
}

// An utterance with a hole in it is none.
func TestUtteranceThatIsTooLongForTheResponderIsGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	up := &Upload{frames: make(chan audio.Frame, 1), cancel: cancel}
	up.Add(&audio.Frame{})
	if ctx.Err() != nil {
		t.Error("given up while there was room")
	}
	if up.Add(&audio.Frame{}); ctx.Err() == nil {
		t.Error("a frame was lost, and the rest is sent")
	}
}

// All of it was sent already, and its turn has begun here.
func TestWhatIsTakenBackFromTheResponderIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		r := &remote{cut: -1}
		up, run := New(ctx, r, "", func() {})
		go run()
		up.Add(&audio.Frame{})
		up.Allow()
		up.End()
		synctest.Wait()
		up.Drop()
		synctest.Wait()
		if _, err := up.Take(ctx); !errors.Is(err, context.Canceled) || r.cut != 0 {
			t.Errorf("%v, cut at %v", err, r.cut)
		}
	})
}
