package engines

import (
	"testing"

	"hearthd/config"
)

func TestFliteTakesOverFromEveryOtherVoice(t *testing.T) {
	for _, engine := range []string{"flite", "espeak-ng", "wyoming", "command"} {
		c := config.Default()
		c.TTS.Engine, c.TTS.Command.Argv = engine, []string{"speak"}
		_, fallback, err := made(&c).Synthesiser()
		if err != nil || (fallback != nil) != (engine != "flite") {
			t.Errorf("%s: falls back on %v, %v", engine, fallback, err)
		}
	}
}
