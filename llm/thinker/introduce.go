package thinker

import (
	"regexp"
	"strings"
	"unicode"
)

// introductions are sentences with which people say their name. "I'm …" is not among them: "I'm
// fine" is no name.
var introductions = regexp.MustCompile(
	`(?i)^(?:(?:hi|hello|hey)[, ]+)?` +
		`(?:my name is|my name's|call me|you can call me|please call me|people call me)\s+(.+?)[.!]*$`)

// notNames are what follows "call me" without being a name.
var notNames = []string{"back", "later", "when", "if", "a", "an", "the", "at", "in", "tomorrow", "today", "not",
	"on", "please", "crazy", "maybe", "anything"}

// Introduced returns the name by which somebody has introduced themselves, understood without a
// model.
func Introduced(text string) (name string, ok bool) {
	m := introductions.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return "", false
	}
	words := strings.Fields(strings.TrimSuffix(m[1], " please"))
	if len(words) == 0 || len(words) > 3 {
		return "", false
	}
	for _, no := range notNames {
		if strings.EqualFold(words[0], no) {
			return "", false
		}
	}
	for i, w := range words {
		w = strings.Trim(w, ",;:")
		if w == "" || len(w) > 40 || strings.IndexFunc(w, func(r rune) bool {
			return !unicode.IsLetter(r) && r != '-' && r != '\''
		}) >= 0 {
			return "", false
		}
		r := []rune(w)
		words[i] = string(unicode.ToUpper(r[0])) + string(r[1:])
	}
	return strings.Join(words, " "), true
}
