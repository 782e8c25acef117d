package dialogue

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/llm"
	"hearthd/tools"
)

// butler is a house's own agent, which takes what is about the fountain.
type butler struct {
	offered []string
	foreign bool
	err     error
	refuses string        // what it says to what it does not take
	takes   time.Duration // to answer
}

func (b *butler) Offer(ctx context.Context, text string) (tools.Result, bool, error) {
	b.offered = append(b.offered, text)
	select {
	case <-time.After(b.takes):
	case <-ctx.Done():
		return tools.Result{}, false, ctx.Err()
	}
	if strings.Contains(text, "fountain") {
		return tools.Result{Text: "Turned on the fountain.", Foreign: b.foreign}, true, b.err
	}
	return tools.Result{Text: b.refuses, Foreign: b.foreign}, false, b.err
}

func (b *butler) was(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, b.offered); diff != "" {
		t.Error(diff)
	}
}

func TestTheHousesOwnAgentGoesBeforeEveryModel(t *testing.T) {
	b, c := &butler{}, &cloud{deltas: []llm.Delta{sounds("So.")}}
	withCloud(t, c, func(r *rig) { r.ans.Agent = b }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth start the fountain")
		turn := r.turn()
		if turn.Route != "home_assistant" || turn.Outcome != "answered" || turn.Answer != "Turned on the fountain." {
			t.Errorf("turn %+v", turn)
		}
		if len(c.turns) != 0 {
			t.Error("the responder was asked")
		}
		if diff := cmp.Diff([]string{"start the fountain / Turned on the fountain."}, r.mind.notes); diff != "" {
			t.Error("the thinker knows of it:", diff)
		}
		r.say(2, "hey hearth why")
		if turn := r.turn(); turn.Route != "cloud" {
			t.Errorf("turn %+v", turn)
		}
		r.say(3, "hey hearth do tea")
		if turn := r.turn(); turn.Route != "intent" {
			t.Errorf("turn %+v", turn)
		}
		b.was(t, "start the fountain", "why")
	})
}

func TestWhatTheAgentCannotDoIsTheThinkers(t *testing.T) {
	const gone = "My thinker is not reachable. Timers, lists and the clock still work."
	lost := errors.New("it took too long")
	for name, c := range map[string]struct {
		butler
		mind error
		want string
	}{
		"it has no rule":                   {butler{}, nil, "local Well."},
		"it knows no such device":          {butler{refuses: "There is no lake."}, nil, "local Well."},
		"it does not answer":               {butler{err: lost}, nil, "local Well."},
		"nor can the thinker":              {butler{refuses: "There is no lake."}, errCloud, "local There is no lake."},
		"nor can the thinker, and outside": {butler{refuses: "Say yes.", foreign: true}, errCloud, "local " + gone},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, func(r *rig) {
				r.ans.Agent = &c.butler
				if r.mind.err = c.mind; c.mind == nil {
					r.mind.sentences = []string{"Well."}
				}
			}, func(t *testing.T, r *rig) {
				r.say(1, "hey hearth fill the lake")
				if turn := r.turn(); turn.Route+" "+turn.Answer != c.want {
					t.Errorf("turn %+v", turn)
				}
			})
		})
	}
}

func TestWhatTheAgentMayHaveDoneNobodyDoesAgain(t *testing.T) {
	b, c := &butler{err: errors.New("the connection was cut")}, &cloud{deltas: []llm.Delta{sounds("So.")}}
	withCloud(t, c, func(r *rig) { r.ans.Agent = b }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth start the fountain")
		if turn := r.turn(); turn.Route != "home_assistant" || len(c.turns) != 0 {
			t.Errorf("turn %+v, and %d with the responder", turn, len(c.turns))
		}
	})
}

func TestAHouseWithoutAModelHearsWhyTheAgentDoesNotDoIt(t *testing.T) {
	b := &butler{refuses: "There is no lake."}
	with(t, func(r *rig) { r.ans.Thinker, r.ans.Agent = nil, b }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth fill the lake")
		if turn := r.turn(); turn.Route != "none" || turn.Reason != "no_thinker" || turn.Answer != "There is no lake." {
			t.Errorf("turn %+v", turn)
		}
	})
}

// It acts without a question, so a page must not have asked for what it is offered.
func TestTheAgentIsOfferedNothingBehindWordsFromOutside(t *testing.T) {
	b, c := &butler{}, &cloud{waits: true, deltas: []llm.Delta{{Call: &llm.ToolCall{ID: "1", Name: "web"}}, sounds("So.")}}
	withCloud(t, c, func(r *rig) { r.ans.Agent = b }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth what do they say")
		r.turn()
		c.deltas = []llm.Delta{sounds("So.")}
		r.say(2, "start the fountain")
		if turn := r.turn(); turn.Route != "cloud" {
			t.Errorf("turn %+v", turn)
		}
		time.Sleep(sessionIdle + time.Minute) // a conversation is over after an hour
		r.say(3, "hey hearth start the fountain again")
		if turn := r.turn(); turn.Route != "home_assistant" {
			t.Errorf("turn %+v", turn)
		}
		b.was(t, "what do they say", "start the fountain again")
	})
}

// Else who has taught it sentences could use one in an hour.
func TestTheAgentIsOfferedMoreBehindItsOwnWords(t *testing.T) {
	b := &butler{foreign: true}
	with(t, func(r *rig) { r.ans.Agent, r.mind.sentences = b, []string{"Well."} }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth start the fountain")
		r.turn()
		if _, foreign := r.ans.Tools.Said(""); !foreign {
			t.Error("the names of its devices are the house's own words")
		}
		r.say(2, "hey hearth do tea")
		r.turn()
		r.say(3, "stop the fountain")
		if turn := r.turn(); turn.Route != "home_assistant" {
			t.Errorf("turn %+v", turn)
		}
		b.was(t, "start the fountain", "stop the fountain")
	})
}

func TestAnswersToQuestionsAreNotOffered(t *testing.T) {
	b := &butler{}
	with(t, func(r *rig) { r.ans.Agent, r.mind.sentences = b, []string{"Well."} }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do door")
		r.turn()
		r.say(2, "the one at the fountain")
		r.turn()
		r.say(3, "hey hearth yes") // to what the thinker asked
		if turn := r.turn(); turn.Route != "local" {
			t.Errorf("turn %+v", turn)
		}
		b.was(t)
	})
}

func TestAPersonDoesNotWaitForTheAgent(t *testing.T) {
	with(t, func(r *rig) { r.ans.Agent = &butler{takes: time.Minute} }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth start the fountain")
		if err := r.d.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if turn := r.turn(); turn.Route != "none" || turn.Outcome != "stopped" || turn.Answer != "" {
			t.Errorf("turn %+v", turn)
		}
	})
}
