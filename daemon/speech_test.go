package daemon

import (
	"testing"

	"hearthd/config"
)

func TestFliteTakesOverFromEveryOtherVoice(t *testing.T) {
	for _, engine := range []string{"flite", "espeak-ng", "wyoming", "command"} {
		c := config.Default()
		c.TTS.Engine, c.TTS.Command.Argv = engine, []string{"speak"}
		d := bare()
		d.cfg = &c
		_, fallback, err := d.voices()
		if err != nil || (fallback != nil) != (engine != "flite") {
			t.Errorf("%s: falls back on %v, %v", engine, fallback, err)
		}
	}
}
