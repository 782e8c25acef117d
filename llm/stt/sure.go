package stt

import (
	"strings"

	"hearthd/llm"
)

// sure and shortSure are the margins from which a text is Sure: in general, and for texts of at most two
// words. They were chosen with 108 orders and 45 sentences of talk in six voices of Debian and Pico that
// nothing here was tuned on, clean and in the noises of the bed at 18 and 12 dB. Longer texts between -15
// and -18 were wrong more often than right, questions too, and no talk passed -20 (2026-11,
// tools/intent/testdata).
const (
	sure      = -15
	shortSure = -12
	// plain is the margin from which even what does harm is done: of 23 orders that neural voices
	// said without noise, and that were heard right, three were below it.
	plain = -6
)

// Sure reports whether what t asks for may be done without asking whether it was said. One or two
// words are easily found in anything, so they need more. A transcript of an engine that gives no
// margin is sure.
func Sure(t llm.Transcript) bool {
	if len(strings.Fields(t.Text)) <= 2 {
		return t.Margin >= shortSure
	}
	return t.Margin >= sure
}

// Clear reports whether t was heard so clearly that even what does harm may be done without asking.
func Clear(t llm.Transcript) bool { return t.Margin >= plain }
