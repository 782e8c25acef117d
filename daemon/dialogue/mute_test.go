package dialogue

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/daemon/dialogue/spoken"
	"hearthd/daemon/event"
	"hearthd/llm"
)

// slowOpen opens only after a while.
type slowOpen struct {
	cloud
	after time.Duration
}

func (s *slowOpen) Open(ctx context.Context, by string) (spoken.Turn, error) {
	select {
	case <-time.After(s.after):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return s.cloud.Open(ctx, by)
}

func TestMutingKeepsWhatWasNotSentYet(t *testing.T) {
	c := &slowOpen{cloud: cloud{deltas: []llm.Delta{sounds("Yes.")}}, after: 2 * time.Second}
	with(t, func(r *rig) {
		r.ans.Responder, r.ans.FirstAudio = c, 5*time.Second
		r.rules.reads = func(string) bool { return true }
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
		r.ans.Responder, r.ans.FirstAudio = c, 5*time.Second
		r.rules.reads = func(string) bool { return true }
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
