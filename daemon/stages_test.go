package daemon

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/config"
	"hearthd/rigs/tflitetest"
	"hearthd/systemd"
)

// everyStage is the way of a frame in a box that has as much on it as a configuration
// can ask for.
const everyStage = `capture from "hw:1"
monitor of the level
canceller of echo up to 500ms late
leveller to -26 dBFS
microWakeWord for ["loud"]
wake server 127.0.0.1:9 for ["distant"]
guard of the built-in detector
gate from 0.5 to 0.35
pre-roll of 400ms
endpointer after 700ms
dialogue`

func TestLogTellsEveryStageFromTheMicrophoneToTheDialogue(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string][]byte{"loud.json": []byte(tflitetest.LoudManifest),
		"loud.tflite": tflitetest.Loud()} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg := config.Default()
	cfg.Audio.Capture = "hw:1"
	cfg.Wake.Words = []config.WakeWord{
		{Model: filepath.Join(dir, "loud.json"), Name: "loud"}, {Model: "distant", Name: "far", Server: "127.0.0.1:9"},
	}
	var log bytes.Buffer
	b, err := newBase(Options{
		Config: cfg, StateDir: t.TempDir(), RuntimeDir: t.TempDir(), Notifier: systemd.NewNotifier(""),
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.buildSound(nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(everyStage, strings.ReplaceAll(s.ears.String(), " → ", "\n")); d != "" {
		t.Error(d)
	}
	if !strings.Contains(log.String(), " → dialogue") {
		t.Errorf("the log has %s", &log)
	}
}
