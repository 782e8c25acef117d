package tools

import (
	"context"
	"strings"
	"testing"

	"hearthd/llm"
	"hearthd/tools/when"
)

// weekdays knows two texts.
type weekdays struct{}

func (weekdays) Read(form when.Form, text string) (string, when.Day, bool) {
	if form == when.Clocks {
		return "17:00", "tomorrow", text == "morgen um fünf"
	}
	return "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "", form == when.Repeats && text == "werktags"
}

func TestWhatAModelSaysOfTimeInWordsIsRewritten(t *testing.T) {
	type args struct {
		Repeat when.Repeat `json:"repeat"`
		Label  string      `json:"label"`
		Time   *when.Clock `json:"time"`
		Day    when.Day    `json:"day"`
	}
	tool := Query("often", "for a test", func(_ context.Context, a args) (Result, error) {
		if a.Time != nil {
			return Result{Text: a.Time.String() + " " + string(a.Day)}, nil
		}
		return Result{Text: string(a.Repeat) + "; " + a.Label}, nil
	})
	e := newExecutor(t, ExecutorOptions{Reader: weekdays{}}, tool)
	run := func(args string) Outcome {
		return e.Run(t.Context(), Call{ToolCall: llm.ToolCall{Name: "often", Arguments: []byte(args)}})
	}
	for args, want := range map[string]string{
		`{"repeat":"werktags","label":"werktags"}`: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR; werktags",
		`{"repeat":"FREQ=DAILY"}`:                  "FREQ=DAILY; ", `{"repeat":"once"}`: "; ", `{}`: "; ", `{"repeat":"","time":" ","day":""}`: "; ",
		`{"time":"morgen um fünf"}`: "17:00 tomorrow", `{"time":"19:30","day":"friday"}`: "19:30 friday",
		`{"time":"morgen um fünf","day":"tomorrow"}`: "17:00 tomorrow",
	} {
		if out := run(args); out.Class != OK || out.Result.Text != want {
			t.Errorf("%s: %v %q, want %q", args, out.Err, out.Result.Text, want)
		}
	}
	for args, want := range map[string]string{
		`{"repeat":"now and then"}`:                `repeat: not a repetition: "now and then"`,
		`{"time":"morgen um fünf","day":"friday"}`: `time: not a time of day: "morgen um fünf"`,
		`{"day":"someday"}`:                        `day: not a day: "someday"`,
	} {
		if out := run(args); out.Class != BadArguments || !strings.Contains(out.Result.Text, want) {
			t.Errorf("%s %q", out.Class, out.Result.Text)
		}
	}
}
