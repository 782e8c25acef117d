package journal

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
)

func TestLastLinesOfTheLogAreKeptByTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		kept := NewTail()
		log := slog.New(kept.Over(slog.NewTextHandler(&out, nil)))
		ctx, cancel := context.WithCancel(t.Context())
		seen := kept.Watch(ctx)
		log.Debug("is below the level")
		log.With("component", "tts").WithGroup("g").Warn("speak", "error", "no", "turn", uint64(1))
		log.Info("turn ended", "turn", uint64(7), "session", uint64(1), "message_id", "x", "heard",
			strings.Repeat("é", tailBytes))
		if l := <-seen; l.Seq != 1 || l.Message != "speak" || l.Level != "warn" || l.Component != "tts" ||
			l.Text != "g.error=no g.turn=1" {
			t.Errorf("line %+v", l)
		}
		of := kept.Lines(7)
		if len(of) != 1 || of[0].Message != "turn ended" || !strings.HasPrefix(of[0].Text, "heard=é") ||
			len(of[0].Text) > tailBytes+8 {
			t.Errorf("of turn 7: %+v", of)
		}
		if !strings.Contains(out.String(), "turn ended") {
			t.Error("the line went nowhere else")
		}
		for i := range 2 * tailLines {
			log.Info(fmt.Sprint(i))
		}
		all := kept.Lines(0)
		if len(all) != tailLines || all[0].Message != fmt.Sprint(tailLines) ||
			all[tailLines-1].Message != fmt.Sprint(2*tailLines-1) {
			t.Errorf("%d lines, from %q to %q", len(all), all[0].Message, all[len(all)-1].Message)
		}
		cancel()
		synctest.Wait()
		if len(kept.watchers) != 0 {
			t.Error("who has gone is still told")
		}
		kept.Forget()
		if len(kept.Lines(0)) != 0 {
			t.Error("lines are left")
		}
	})
}

func BenchmarkLogLine(b *testing.B) {
	log := slog.New(NewTail().Over(slog.NewTextHandler(io.Discard, nil)))
	for b.Loop() {
		log.Info("turn ended", "component", "dialogue", "turn", uint64(7), "took_ms", 12)
	}
}
