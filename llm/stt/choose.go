package stt

import (
	"slices"
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

// same is the part of their sounds that two texts have in common to be the same, in %. It was chosen with 90 orders of
// nine neural voices and 285 sentences of recorded people that Moonshine or Whisper heard too (2026-11,
// rigs/hearing/RESULTS.md, rigs/speechtest/RESULTS.md).
const same = 80

// Choose says which to believe of two transcripts of one utterance: here of the recogniser that knows the
// sentences of the intents, and there of one that hears anything; asks tells what a text is a request for, or
// nothing. A sentence of the intents that is sure, but not certain, is believed where each has half of the other's
// words, or the same sounds ("snooze", "sneeze"). A guess is what was said, or is asked about, where they have
// the words in common and the other one heard no request ("what's the dame").
//
// Where both heard a request, and not the same one, a sure one is asked about, and so is what sounds like a guess
// ("lock the door", "unlock the door") and was not near. A request that only one heard is not clear.
func Choose(here, there llm.Transcript, asks func(text string) string) llm.Transcript {
	sure := here.Text != "" && !here.Rival && Sure(here)
	alike := here.Text != "" && shared(here.Text, there.Text) && shared(there.Text, here.Text)
	near := sound(here.Text, there.Text)
	want := asks(there.Text)
	differ := want != "" && asks(here.Text) != want
	t := there
	switch {
	case there.Text == "":
		return here
	case Certain(here):
		t = here
	case sure && (alike || near):
		t = here
		t.Rival = differ
	case alike && want == "":
		here.Margin, here.Rival = shortSure, here.Rival || !near
		return here
	default:
		t.Rival = differ && near && !here.Rival
	}
	if differ {
		t.Margin = min(t.Margin, shortSure)
	}
	return t
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

// sound reports whether two texts sound the same, however they are parted into words.
func sound(a, b string) bool {
	x, y := phones(a), phones(b)
	most := max(len(x), len(y)) * (100 - same) / 100
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
