package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"hearthd/llm"
	"hearthd/tools/phrase"
	"hearthd/tools/when"
)

const setSchema = `{"type":"object","properties":{"percent":{"type":"integer","minimum":0,"maximum":100},"room":{"type":"string","maxLength":10}},"required":["percent"],"additionalProperties":false}`

type setArgs struct {
	Percent int    `json:"percent"`
	Room    string `json:"room"`
}

func spec(name, schema string) llm.ToolSpec {
	return llm.ToolSpec{Name: name, Description: "for a test", Parameters: json.RawMessage(schema)}
}

// limited puts limits on a tool.
type limited struct {
	Tool
	limits Limits
}

func (l limited) Limits() Limits { return l.limits }

func newExecutor(t *testing.T, o ExecutorOptions, tools ...Tool) *Executor {
	t.Helper()
	o.Registry, o.Log = NewRegistry(phrase.English()), slog.New(slog.DiscardHandler)
	if err := o.Registry.Register(tools...); err != nil {
		t.Fatal(err)
	}
	e, err := NewExecutor(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func dimmer(call func(context.Context, setArgs) (Result, error)) Tool {
	return Func(spec("dim", setSchema), call)
}

func callDim(args string) Call {
	return Call{ToolCall: llm.ToolCall{ID: "1", Name: "dim", Arguments: json.RawMessage(args)}}
}

// agreed is call after a yes to question, and asking one that a person is to be asked about.
func agreed(call Call, question string) Call {
	call.Agreed = question
	return call
}

func asking(call Call) Call {
	call.Ask = true
	return call
}

func TestArgumentsReachTheToolInPlainForm(t *testing.T) {
	var got []setArgs
	e := newExecutor(t, ExecutorOptions{}, dimmer(func(_ context.Context, a setArgs) (Result, error) {
		got = append(got, a)
		return Result{Text: "Dimmed."}, nil
	}))
	for _, args := range []string{`{"percent":60}`, ` {"room":"hall","percent":60.0}`, `{"percent":6e1}`,
		`{"percent":7,"percent":60}`} {
		if out := e.Run(t.Context(), callDim(args)); out.Class != OK || out.Err != nil || out.Result.Text != "Dimmed." {
			t.Errorf("%s: %+v", args, out)
		}
	}
	if diff := cmp.Diff([]setArgs{{Percent: 60}, {60, "hall"}, {Percent: 60}, {Percent: 60}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestBadArgumentsNeverReachTheTool(t *testing.T) {
	e := newExecutor(t, ExecutorOptions{}, dimmer(func(context.Context, setArgs) (Result, error) {
		t.Error("the tool was called")
		return Result{}, nil
	}))
	for args, want := range map[string]string{
		`{"percent":`:                         "unexpected EOF",
		``:                                    "percent",
		`null`:                                "percent",
		`[]`:                                  "object",
		`{"percent":60} {}`:                   "more than one",
		`{"percent":101}`:                     "percent: maximum",
		`{"percent":60.5}`:                    "integer",
		`{"percent":"sixty"}`:                 "percent (integer, needed), room (string)",
		`"{\"percent\":"`:                     "holds no JSON object",
		`{"Percent":60,"percent":60}`:         "Percent",
		`{"percent":60,"room":"a big house"}`: "room: maxLength",
		`{"percent":1e999999999}`:             "out of range",
		`{"percent":1e-999999999}`:            "out of range",
		`{"percent":` + strings.Repeat("9", 50) + `}`:                "too long",
		`{"percent":1,"room":"` + strings.Repeat("x", 40<<10) + `"}`: "40983 bytes",
	} {
		out := e.Run(t.Context(), callDim(args))
		if out.Class != BadArguments || out.Err == nil || !strings.Contains(out.Result.Text, want) ||
			!strings.Contains(out.Result.Text, "dim") ||
			strings.Contains(out.Result.Text, "..") {
			t.Errorf("%.60s: %s %q", args, out.Class, out.Result.Text)
		}
		if out.Spoken(phrase.English()) != "Sorry, I can't do that." {
			t.Errorf("spoken: %q", out.Spoken(phrase.English()))
		}
	}
}

func TestUnknownToolIsAnsweredWithTheKnownOnes(t *testing.T) {
	e := newExecutor(t, ExecutorOptions{}, dimmer(nil), Func[struct{}](spec("bell", `{"type":"object"}`), nil))
	out := e.Run(t.Context(), Call{ToolCall: llm.ToolCall{ID: "7", Name: "bell_ring"}})
	if out.Class != UnknownTool || out.Result.Text != `there is no tool "bell_ring". The tools are: bell, dim.` {
		t.Errorf("%+v", out)
	}
}

func TestEveryEndOfAToolIsOneOutcome(t *testing.T) {
	cause := errors.New("secret detail")
	cases := []struct {
		name   string
		call   func(context.Context, setArgs) (Result, error)
		class  Class
		spoken string
	}{
		{"error", func(context.Context, setArgs) (Result, error) { return Result{}, cause }, Failed,
			"Sorry, that did not work."},
		{"failure", func(context.Context, setArgs) (Result, error) {
			return Result{}, fmt.Errorf("dim: %w", &Failure{Say: "The lamp is broken.", Cause: cause})
		}, Failed, "The lamp is broken."},
		{"argument error", func(context.Context, setArgs) (Result, error) {
			return Result{}, &ArgumentError{"no such room"}
		}, BadArguments, "Sorry, I can't do that."},
		{"no such day", func(context.Context, setArgs) (Result, error) {
			return Result{}, fmt.Errorf("remind: %w", new(when.Day).UnmarshalText([]byte("02-30")))
		}, Failed, "There is no such day."},
		{"panic", func(context.Context, setArgs) (Result, error) { panic("secret detail") }, Panic,
			"Sorry, that did not work."},
		{"goexit", func(context.Context, setArgs) (Result, error) { runtime.Goexit(); return Result{}, nil },
			Panic, "Sorry, that did not work."},
		{"own cancellation", func(context.Context, setArgs) (Result, error) { return Result{}, context.Canceled },
			Failed, "Sorry, that did not work."},
		{"nothing to say", func(context.Context, setArgs) (Result, error) { return Result{}, nil }, OK, "Done."},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out := newExecutor(t, ExecutorOptions{}, dimmer(c.call)).Run(t.Context(), callDim(`{"percent":1}`))
			if out.Class != c.class || out.Spoken(phrase.English()) != c.spoken || out.Result.Text == "" ||
				(out.Err == nil) != (c.class == OK) {
				t.Errorf("%+v, spoken %q", out, out.Spoken(phrase.English()))
			}
			if strings.Contains(out.Result.Text+out.Spoken(phrase.English()), "secret") {
				t.Errorf("the cause was told: %q", out.Result.Text)
			}
		})
	}
}

func TestToolThatHeedsNothingIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		e := newExecutor(t, ExecutorOptions{}, dimmer(func(context.Context, setArgs) (Result, error) {
			<-release
			return Result{Text: "Too late."}, nil
		}))
		out := e.Run(t.Context(), callDim(`{"percent":1}`))
		if out.Class != Timeout || out.Took != usualTimeout+grace ||
			out.Spoken(phrase.English()) != "That took too long, so I stopped waiting." {
			t.Errorf("%+v", out)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := e.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("wait ended with %v while the tool runs", err)
		}
		close(release)
		if err := e.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestToolsOwnTimeoutWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := dimmer(func(ctx context.Context, _ setArgs) (Result, error) {
			<-ctx.Done()
			return Result{}, ctx.Err()
		})
		e := newExecutor(t, ExecutorOptions{}, limited{slow, Limits{Timeout: time.Minute}})
		if out := e.Run(t.Context(), callDim(`{"percent":1}`)); out.Class != Timeout || out.Took != time.Minute {
			t.Errorf("%+v", out)
		}
	})
}

func TestCancelledCallSaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newExecutor(t, ExecutorOptions{}, dimmer(func(ctx context.Context, _ setArgs) (Result, error) {
			<-ctx.Done()
			return Result{}, ctx.Err()
		}))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		for range 2 { // the second time it is not even begun
			out := e.Run(ctx, callDim(`{"percent":1}`))
			if out.Class != Cancelled || out.Spoken(phrase.English()) != "" || out.Result.Text == "" {
				t.Errorf("%+v", out)
			}
		}
	})
}

func TestResultThatCameWithTheEndOfTimeIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newExecutor(t, ExecutorOptions{}, dimmer(func(ctx context.Context, _ setArgs) (Result, error) {
			<-ctx.Done()
			return Result{Text: "Dimmed."}, nil
		}))
		if out := e.Run(t.Context(), callDim(`{"percent":1}`)); out.Class != OK || out.Result.Text != "Dimmed." {
			t.Errorf("%+v", out)
		}
	})
}

func TestCooldownIsPerArguments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fail bool
		e := newExecutor(t, ExecutorOptions{}, limited{dimmer(func(context.Context, setArgs) (Result, error) {
			if fail {
				return Result{}, errors.New("broken")
			}
			return Result{Text: "Dimmed."}, nil
		}), Limits{Cooldown: 5 * time.Second}})
		step := func(args string, want Class) {
			t.Helper()
			if out := e.Run(t.Context(), callDim(args)); out.Class != want {
				t.Errorf("%s: %s, want %s", args, out.Class, want)
			}
		}
		step(`{"percent":0}`, OK)
		step(`{"percent":100}`, OK)
		step(` { "percent": 100.0 } `, Cooldown)
		time.Sleep(5 * time.Second)
		step(`{"percent":100}`, OK)
		fail = true
		step(`{"percent":50}`, Failed)
		fail = false
		step(`{"percent":50}`, OK)
	})
}

func TestCooldownMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cooling{until: map[coolingKey]time.Time{}}
		for i := range 3 * maxCooling {
			c.enter(keyOf("dim", json.RawMessage(fmt.Sprint(i))), time.Hour)
			time.Sleep(time.Millisecond)
		}
		if len(c.until) > maxCooling {
			t.Errorf("%d calls are remembered", len(c.until))
		}
		if left := c.enter(keyOf("dim", json.RawMessage(fmt.Sprint(3*maxCooling-1))), time.Hour); left == 0 {
			t.Error("the newest call was forgotten")
		}
	})
}

func TestLongResultIsCutWithAMarker(t *testing.T) {
	e := newExecutor(t, ExecutorOptions{}, dimmer(func(context.Context, setArgs) (Result, error) {
		return Result{Text: strings.Repeat("é", maxText) + "\xff"}, nil
	}))
	text := e.Run(t.Context(), callDim(`{"percent":1}`)).Result.Text
	if len(text) > maxText || !utf8.ValidString(text) || !strings.HasSuffix(text, cutMarker) {
		t.Errorf("%d bytes, ends %q", len(text), text[len(text)-20:])
	}
}

func TestExecutorRefusesBadOptions(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	for _, o := range []ExecutorOptions{{}, {Registry: NewRegistry(phrase.English())}, {Log: log}} {
		if _, err := NewExecutor(o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

func FuzzExecutorArguments(f *testing.F) {
	for _, seed := range []string{`{"percent":60,"room":"hall"}`, `{"percent":1e400}`, `{"percent":`, `null`,
		`{"percent":-0.0}`, "{\"room\":\"\xff\"}", `{"":{"":[[]]}}`} {
		f.Add([]byte(seed))
	}
	r := NewRegistry(phrase.English())
	var got *setArgs
	err := r.Register(dimmer(func(_ context.Context, a setArgs) (Result, error) {
		got = &a
		return Result{Text: "Dimmed."}, nil
	}))
	if err != nil {
		f.Fatal(err)
	}
	e, err := NewExecutor(ExecutorOptions{Registry: r, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		got = nil
		out := e.Run(t.Context(), callDim(string(args)))
		switch {
		case out.Class == OK && (got == nil || got.Percent < 0 || got.Percent > 100 ||
			utf8.RuneCountInString(got.Room) > 10):
			t.Errorf("%q reached the tool as %+v", args, got)
		case out.Class != OK && (out.Class != BadArguments || got != nil):
			t.Errorf("%q ended as %s: %v", args, out.Class, out.Err)
		case out.Result.Text == "" || len(out.Result.Text) > maxText || !utf8.ValidString(out.Result.Text):
			t.Errorf("%q was answered with %q", args, out.Result.Text)
		}
	})
}

func BenchmarkRun(b *testing.B) {
	r := NewRegistry(phrase.English())
	if err := r.Register(dimmer(func(context.Context, setArgs) (Result, error) {
		return Result{Text: "Dimmed."}, nil
	})); err != nil {
		b.Fatal(err)
	}
	e, err := NewExecutor(ExecutorOptions{Registry: r, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	call := callDim(`{"percent":60,"room":"hall"}`)
	for b.Loop() {
		if out := e.Run(b.Context(), call); out.Class != OK {
			b.Fatal(out.Class)
		}
	}
}

func TestFailureIsLogged(t *testing.T) {
	r := NewRegistry(phrase.English())
	spec := llm.ToolSpec{Name: "lamp", Description: "Switch the lamp.",
		Parameters: json.RawMessage(`{"type":"object"}`)}
	if err := r.Register(&Command{book: phrase.English(), spec: spec, argv: []string{"false"}}); err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	e, err := NewExecutor(ExecutorOptions{Registry: r, Log: slog.New(slog.NewTextHandler(&lines, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if out := e.Run(t.Context(), Call{ToolCall: llm.ToolCall{Name: "lamp"}}); out.Class != Failed {
		t.Errorf("outcome %q", out.Class)
	}
	for _, want := range []string{"component=tools", "tool=lamp"} {
		if !strings.Contains(lines.String(), want) {
			t.Errorf("%q is not in %q", want, lines.String())
		}
	}
}

func TestFullDiskIsCalledSo(t *testing.T) {
	full := CallFunc(llm.ToolSpec{Name: "keep", Description: "Keeps."}, func(context.Context, Call, struct{}) (Result, error) {
		return Result{}, &Failure{Say: "I could not keep it.", Cause: fmt.Errorf("write: %w", syscall.ENOSPC)}
	})
	out := newExecutor(t, ExecutorOptions{}, full).Run(t.Context(), Call{ToolCall: llm.ToolCall{Name: "keep"}})
	const want = "I could not keep it. My disk is full."
	if out.Class != Failed || out.Spoken(phrase.English()) != want || out.Text != want {
		t.Errorf("%q, %+v", out.Spoken(phrase.English()), out)
	}
}
