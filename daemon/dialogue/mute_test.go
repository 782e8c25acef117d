package dialogue

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/audio"
	"hearthd/daemon/event"
	"hearthd/llm"
)

// slowOpen opens only after a while.
type slowOpen struct {
	cloud
	after time.Duration
}

func (s *slowOpen) Open(ctx context.Context) (SpokenTurn, error) {
	select {
	case <-time.After(s.after):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return s.cloud.Open(ctx)
}

func TestMutingKeepsWhatWasNotSentYet(t *testing.T) {
	c := &slowOpen{cloud: cloud{deltas: []llm.Delta{sounds("Yes.")}}, after: 2 * time.Second}
	with(t, func(r *rig) {
		r.opt.Responder, r.opt.FirstAudio = c, 5*time.Second
		r.opt.ReadOnly = func(string) bool { return true }
	}, func(t *testing.T, r *rig) {
		r.mind.sentences = []string{"At home."}
		r.say(1, "hey hearth why")
		time.Sleep(time.Second)
		if err := r.d.SetMuted(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		r.turn()
		synctest.Wait()
		if len(c.turns) != 0 && c.turns[0].frames > 0 {
			t.Errorf("%d frames were sent while muted", c.turns[0].frames)
		}
	})
}

// The house has begun to answer when the connection comes.
func TestNothingIsSentToAResponderThatCameTooLate(t *testing.T) {
	c := &slowOpen{after: 6 * time.Second}
	with(t, func(r *rig) {
		r.opt.Responder, r.opt.FirstAudio = c, 5*time.Second
		r.opt.ReadOnly = func(string) bool { return true }
		r.mind.sentences = []string{strings.Repeat("word ", 100)}
	}, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		time.Sleep(7 * time.Second)
		synctest.Wait()
		if s := r.state(); s != event.Speaking || len(c.turns) != 0 {
			t.Errorf("state %s, %d turns were begun", s, len(c.turns))
		}
	})
}

// An utterance with a hole in it is none.
func TestUtteranceThatIsTooLongForTheResponderIsGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	up := &upload{frames: make(chan audio.Frame, 1), cancel: cancel}
	up.add(&audio.Frame{})
	if ctx.Err() != nil {
		t.Error("given up while there was room")
	}
	if up.add(&audio.Frame{}); ctx.Err() == nil {
		t.Error("a frame was lost, and the rest is sent")
	}
}

// All of it was sent already, and its turn has begun here.
func TestWhatIsTakenBackFromTheResponderIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		c := &cloud{}
		up := &upload{
			frames: make(chan audio.Frame, 1), allowed: make(chan struct{}, 1), spoken: make(chan struct{}), sent: make(chan sent, 1),
		}
		uctx, drop := context.WithCancel(ctx)
		up.cancel = drop
		go up.run(uctx, c)
		up.add(&audio.Frame{})
		up.allow()
		up.end()
		synctest.Wait()
		up.drop()
		synctest.Wait()
		if _, err := up.take(ctx); !errors.Is(err, context.Canceled) || c.turns[0].cut != 0 {
			t.Errorf("%v, cut at %v", err, c.turns[0].cut)
		}
	})
}
