package systemd

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func limited(out *bytes.Buffer, level slog.Level) *slog.Logger {
	return slog.New(NewLimitHandler(newConsoleHandler(out, level, true)))
}

func TestMessageThatComesAgainAndAgainIsCountedAndNotWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := limited(&out, slog.LevelInfo).With("component", "capture")
		for range limitBurst + 50 {
			log.Warn("audio device lost")
		}
		log.Warn("something else")
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != limitBurst+2 {
			t.Fatalf("%d lines", len(lines))
		}
		if want := `<4>lines are left out, there are too many of them component=capture line="audio device lost"`; lines[limitBurst] != want {
			t.Errorf("%q, want %q", lines[limitBurst], want)
		}
		out.Reset()
		time.Sleep(limitPause)
		log.Warn("audio device lost")
		log.Warn("audio device lost")
		if want := "<4>audio device lost component=capture suppressed=50\n<4>lines are left out"; !strings.HasPrefix(
			out.String(), want) {
			t.Errorf("%q, want %q", out.String(), want)
		}
	})
}

func TestComponentsAreLimitedApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := limited(&out, slog.LevelInfo)
		for range limitBurst {
			log.Info("audio device running", "component", "capture")
		}
		log.Info("audio device running", "component", "playback")
		if n := strings.Count(out.String(), "\n"); n != limitBurst+1 || strings.Contains(out.String(), "left out") {
			t.Errorf("%d lines", n)
		}
	})
}

func TestDebugLinesAreNotLimited(t *testing.T) {
	var out bytes.Buffer
	log := limited(&out, slog.LevelDebug)
	for range 2 * limitBurst {
		log.Debug("stage ended")
	}
	if n := strings.Count(out.String(), "\n"); n != 2*limitBurst {
		t.Errorf("%d lines", n)
	}
}

func TestMessagesThatAreToldApartAreBounded(t *testing.T) {
	var out bytes.Buffer
	h := NewLimitHandler(newConsoleHandler(&out, slog.LevelInfo, true))
	for i := range 3 * limitKeys {
		slog.New(h).Info(strings.Repeat("x", i))
	}
	if n := len(h.buckets.of); n > limitKeys {
		t.Errorf("%d messages are kept", n)
	}
}
