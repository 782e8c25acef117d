package stt

import (
	"slices"
	"strings"

	"hearthd/llm"
)

// certain is the margin from which the sentences of the intents are believed whatever else was heard. Of 140
// orders and 70 sentences of talk in 14 voices of Kokoro, with Whisper tiny.en as the other one, no talk reached
// it (2026-11, rigs/speechtest/choose).
const certain = -5

// Certain reports whether what the recogniser of the intents heard needs nobody else.
func Certain(here llm.Transcript) bool {
	return here.Text != "" && !here.Rival && Sure(here) && here.Margin >= certain
}

// Choose says which to believe of two transcripts of one utterance: here of the recogniser that knows the
// sentences of the intents, and there of one that hears anything. A sentence of the intents that is sure, but
// not certain, wants half of its words in what the other one heard.
func Choose(here, there llm.Transcript) llm.Transcript {
	sure := here.Text != "" && !here.Rival && Sure(here)
	if there.Text == "" || Certain(here) || sure && shared(here.Text, there.Text) {
		return here
	}
	return there
}

// shared reports whether at least half of the words of text are in another one.
func shared(text, other string) bool {
	words, others := plainWords(text), plainWords(other)
	n := 0
	for _, w := range words {
		if slices.Contains(others, w) {
			n++
		}
	}
	return 2*n >= len(words)
}

func plainWords(text string) []string {
	words := strings.Fields(strings.ToLower(text))
	for i, w := range words {
		words[i] = strings.Trim(w, ".,!?;:")
	}
	return words
}
