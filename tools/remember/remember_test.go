package remember

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// notebook is a memory that fails with err when that is set.
type notebook struct {
	known []string
	last  string // what was learned last
	named string
	left  []string // where the words of what is forgotten still are
	err   error
}

func (n *notebook) Known(_ context.Context, _, about string) ([]string, error) {
	var found []string
	for _, k := range n.known {
		if strings.Contains(k, about) {
			found = append(found, k)
		}
	}
	return found, n.err
}

func (n *notebook) Note(_ context.Context, _, text string) error {
	n.known = append([]string{text}, n.known...)
	return n.err
}

func (n *notebook) Name(_ context.Context, _, name string) error {
	n.named = name
	return n.err
}

func (n *notebook) Fact(_ context.Context, _, category, name, text string) error {
	if name == "birthday" {
		return fmt.Errorf("%q: %w", name, ErrFixed)
	}
	n.known = append(n.known, category+" "+name+": "+text)
	return n.err
}

func (n *notebook) ForgetLast(ctx context.Context, _ uint64) (said, learned int, err error) {
	learned, _, err = n.ForgetAbout(ctx, n.last)
	return 1, learned, err
}

func (n *notebook) ForgetAbout(ctx context.Context, about string) (int, []string, error) {
	gone, err := n.Known(ctx, "", about)
	var left []string
	for _, k := range n.known {
		if !strings.Contains(k, about) {
			left = append(left, k)
		}
	}
	n.known = left
	return len(gone), n.left, err
}

func (n *notebook) ForgetName(context.Context, string) (int, error) {
	gone := len(n.named[:min(len(n.named), 1)])
	n.named = ""
	return gone, n.err
}

func (n *notebook) ForgetEverything(ctx context.Context) (int, error) {
	gone, _, err := n.ForgetAbout(ctx, "")
	return gone, err
}

// run calls a tool as the executor does, schema and all, and gives what is spoken.
func run(t *testing.T, n *notebook, tool, args string) string {
	t.Helper()
	return executor(t, n).Run(t.Context(),
		tools.Call{ToolCall: llm.ToolCall{ID: "1", Name: tool, Arguments: json.RawMessage(args)}}).Spoken(phrase.English())
}

