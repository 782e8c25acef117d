package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hearthd/rigs/testcard"
)

// numbered makes the card one that the kernel numbers, as number 1 with the faults
// of the test's card, or as number 2 in health. ALSA's own hw finds the number by
// the card's name when it is opened; so does this one.
func (k *kitchen) numbered(number int) {
	k.t.Helper()
	config := filepath.Join(k.dir, "asound.conf")
	plain := config + ".plain"
	if _, err := os.Stat(plain); os.IsNotExist(err) {
		check(k.t, os.Rename(config, plain))
	}
	text, err := os.ReadFile(plain)
	check(k.t, err)
	for n, faults := range []string{
		fmt.Sprintf("capture_fault %q playback_fault %q", filepath.Join(k.dir, "capture.fault"), filepath.Join(k.dir, "playback.fault")), "",
	} {
		text = fmt.Appendf(text, "pcm.number%d { type testcard rate %d channels 1 infile %q outfile %q %s }\n",
			n+1, testcard.Rate, filepath.Join(k.dir, "microphone"), k.card.SpeakerPath(), faults)
	}
	text = fmt.Appendf(text, `numbers.Kitchen "%d"
pcm.hw {
	@args [ CARD DEV ]
	@args.CARD { type string }
	@args.DEV { type integer default 0 }
	type empty
	slave.pcm {
		@func concat
		strings [ "number" { @func refer name { @func concat strings [ "numbers." $CARD ] } } ]
	}
}
pcm.!default { type plug slave.pcm "hw:CARD=Kitchen,DEV=0" }
`, number)
	check(k.t, os.WriteFile(config, text, 0o600))
	later := time.Now().Add(time.Duration(number) * time.Minute) // ALSA compares whole seconds
	check(k.t, os.Chtimes(config, later, later))
}

// A USB card that is pulled out and put in again may get another number. What hearthd
// keeps is its name. (The kernel's part is played by ALSA's configuration.)
func TestCardThatComesBackUnderAnotherNumberIsFoundByName(t *testing.T) {
	for _, name := range []string{"hw:CARD=Kitchen,DEV=0", "default"} {
		t.Run(name, func(t *testing.T) {
			k := newKitchen(t, "HEARTHD_AUDIO_CAPTURE="+name, "HEARTHD_AUDIO_PLAYBACK="+name)
			k.numbered(1)
			k.begin()
			k.tellsTime()
			check(t, k.card.BreakPlayback(testcard.Unplug))
			check(t, k.card.BreakCapture(testcard.Unplug)) // and number 1 stays gone
			k.condition("microphone", true)
			k.numbered(2)
			k.condition("microphone", false)
			k.await("a box that is well", func(s Status) bool { return s.State == "idle" && len(s.Conditions) == 0 })
			k.tellsTime()
		})
	}
}
