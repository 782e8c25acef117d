package stt

import (
	"strings"

	"hearthd/config/letters"
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

// alike and same are the parts of their sounds that two texts have in common at least, to be much the same and the same.
// They were chosen with 90 orders of nine neural voices and 285 sentences of recorded people that Moonshine and Whisper
// heard too, without noise and at 12 dB (2026-11, rigs/hearing/RESULTS.md, rigs/speechtest/RESULTS.md).
const (
	alike = 70 // %
	same  = 80
)

// Choose says which to believe of two transcripts of one utterance: here of the recogniser that knows the
// sentences of the intents, and there of one that hears anything. A sentence of the intents that is sure, but
// not certain, wants the other one to have heard much the same. Where that heard no request, as asks tells, but
// what sounds like one ("what's the dame"), a guess at it is what was said, or is asked about.
func Choose(here, there llm.Transcript, asks func(text string) bool) llm.Transcript {
	sure := here.Text != "" && !here.Rival && Sure(here)
	switch {
	case there.Text == "", Certain(here), sure && sound(here.Text, there.Text, alike):
		return here
	case here.Text == "" || !sound(here.Text, there.Text, alike) || asks(there.Text):
		return there
	}
	here.Margin, here.Rival = 0, !sound(here.Text, there.Text, same)
	return here
}

// sound reports whether two texts have at least a part of their sounds in common, in %.
func sound(a, b string, part int) bool {
	x, y := phones(a), phones(b)
	most := max(len(x), len(y)) * (100 - part) / 100
	return x == y || letters.Edits(x, y, most) <= most
}

// phones are the letters of a text, those alike that recognisers take for one another: vowels, and consonants that
// differ in the voice. What is doubled counts once.
func phones(text string) string {
	const heard, as = "eiouywtckqpsf", "aaaaaadgggbzv"
	var list []byte
	for _, c := range []byte(strings.ToLower(text)) {
		if i := strings.IndexByte(heard, c); i >= 0 {
			c = as[i]
		}
		is := 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
		if is && (len(list) == 0 || list[len(list)-1] != c) {
			list = append(list, c)
		}
	}
	return string(list)
}
