package tools

import (
	"context"
	"strings"
	"testing"

	"hearthd/llm"
	"hearthd/tools/when"
)

// weekdays knows one word.
type weekdays struct{}

func (weekdays) Read(form when.Form, text string) (string, bool) {
	return "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", form == when.Repeats && text == "werktags"
}

func TestWhatAModelSaysOfTimeInWordsIsRewritten(t *testing.T) {
	type args struct {
		Repeat when.Repeat `json:"repeat"`
		Label  string      `json:"label"`
	}
	tool := Query("often", "for a test", func(_ context.Context, a args) (Result, error) {
		return Result{Text: string(a.Repeat) + "; " + a.Label}, nil
	})
	e := newExecutor(t, ExecutorOptions{Reader: weekdays{}}, tool)
	run := func(args string) Outcome {
		return e.Run(t.Context(), Call{ToolCall: llm.ToolCall{Name: "often", Arguments: []byte(args)}})
	}
	for args, want := range map[string]string{
		`{"repeat":"werktags","label":"werktags"}`: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR; werktags",
		`{"repeat":"FREQ=DAILY"}`:                  "FREQ=DAILY; ", `{"repeat":"once"}`: "; ", `{}`: "; ",
	} {
		if out := run(args); out.Class != OK || out.Result.Text != want {
			t.Errorf("%s: %v %q, want %q", args, out.Err, out.Result.Text, want)
		}
	}
	if out := run(`{"repeat":"now and then"}`); out.Class != BadArguments ||
		!strings.Contains(out.Result.Text, `repeat: not a repetition: "now and then"`) {
		t.Errorf("%s %q", out.Class, out.Result.Text)
	}
}
