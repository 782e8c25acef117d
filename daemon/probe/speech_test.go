package probe

import (
	"log/slog"
	"strings"
	"testing"

	"hearthd/config"
	"hearthd/daemon/doctor"
)

// Nothing is heard where the microphone stays closed, so a language that cannot be heard is no fault there.
func TestARecogniserIsMissedOnlyWhereSomebodyIsListenedTo(t *testing.T) {
	for engine, want := range map[string]doctor.Verdict{"off": doctor.Skip, "phrase": doctor.Fail, "button": doctor.Fail} {
		c := config.Default()
		c.Tools.Intents.Language, c.Wake.Engine = "de", engine
		p := newProber(Options{Config: &c, StateDir: t.TempDir(), RuntimeDir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
		f := p.recognition(t.Context(), nil)
		if f.Verdict != want || !strings.Contains(f.Text+f.Fix, "speech install") {
			t.Errorf("%s: %+v", engine, f)
		}
	}
}
