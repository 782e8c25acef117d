package voice

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTextIsSpokenInSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"":                              nil,
		"Done.":                         {"Done."},
		"It is 3.5 cups.  Really? Yes!": {"It is 3.5 cups.", "Really?", "Yes!"},
		"no end":                        {"no end"},
		strings.Repeat("word ", 200): {strings.TrimSpace(strings.Repeat("word ", 80)),
			strings.TrimSpace(strings.Repeat("word ", 80)), strings.TrimSpace(strings.Repeat("word ", 40))},
		strings.Repeat("x", 2*maxPiece): {strings.Repeat("x", 2*maxPiece)},
		strings.Repeat("ä", maxPiece/2): {strings.Repeat("ä", maxPiece/2)},
	} {
		if diff := cmp.Diff(want, slices.Collect(Pieces(text))); diff != "" {
			t.Errorf("%.30q: %s", text, diff)
		}
	}
}
