package answer

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"hearthd/daemon/event"
)

func TestLinesOfATurnSayWhichTurn(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(TurnLog(slog.NewTextHandler(&out, nil))).With("component", "tools")
	ctx := logged(t.Context(), event.Header{Session: 6, Turn: 7})
	log.WarnContext(ctx, "tool call failed", "tool", "lamp")
	if want := `msg="tool call failed" component=tools tool=lamp session=6 turn=7`; !strings.Contains(out.String(),
		want) {
		t.Errorf("%q lacks %q", out.String(), want)
	}
	out.Reset()
	log.WarnContext(t.Context(), "tool call failed")
	if strings.Contains(out.String(), "turn=") {
		t.Errorf("outside of turns: %q", out.String())
	}
}
