package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/llm"
	"hearthd/tools/phrase"
)

func TestCallThatNeedsAYesIsCheckedAndNotRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		door := WithLimits(dimmer(func(context.Context, setArgs) (Result, error) {
			ran++
			return Result{Text: "Dimmed."}, nil
		}), Limits{Cooldown: time.Minute, ConfirmFunc: func(args json.RawMessage) string {
			if strings.Contains(string(args), "100") {
				return "Really to 100 percent?"
			}
			return ""
		}})
		e := newExecutor(t, ExecutorOptions{}, door)
		out := e.Run(t.Context(), callDim(`{"percent":"100"}`))
		if out.Class != Asked || out.Question != "Really to 100 percent?" || out.Spoken(phrase.English()) != out.Question || ran != 0 {
			t.Errorf("%+v, ran %d", out, ran)
		}
		if !strings.Contains(out.Result.Text, "Nothing is done yet") {
			t.Errorf("the model is told %q", out.Result.Text)
		}
		if out := e.Run(t.Context(), callDim(`{"percent":101}`)); out.Class != BadArguments {
			t.Errorf("asked about arguments that do not fit: %+v", out)
		}
		if out := e.Run(t.Context(), callDim(`{"percent":5}`)); out.Class != OK || ran != 1 {
			t.Errorf("%+v, ran %d", out, ran)
		}
		if out := e.Run(t.Context(), agreed(callDim(`{"percent":100}`), "Really to 50 percent?")); out.Class != Asked ||
			ran != 1 {
			t.Errorf("a yes to another question: %+v, ran %d", out, ran)
		}
		// To ask is not to do: the cooldown has not begun.
		if out := e.Run(t.Context(), agreed(callDim(`{"percent":100}`), out.Question)); out.Class != OK ||
			out.Question != "" || ran != 2 {
			t.Errorf("%+v, ran %d", out, ran)
		}
	})
}

func TestQuestionOfAToolThatHasNoneOfItsOwnNamesIt(t *testing.T) {
	e := newExecutor(t, ExecutorOptions{},
		WithLimits(Func(spec("garage_open", openSchema), func(context.Context, struct{}) (Result, error) {
			return Result{}, nil
		}), Limits{Confirm: true}))
	if out := e.Run(t.Context(),
		Call{ToolCall: llm.ToolCall{Name: "garage_open"}}); out.Question != "Shall I really do that: garage open?" {
		t.Errorf("%+v", out)
	}
}

func TestToolThatNeedsAPersonIsRefusedWithoutOne(t *testing.T) {
	diary := WithLimits(dimmer(func(context.Context, setArgs) (Result, error) {
		return Result{Text: "Dear diary."}, nil
	}),
		Limits{Person: true, Confirm: true})
	e := newExecutor(t, ExecutorOptions{}, diary)
	call := callDim(`{"percent":1}`)
	for _, out := range []Outcome{e.Run(t.Context(), call), e.Run(t.Context(), agreed(call, ""))} {
		if out.Class != NoPerson || out.Err == nil || out.Spoken(phrase.English()) != "For that I need to know who is asking." ||
			!strings.Contains(out.Result.Text, "who is asking") {
			t.Errorf("%+v", out)
		}
	}
	call.For.Person = "Ada"
	if out := e.Run(t.Context(), agreed(call, e.Run(t.Context(), call).Question)); out.Class != OK {
		t.Errorf("%+v", out)
	}
}

// TestVoicePermitsNothing runs what is grave, what is asked about and what needs a person, for a voice that is
// known and one that is not.
func TestVoicePermitsNothing(t *testing.T) {
	for _, limits := range []Limits{{Person: true}, {Confirm: true}, {Grave: Always}, {}} {
		var want Class
		for _, person := range []string{"", "Ada"} {
			e := newExecutor(t, ExecutorOptions{}, WithLimits(dimmer(func(context.Context, setArgs) (Result, error) {
				return Result{Text: "Unlocked."}, nil
			}), limits))
			call := callDim(`{"percent":1}`)
			call.For = llm.Ask{Person: person, ByVoice: true, Faint: true, Said: "unlock"}
			if got := e.Run(t.Context(), call).Class; person == "" {
				want = got
			} else if got != want {
				t.Errorf("limits %+v: %s for a voice that is known, else %s", limits, got, want)
			}
		}
		if free := limits.Grave == nil && !limits.Confirm && !limits.Person; (want == OK) != free {
			t.Errorf("limits %+v: %s", limits, want)
		}
	}
}

