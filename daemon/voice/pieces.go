package voice

import (
	"iter"
	"strings"
)

// maxPiece is the longest text that an engine gets at once, in bytes: half a minute of speech.
// Engines refuse more than a minute.
const maxPiece = 400

// Pieces cuts a complete text into the pieces that are spoken one by one: at the ends of
// sentences, so that the first sounds while the second is synthesised, and at a space where a
// sentence is too long.
func Pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text = strings.TrimSpace(text); text != ""; {
			n := PieceEnd(text)
			if !yield(strings.TrimSpace(text[:n])) {
				return
			}
			text = strings.TrimSpace(text[n:])
		}
	}
}

// PieceEnd is the length of the first piece of text.
func PieceEnd(text string) int {
	space := 0 // last one within maxPiece
	for i := 0; i < len(text); i++ {
		if i > maxPiece && space > 0 {
			return space
		}
		if text[i] != ' ' {
			continue
		}
		space = i
		if i > 0 && strings.IndexByte(".!?", text[i-1]) >= 0 {
			return i
		}
	}
	return len(text)
}
