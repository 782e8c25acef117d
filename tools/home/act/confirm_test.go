package act

import (
	"encoding/json"
	"log/slog"
	"testing"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/phrase"
)

// run calls the tools of a house as a turn does.
func run(t *testing.T, h *fakeHouse) func(tool, args string) tools.Outcome {
	t.Helper()
	exec := executor(t, h)
	return func(tool, args string) tools.Outcome {
		return exec.Run(t.Context(), tools.Call{ToolCall: llm.ToolCall{Name: tool, Arguments: json.RawMessage(args)}})
	}
}

func executor(t *testing.T, h *fakeHouse) *tools.Executor {
	t.Helper()
	hm, err := New(Options{Devices: h})
	if err != nil {
		t.Fatal(err)
	}
	return executorOf(t, hm)
}

func executorOf(t *testing.T, hm *Home) *tools.Executor {
	t.Helper()
	r := tools.NewRegistry(phrase.English())
	if err := r.Register(hm.Tools()...); err != nil {
		t.Fatal(err)
	}
	exec, err := tools.NewExecutor(tools.ExecutorOptions{Registry: r, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return exec
}

func TestYesToOneDoorOpensNoOther(t *testing.T) {
	h := newHouse(
		home.Entity{ID: "a", Kind: home.Lock, Name: "Front door", Can: can(home.Main), State: home.State{home.Main: "unlocked"}},
		home.Entity{ID: "b", Kind: home.Lock, Name: "Back door", Can: can(home.Main), State: home.State{home.Main: "unlocked"}},
	)
	exec := executor(t, h)
	call := func(args string) tools.Call {
		return tools.Call{ToolCall: llm.ToolCall{Name: "home_control", Arguments: json.RawMessage(args)}}
	}
	exec.Run(t.Context(), call(`{"action":"lock","name":"front door"}`))
	it := call(`{"action":"unlock","name":"it"}`)
	asked := exec.Run(t.Context(), it)
	exec.Run(t.Context(), call(`{"action":"lock","name":"back door"}`)) // by somebody else, meanwhile
	if out := exec.Run(t.Context(), tools.Call{ToolCall: it.ToolCall, Agreed: asked.Question}); out.Class != tools.Asked || out.Question != "Unlock the back door?" || len(h.sent) != 2 {
		t.Errorf("asked %q, and then %s %q, sent %v", asked.Question, out.Class, out.Question, h.sent)
	}
}

func TestBothLocksAreNotUnlockedWithoutAYes(t *testing.T) {
	h := newHouse(
		home.Entity{ID: "a", Kind: home.Lock, Name: "Front door", Can: can(home.Main), State: home.State{home.Main: "locked"}},
		home.Entity{ID: "b", Kind: home.Lock, Name: "Back door", Can: can(home.Main), State: home.State{home.Main: "locked"}},
	)
	do := run(t, h)
	do("home_control", `{"action":"unlock","name":"door"}`)
	if out := do("home_choose", `{"name":"all"}`); out.Class != tools.Asked || out.Question != "Unlock the back door and the front door?" || len(h.sent) > 0 {
		t.Errorf("%s %q, sent %v", out.Class, out.Question, h.sent)
	}
	if out := do("home_control", `{"action":"unlock","name":"all doors"}`); out.Question != "Unlock the back door and the front door?" {
		t.Errorf("the question names %q", out.Question)
	}
}

func TestWhatIsCalledAnOpenerIsAskedFor(t *testing.T) {
	for _, e := range []home.Entity{
		{ID: "n", Kind: home.Button, Name: "Unlatch", Device: "Front door", Can: can(home.Main)},
		{ID: "n", Kind: home.Switch, Name: "Front door opener", Can: can(home.Main)},
		{ID: "n", Kind: home.Script, Name: "Unlock the front door", Can: can(home.Main)},
	} {
		h := newHouse(e)
		if out := run(t, h)("home_control", `{"action":"press","name":"`+e.Device+" "+e.Name+`"}`); out.Class != tools.Asked || len(h.sent) > 0 {
			t.Errorf("%s %s: %s %q %v", e.Device, e.Name, out.Class, out.Result.Text, h.sent)
		}
	}
}
