package sharing

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"

	"hearthd/config"
	"hearthd/daemon/refusal"
	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

func TestWhoCannotAnnounceSaysWhy(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{refusal.Speaker, "Sorry, my speaker does not work, so I can't announce that."},
		{refusal.Error("busy"), "Sorry, I can't announce that now."},
	} {
		p, err := New(Options{
			Config: &config.MQTT{Prefix: "hearthd"}, Node: "kitchen", Book: phrase.English(),
			Announce: func(context.Context, llm.Ask, string, bool) error { return c.err },
			Quiet:    func() (string, bool) { return "", false },
			Log:      slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Tools()[0].Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Name: "announce",
			Arguments: json.RawMessage(`{"text":"dinner is ready"}`)}})
		if f, ok := errors.AsType[*tools.Failure](err); !ok || f.Say != c.want {
			t.Errorf("%v: %v", c.err, err)
		}
	}
}
