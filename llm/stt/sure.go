package stt

import (
	"strings"

	"hearthd/llm"
)

// sure and shortSure are the margins from which a text is Sure, as it is and when it is as short
// as two words. Of 108 orders and 45 sentences of talk in six voices of Debian and Pico that nothing here was
// tuned on, clean and in the noises of the bed at 18 and 12 dB, longer ones between -15 and -18
// were wrong more often than right, questions too, and no talk passed -20 (2026-11, tools/intent/testdata).
const (
	sure      = -15
	shortSure = -12
)

// Sure reports whether what t asks for may be done without asking whether it was said. One or two
// words are soon found in anything, so they want more. An engine that tells no margin is sure.
func Sure(t llm.Transcript) bool {
	if len(strings.Fields(t.Text)) <= 2 {
		return t.Margin >= shortSure
	}
	return t.Margin >= sure
}
