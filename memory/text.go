package memory

import (
	"fmt"
	"strings"

	"hearthd/config/letters"
)

// fold is a name as it is compared: in small letters, with single spaces.
func fold(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// list writes ids for an IN clause.
func list(ids []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ","), "[]")
}

// cut shortens text to at most limit bytes of valid UTF-8.
func cut(text string, limit int) string {
	return letters.Cut(strings.ToValidUTF8(text, "�"), limit)
}
