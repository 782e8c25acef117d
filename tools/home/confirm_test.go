package home

import (
	"encoding/json"
	"log/slog"
	"testing"

	"hearthd/llm"
	"hearthd/tools"
)

// run calls the tools of a house as a turn does.
func run(t *testing.T, h *fakeHouse) func(tool, args string) tools.Outcome {
	t.Helper()
	hm, err := New(Options{Devices: h})
	if err != nil {
		t.Fatal(err)
	}
	r := tools.NewRegistry()
	if err := r.Register(hm.Tools()...); err != nil {
		t.Fatal(err)
	}
	exec, err := tools.NewExecutor(tools.ExecutorOptions{Registry: r, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return func(tool, args string) tools.Outcome {
		return exec.Run(t.Context(), llm.ToolCall{Name: tool, Arguments: json.RawMessage(args)})
	}
}

func TestBothLocksAreNotUnlockedWithoutAYes(t *testing.T) {
	h := newHouse(
		Entity{ID: "a", Kind: Lock, Name: "Front door", Can: can(Main), State: State{Main: "locked"}},
		Entity{ID: "b", Kind: Lock, Name: "Back door", Can: can(Main), State: State{Main: "locked"}},
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
	for _, e := range []Entity{
		{ID: "n", Kind: Button, Name: "Unlatch", Device: "Front door", Can: can(Main)},
		{ID: "n", Kind: Switch, Name: "Front door opener", Can: can(Main)},
		{ID: "n", Kind: Script, Name: "Unlock the front door", Can: can(Main)},
	} {
		h := newHouse(e)
		if out := run(t, h)("home_control", `{"action":"press","name":"`+e.Device+" "+e.Name+`"}`); out.Class != tools.Asked || len(h.sent) > 0 {
			t.Errorf("%s %s: %s %q %v", e.Device, e.Name, out.Class, out.Result.Text, h.sent)
		}
	}
}

func TestRequestToLetSomebodyInIsKnownByItsWords(t *testing.T) {
	for request, want := range map[string]bool{
		"Open the garage, will you?": true, "unlock everything": true, "disarm the alarm": true, "please open all doors": true,
		"open the blinds": false, "is the front door open": false, "lock the front door": false, "what is on the list": false,
	} {
		if got := LetsIn(request); got != want {
			t.Errorf("%q: %t", request, got)
		}
	}
}
