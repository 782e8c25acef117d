package dialogue

import (
	"context"
	"iter"
	"testing"
	"time"

	"hearthd/daemon/dialogue/spoken"
	"hearthd/llm"
	"hearthd/vad"
)

// single is a cloud in which, as in realtime.Session, the newest turn is the only one:
// what is asked of an older one is passed over, and its answer is empty.
type single struct {
	cloud
	newest *singleTurn
}

type singleTurn struct {
	spoken.Turn
	s *single
}

func (s *single) Open(ctx context.Context, by string) (spoken.Turn, error) {
	t, err := s.cloud.Open(ctx, by)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest = &singleTurn{t, s}
	return s.newest, nil
}

func (t *singleTurn) current() bool {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	return t == t.s.newest
}

func (t *singleTurn) Commit() error {
	if !t.current() {
		return nil
	}
	return t.Turn.Commit()
}

func (t *singleTurn) Answer(ctx context.Context, begin, goOn time.Duration) iter.Seq2[llm.Delta, error] {
	if !t.current() {
		return func(func(llm.Delta, error) bool) {}
	}
	return t.Turn.Answer(ctx, begin, goOn)
}

// A person asks in the window after an answer, and while the recogniser still works on
// that somebody rattles with the dishes.
func TestSoundAfterAQuestionDoesNotTakeItsTurnAway(t *testing.T) {
	for name, open := range map[string]func(*rig){
		"follow-up": func(r *rig) { r.say(1, "hey hearth why"); r.turn() },
		"button": func(r *rig) {
			if err := r.d.Listen(r.t.Context()); err != nil {
				r.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := &single{cloud: cloud{deltas: []llm.Delta{sounds("Yes.")}}}
			with(t, func(r *rig) {
				r.ans.Responder, r.ans.FirstAudio = c, 5*time.Second
				r.rules.reads = func(string) bool { return true }
				r.ears.slow = map[uint64]time.Duration{2: time.Second}
			}, func(t *testing.T, r *rig) {
				r.mind.sentences = []string{"At home."}
				open(r)
				r.ears.will(2, "and tomorrow", nil)
				r.speak(2)
				r.silence(2, vad.End, vad.Silence)
				r.onset(3)
				r.frames(3, 10)
				r.silence(3, vad.Discard, vad.Short)
				if turn := r.turn(); turn.Route != "cloud" || turn.Outcome != "answered" || turn.Answer != "Yes." {
					t.Errorf("route %q, %s %s: %q", turn.Route, turn.Outcome, turn.Reason, turn.Answer)
				}
			})
		})
	}
}
