package dialogue

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// callers is an executor that notes for whom it is called; the door wants a yes.
type callers struct{ list []string }

func (c *callers) Run(_ context.Context, call tools.Call) tools.Outcome {
	f := call.For
	c.list = append(c.list, fmt.Sprintf("%s for %s of %s in %d of %d: %s %s", call.Name, f.Person, f.Guest, f.Turn,
		f.Session, f.Said, call.Agreed))
	if call.Name == "door" && call.Agreed == "" {
		return asks("Open the door?")
	}
	return done("It is done.")
}

func TestEveryCallSaysForWhomItIsMade(t *testing.T) {
	c := &callers{}
	with(t, func(r *rig) {
		r.opt.People, r.ans.Guest = []string{"Ada"}, "page"
		r.ans.Tools = answer.NewToolbox(r.bus, c, phrase.English(), false)
		r.mind.tools, r.mind.sentences = r.ans.Tools, []string{"do tea"}
	}, func(t *testing.T, r *rig) {
		var question string
		var want []string
		for _, ask := range []struct{ text, call string }{{"do door", "door"}, {"yes", "door"}, {"why", "tea"}} {
			turn, err := r.d.AskAs(t.Context(), "Ada", ask.text, question)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, fmt.Sprintf("%s for Ada of page in %d of %d: %s %s", ask.call, turn.Header.Turn,
				turn.Session, ask.text, question))
			question = turn.Question
		}
		if diff := cmp.Diff(want, c.list); diff != "" {
			t.Error(diff)
		}
		var tool *event.ToolStarted
		for tool == nil {
			tool, _ = r.next("tool_started").(*event.ToolStarted)
		}
		if tool.Header.Turn == 0 {
			t.Errorf("it is shown outside of turns: %+v", tool)
		}
	})
}