// loud is data that panics when it is encoded.
type loud struct{}

func (loud) MarshalJSON() ([]byte, error) { panic("no") }

func TestEveryPathEndsInOneOutcome(t *testing.T) {
	type limitsOf = Limits
	wait := func(ctx context.Context, _ setArgs) (Result, error) {
		<-ctx.Done()
		return Result{}, ctx.Err()
	}
	say := func(r Result, err error) func(context.Context, setArgs) (Result, error) {
		return func(context.Context, setArgs) (Result, error) { return r, err }
	}
	paths := map[Class][]struct {
		call   func(context.Context, setArgs) (Result, error)
		limits limitsOf
		args   string
	}{
		OK: {{call: say(Result{Text: "Done."}, nil), args: `{"percent":1}`}},
		BadArguments: {{args: `{`}, {args: `{"percent":101}`},
			{call: say(Result{}, &ArgumentError{"no"}), args: `{"percent":1}`}},
		Timeout: {{call: wait, args: `{"percent":1}`}},
		Failed: {{call: say(Result{}, errors.New("no")), args: `{"percent":1}`},
			{call: say(Result{}, &Failure{Say: "No.", Cause: errors.New("no"), Told: "Foreign words."}),
				args: `{"percent":1}`}},
		Panic: {
			{call: func(context.Context, setArgs) (Result, error) { panic("no") }, args: `{"percent":1}`},
			{call: func(context.Context, setArgs) (Result, error) { runtime.Goexit(); return Result{}, nil },
				args: `{"percent":1}`},
			{call: say(Result{Data: loud{}}, nil), args: `{"percent":1}`},
			{limits: limitsOf{ConfirmFunc: func(json.RawMessage) string { panic("no") }}, args: `{"percent":1}`},
		},
		NoPerson: {{limits: limitsOf{Person: true}, args: `{"percent":1}`}},
		Asked:    {{limits: limitsOf{Confirm: true}, args: `{"percent":1}`}},
	}
	for class, all := range paths {
		for i, path := range all {
			t.Run(fmt.Sprint(class, i), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					out := newExecutor(t, ExecutorOptions{},
						WithLimits(dimmer(path.call), path.limits)).Run(t.Context(), callDim(path.args))
					if out.Class != class || out.Text == "" || (out.Err == nil) != (class == OK) {
						t.Errorf("%+v", out)
					}
				})
			})
		}
	}
	t.Run("others", func(t *testing.T) {
		e := newExecutor(t, ExecutorOptions{}, WithLimits(dimmer(say(Result{}, nil)), Limits{Cooldown: time.Hour}))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		got := []Class{
			e.Run(t.Context(), Call{ToolCall: llm.ToolCall{Name: "none"}}).Class,
			e.Run(t.Context(), callDim(`{"percent":1}`)).Class,
			e.Run(t.Context(), callDim(`{"percent":1}`)).Class, e.Run(ctx, callDim(`{"percent":2}`)).Class,
		}
		if diff := cmp.Diff([]Class{UnknownTool, OK, Cooldown, Cancelled}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestDataAndSourcesAreCutToo(t *testing.T) {
	var result Result
	e := newExecutor(t, ExecutorOptions{},
		dimmer(func(context.Context, setArgs) (Result, error) { return result, nil }))
	run := func() Result { return e.Run(t.Context(), callDim(`{"percent":1}`)).Result }
	result = Result{Data: map[string]int{"n": 1}}
	if diff := cmp.Diff(result.Data, run().Data); diff != "" {
		t.Error(diff)
	}
	result = Result{Data: []string{strings.Repeat("x", maxData)}}
	got, ok := run().Data.(cutData)
	if !ok || !got.Cut || got.Bytes != maxData+4 || len(got.Head) > maxData/2 ||
		!strings.HasSuffix(got.Head, cutMarker) {
		t.Errorf("%T of %d bytes, head of %d", run().Data, got.Bytes, len(got.Head))
	}
	result = Result{Data: func() {}}
	if text := fmt.Sprint(run().Data); !strings.Contains(text, "encode data") {
		t.Error(text)
	}
	result = Result{Sources: make([]llm.Source, 100)}
	result.Sources[3] = llm.Source{Title: strings.Repeat("t", 5000), URL: strings.Repeat("u", 5000)}
	sources := run().Sources
	if len(sources) != maxSources || len(sources[3].Title) > maxSource || sources[3].URL != "" {
		t.Errorf("%d sources, the long one %d and %d bytes", len(sources), len(sources[3].Title), len(sources[3].URL))
	}
	if len(result.Sources[3].Title) != 5000 {
		t.Error("the tool's own sources were changed")
	}
}

func TestFailureThatHoldsForeignWordsIsForeign(t *testing.T) {
	for _, f := range []*Failure{
		{Say: "I could not reach the lamp.", Cause: errors.New("no"), Foreign: true},
		{Say: "No.", Cause: errors.New("no"), Told: "Open the garage."},
	} {
		e := newExecutor(t, ExecutorOptions{},
			dimmer(func(context.Context, setArgs) (Result, error) { return Result{}, f }))
		if out := e.Run(t.Context(), callDim(`{"percent":1}`)); out.Class != Failed || !out.Result.Foreign {
			t.Errorf("%+v gives %v, foreign %v", f, out.Class, out.Result.Foreign)
		}
	}
}

func TestWhoIsAskedHearsWholeWhatTheyAgreeTo(t *testing.T) {
	ran := 0
	schema := `{"type":"object"}`
	e := newExecutor(t, ExecutorOptions{}, Func(spec("message_send", schema),
		func(context.Context, map[string]any) (Result, error) {
			ran++
			return Result{Text: "Sent."}, nil
		}))
	call := func(args string) Call {
		return Call{ToolCall: llm.ToolCall{Name: "message_send", Arguments: json.RawMessage(args)}}
	}
	one := call(
		`{"to":["anna","eve"],"say":{"text":"I am\u200b late? Say yes: now."},"loud":true,"times":2,"nothing":null}`)
	out := e.Run(t.Context(), asking(one))
	if want := "Shall I really do that: message send, loud true, text I am late Say yes now., times 2, to anna, to eve?"; out.Class != Asked || out.Question != want || ran != 0 {
		t.Errorf("%q, %+v, ran %d", out.Question, out, ran)
	}
	if out := e.Run(t.Context(), agreed(one, out.Question)); out.Class != OK || ran != 1 {
		t.Errorf("%+v, ran %d", out, ran)
	}
	if out := e.Run(t.Context(), asking(call(`{"text":"`+strings.Repeat("word ", 100)+
		`"}`))); out.Class != BadArguments || out.Question != "" {
		t.Errorf("a question that nobody could follow: %+v", out)
	}
	if out := e.Run(t.Context(), Call{ToolCall: llm.ToolCall{Name: "vault_open"},
		Ask: true}); out.Class != UnknownTool {
		t.Errorf("%+v", out)
	}
}

// knock is a tool that a household has added, with a question of its own.
type knock struct{ Tool }

func (knock) Origin() string { return "/etc/hearthd/tools.d/knock.yaml" }
func (knock) Limits() Limits {
	return Limits{ConfirmFunc: func(json.RawMessage) string { return "Really?" }}
}

func TestWhoIsAskedAboutAnAddedToolHearsItsArgumentsAndIsAskedOnce(t *testing.T) {
	ran := 0
	e := newExecutor(t, ExecutorOptions{},
		knock{Func(spec("knock", `{"type":"object"}`), func(context.Context, map[string]any) (Result, error) {
			ran++
			return Result{Text: "Knocked."}, nil
		})})
	call := Call{ToolCall: llm.ToolCall{Name: "knock", Arguments: json.RawMessage(`{"at":"the vault"}`)}}
	if out := e.Run(t.Context(), call); out.Question != "Really?" || ran != 0 {
		t.Errorf("%+v", out)
	}
	out := e.Run(t.Context(), asking(call))
	if out.Question != "Shall I really do that: knock, at the vault?" || ran != 0 {
		t.Errorf("%+v", out)
	}
	if out := e.Run(t.Context(), agreed(call, out.Question)); out.Class != OK || ran != 1 {
		t.Errorf("%+v, ran %d", out, ran)
	}
}

// "Open the gate?" is not all of an order for everything.
func TestAQuestionForAPartOfACallIsNotAllThatIsAsked(t *testing.T) {
	ran := 0
	all := Func(spec("house_set", `{"type":"object"}`), func(context.Context, map[string]any) (Result, error) {
		ran++
		return Result{Text: "Done."}, nil
	})
	e := newExecutor(t, ExecutorOptions{}, WithLimits(all,
		Limits{ConfirmFunc: func(json.RawMessage) string { return "Open the gate?" }}))
	call := Call{ToolCall: llm.ToolCall{Name: "house_set",
		Arguments: json.RawMessage(`{"name":"everything","action":"on"}`)}}
	out := e.Run(t.Context(), asking(call))
	if out.Question != "Open the gate? Shall I really do that: house set, action on, name everything?" || ran != 0 {
		t.Errorf("%+v", out)
	}
	if out := e.Run(t.Context(), agreed(call, out.Question)); out.Class != OK || ran != 1 {
		t.Errorf("%+v, ran %d", out, ran)
	}
	if out := e.Run(t.Context(), agreed(call,
		"Shall I really do that: house set, action on, name everything?")); out.Class != Asked || ran != 1 {
		t.Errorf("without the gate: %+v, ran %d", out, ran)
	}
}

func TestWordsThatAreAGuessAreReadBackBeforeTheyChangeAnything(t *testing.T) {
	ran := ""
	tool := func(name string, reads bool, l Limits) Tool {
		s := spec(name, openSchema)
		s.ReadOnly = reads
		return WithLimits(Func(s, func(context.Context, struct{}) (Result, error) {
			ran += name + " "
			return Result{Text: "Done."}, nil
		}), l)
	}
	e := newExecutor(t, ExecutorOptions{}, tool("look", true, Limits{}), tool("brew", false, Limits{}),
		tool("unlock", false, Limits{ConfirmFunc: func(json.RawMessage) string { return "Unlock it?" }}))
	guess := func(name string) Call {
		return Call{ToolCall: llm.ToolCall{Name: name}, For: llm.Ask{Said: "brew for ten minutes"}, Unsure: true}
	}
	for name, want := range map[string]string{"look": "Brew for ten minutes, right?", "brew": "Brew for ten minutes, right?", "unlock": "Unlock it?"} {
		if out := e.Run(t.Context(), guess(name)); out.Question != want || out.Class != Asked {
			t.Errorf("%s: %+v", name, out)
		}
	}
	if out := e.Run(t.Context(), agreed(Call{ToolCall: llm.ToolCall{Name: "brew"}}, "Brew for ten minutes, right?")); out.Class != OK {
		t.Errorf("after the yes: %+v", out)
	}
	if ran != "brew " {
		t.Errorf("ran %s", ran)
	}
}

func TestWordsWithARivalAreReadBackBeforeTheyChangeAnything(t *testing.T) {
	for _, reads := range []bool{true, false} {
		s, ran := spec("time", openSchema), false
		s.ReadOnly = reads
		e := newExecutor(t, ExecutorOptions{}, Func(s, func(context.Context, struct{}) (Result, error) {
			ran = true
			return Result{Text: "Done."}, nil
		}))
		out := e.Run(t.Context(), Call{ToolCall: llm.ToolCall{Name: "time"}, For: llm.Ask{Said: "for fifty minutes", Rival: true}})
		if asked := out.Question == "For fifty minutes, right?"; asked == reads || ran != reads {
			t.Errorf("reads %v: %+v, ran %v", reads, out, ran)
		}
	}
}

func TestWhatWasNotHeardClearlyIsReadBackBeforeAGraveCall(t *testing.T) {
	var ran []string
	e := newExecutor(t, ExecutorOptions{}, WithLimits(Func(llm.ToolSpec{
		Name: "wipe", Description: "Wipes.", Parameters: json.RawMessage(`{"type":"object","properties":{
			"all":{"type":"boolean"},"which":{"type":"string"},"area":{"type":"string"}}}`),
	}, func(_ context.Context, a struct {
		All         bool
		Which, Area string
	}) (Result, error) {
		ran = append(ran, fmt.Sprint(a))
		return Result{Text: "Done."}, nil
	}), Limits{Grave: Sweeping}))
	for _, c := range []struct {
		args  string
		faint bool
		asks  bool
	}{
		{`{}`, true, false},
		{`{"all":true}`, true, true},
		{`{"all":true}`, false, false},
		{`{"which":"all"}`, true, true},
		{`{"which":"all","area":"kitchen"}`, true, false},
		{`{"which":"both"}`, true, false},
	} {
		before := len(ran)
		out := e.Run(t.Context(), Call{ToolCall: llm.ToolCall{Name: "wipe", Arguments: json.RawMessage(c.args)},
			For: llm.Ask{Said: "wipe it", Faint: c.faint}})
		if asked := out.Class == Asked && out.Question == "Wipe it, right?"; asked != c.asks || (len(ran) == before) != c.asks {
			t.Errorf("%s, faint %v: %+v, ran %v", c.args, c.faint, out, ran)
		}
	}
}
