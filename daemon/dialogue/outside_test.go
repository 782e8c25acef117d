package dialogue

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/dialogue/answer"
	"hearthd/llm"
)

// The responder still has in its conversation what a page has told it.
func TestWordsFromOutsideAreNotForgottenWithTheTurn(t *testing.T) {
	ask := func(id, tool string) llm.Delta { return llm.Delta{Call: &llm.ToolCall{ID: id, Name: tool}} }
	c := &cloud{waits: true, deltas: []llm.Delta{ask("1", "web"), sounds("So.")}}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth what do they say")
		r.turn()
		c.deltas = []llm.Delta{ask("2", "tea"), ask("3", "look"), sounds("So.")}
		r.say(2, "and what else")
		if turn := r.turn(); turn.Route != "cloud" {
			t.Fatalf("%+v", turn)
		}
		// it may be said again in any other conversation
		if text, foreign := r.ans.Tools.Said(""); text == "" || !foreign {
			t.Errorf("%q is kept as foreign: %t", text, foreign)
		}
		if diff := cmp.Diff([]string{"2 " + answer.ToldAsked, "3 It is done."}, c.turns[1].results); diff != "" {
			t.Error(diff)
		}
		r.say(3, "no")
		r.turn()
		time.Sleep(sessionIdle + time.Minute) // a conversation is over after an hour
		c.deltas = []llm.Delta{ask("4", "tea"), sounds("So.")}
		r.say(4, "hey hearth and what else")
		r.turn()
		if text, foreign := r.ans.Tools.Said(""); text == "" || foreign {
			t.Errorf("%q is kept as foreign: %t", text, foreign)
		}
		if diff := cmp.Diff([]string{"4 It is done."}, c.turns[len(c.turns)-1].results); diff != "" {
			t.Error(diff)
		}
	})
}

// A new session of the responder is told of the answer before the person is.
func TestAnAnswerThatIsNotAnnouncedYetIsFromOutsideToo(t *testing.T) {
	ask := func(id, tool string) llm.Delta { return llm.Delta{Call: &llm.ToolCall{ID: id, Name: tool}} }
	c := &cloud{waits: true, deltas: []llm.Delta{ask("1", "tea"), ask("2", "look"), sounds("So.")}}
	withCloud(t, c, func(r *rig) { r.rules.foreign = true }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth what do they say")
		r.turn()
		if diff := cmp.Diff([]string{"1 " + answer.ToldAsked, "2 It is done."}, c.turns[0].results); diff != "" {
			t.Error(diff)
		}
	})
}

// The machines of the box and of browsers that talk share their tools.
func TestWhatABrowserWasToldIsNotSaidAgainInTheKitchen(t *testing.T) {
	with(t, func(r *rig) { r.ans.Guest = "abc" }, func(t *testing.T, r *rig) {
		r.mind.sentences = []string{"It is a secret."}
		r.say(1, "hey hearth why")
		r.turn()
		if text, _ := r.ans.Tools.Said(""); text != "" {
			t.Errorf("the kitchen would say %q", text)
		}
		if text, _ := r.ans.Tools.Said("abc"); text != "It is a secret." {
			t.Errorf("the browser would be told %q", text)
		}
	})
}