func executor(t *testing.T, n *notebook) *tools.Executor {
	t.Helper()
	all, err := New(n, phrase.English())
	if err != nil {
		t.Fatal(err)
	}
	r := tools.NewRegistry(phrase.English())
	if err := r.Register(all...); err != nil {
		t.Fatal(err)
	}
	exec, err := tools.NewExecutor(tools.ExecutorOptions{Registry: r, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return exec
}

func TestWhatIsKnownIsToldInSentences(t *testing.T) {
	n := &notebook{known: []string{"anna likes tea", "The boiler is in the cellar."}}
	for args, want := range map[string]string{
		`{}`:                  "Anna likes tea. The boiler is in the cellar.",
		`{"about":"boiler"}`:  "The boiler is in the cellar.",
		`{"about":"coffee"}`:  "I remember nothing about coffee.",
		`{"about":"x","y":1}`: "Sorry, I can't do that.",
	} {
		if got := run(t, n, "memory_tell", args); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	if got := run(t, &notebook{}, "memory_tell", `{}`); got != "I remember nothing." {
		t.Errorf("empty: %q", got)
	}
	var many notebook
	for i := range 20 {
		many.known = append(many.known, fmt.Sprint("fact ", i))
	}
	if got := run(t, &many, "memory_tell", `{}`); !strings.HasSuffix(got, "Fact 7. And 12 more.") {
		t.Errorf("many: %q", got)
	}
}

func TestNotesAndNamesAreRemembered(t *testing.T) {
	n := &notebook{}
	if got := run(t, n, "memory_note", `{"text":"the spare key is in the shed"}`); got != "I will remember that." ||
		n.known[0] != "The spare key is in the shed." {
		t.Errorf("%q, known %q", got, n.known)
	}
	if got := run(t, n, "memory_name", `{"name":"anna o'brien"}`); got != "Nice to meet you, Anna O'brien." ||
		n.named != "Anna O'brien" {
		t.Errorf("%q, named %q", got, n.named)
	}
}

func TestFactsAreRememberedUnlessTheyAreFixed(t *testing.T) {
	n := &notebook{}
	if got := run(t, n, "memory_fact",
		`{"name":"coffee","text":"black","category":"preference"}`); got != "I will remember that." ||
		n.known[0] != "preference coffee: black" {
		t.Errorf("%q, known %q", got, n.known)
	}
	if got := run(t, n, "memory_fact", `{"name":"birthday","text":"May 5th"}`); !strings.Contains(got,
		"did not change it") {
		t.Errorf("a fixed fact: %q", got)
	}
	if got := run(t, n, "memory_fact",
		`{"name":"coffee","text":"black","category":"weather"}`); got != "Sorry, I can't do that." {
		t.Errorf("an unknown category: %q", got)
	}
}

func TestForgettingSaysWhetherThereWasSomething(t *testing.T) {
	n := &notebook{known: []string{"anna likes tea", "the boiler is in the cellar", "one", "two"}, last: "two"}
	for _, step := range []struct{ tool, args, want string }{
		{"memory_forget", `{"about":"tea"}`, "Forgotten."},
		{"memory_forget", `{"about":"tea"}`, "There was nothing to forget about tea."},
		{"memory_forget", `{"about":""}`, "Sorry, I can't do that."},
		{"memory_forget", `{"about":"him"}`, "What should I forget?"},
		{"memory_forget_last", `{}`, "Forgotten."},
		{"memory_forget_last", `{}`, "I forgot what was said last. What I knew before it, I still know."},
	} {
		if got := run(t, n, step.tool, step.args); got != step.want {
			t.Errorf("%s %s: %q, want %q", step.tool, step.args, got, step.want)
		}
	}
}

func TestANameIsForgotten(t *testing.T) {
	n := &notebook{named: "Ben", known: []string{"my name day is in may"}}
	for _, want := range []string{"Forgotten.", "There was nothing to forget."} {
		if got := run(t, n, "memory_forget", `{"about":"my name"}`); got != want || n.named != "" || len(n.known) != 1 {
			t.Errorf("%q, want %q; named %q, known %q", got, want, n.named, n.known)
		}
	}
}

// What an intent looks for may be the stem of a word.
func TestWhatIsNotKnownIsNotReadOutAsItIsSearched(t *testing.T) {
	if got := run(t, &notebook{}, "memory_tell", `{"about":"allergic"}`); got != "I remember nothing about that." {
		t.Errorf("%q", got)
	}
}

func TestEverythingIsForgottenAfterAQuestionOnly(t *testing.T) {
	n := &notebook{known: []string{"one", "two"}}
	exec := executor(t, n)
	call := llm.ToolCall{ID: "1", Name: "memory_forget_everything", Arguments: json.RawMessage(`{}`)}
	asked := exec.Run(t.Context(), tools.Call{ToolCall: call})
	if asked.Class != tools.Asked || len(n.known) != 2 {
		t.Errorf("%+v, known %q", asked, n.known)
	}
	for _, want := range []string{"Forgotten.", "There was nothing to forget."} {
		if got := exec.Run(t.Context(), tools.Call{ToolCall: call, Agreed: asked.Question}).Spoken(phrase.English()); got != want ||
			len(n.known) != 0 {
			t.Errorf("%q, want %q; known %q", got, want, n.known)
		}
	}
}

func TestAMemoryThatFailsIsAPlainSentence(t *testing.T) {
	broken := &notebook{err: errors.New("disk on fire")}
	if got := run(t, broken, "memory_tell", `{}`); got != "I cannot get at my memory right now." {
		t.Errorf("%q", got)
	}
}

func TestWhereTheWordsStillAreIsSaid(t *testing.T) {
	n := &notebook{known: []string{"the gift is a bike"}, left: []string{"a reminder", "the shopping list"}}
	if got := run(t, n, "memory_forget", `{"about":"bike"}`); got != "Forgotten. It is still in a reminder and the "+
		"shopping list." {
		t.Errorf("%q", got)
	}
	if got := run(t, n, "memory_forget", `{"about":"bike"}`); got != "There was nothing to forget about bike. It is "+
		"still in a reminder and the shopping list." {
		t.Errorf("%q", got)
	}
}
