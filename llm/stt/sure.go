package stt

import (
	"strings"

	"hearthd/llm"
)

// The margins from which a text is taken as it was heard; below them the person is asked whether they
// said it, below hopeless it is no guess any more.
//
//	words         what does no harm   what does harm
//	1 or 2        shortSure           plain
//	3 and more    sure                plain
//
// shortSure and sure were chosen with 108 orders and 45 sentences of talk in six voices of Debian and
// Pico that nothing here was tuned on, clean and in the noises of the bed at 18 and 12 dB. Longer texts
// between -15 and -18 were wrong more often than right, questions too, and no talk passed -20 (2026-11,
// tools/intent/testdata). Of 23 orders that neural voices said without noise, and that were heard right,
// three were below plain. What does harm is tools.Limits.Grave, or asks a question of its own.
const (
	sure      = -15
	shortSure = -12
	plain     = -6
)

// Sure reports whether t is more than a guess: what it asks for may be done without asking whether it
// was said, if there is no Rival. One or two words are easily found in anything, so they need more. A
// transcript of an engine that gives no margin is sure.
func Sure(t llm.Transcript) bool {
	if len(strings.Fields(t.Text)) <= 2 {
		return t.Margin >= shortSure
	}
	return t.Margin >= sure
}

// Clear reports whether t was heard so clearly that even what does harm may be done without asking.
func Clear(t llm.Transcript) bool { return t.Margin >= plain }
