package thinker

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	listMark = regexp.MustCompile(`^(?:(?:[-*+•–]|#{1,6}|>) )+`)
	link     = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	bareURL  = regexp.MustCompile(`(?:https?://|www\.)\S*[^\s.,;:!?)]`)
	citation = regexp.MustCompile(`\[\d+\]`)
	htmlTag  = regexp.MustCompile(`</?[a-zA-Z][^<>]*>`)
	lonely   = regexp.MustCompile(` +([.,!?;:]+)( |$)`) // punctuation whose word was removed
)

// unlist drops what marks a line as part of a list, a heading or a quotation.
// The numbers of a list stay: they may be the answer, and steps have them.
func unlist(line []byte) []byte { return line[len(listMark.Find(line)):] }

// speakable cleans a sentence of the markdown that a model adds, of links, abbreviations and emoji.
// It is "" if no letter and no digit is left.
func (w *writing) speakable(s string) string {
	s = strings.ToValidUTF8(s, "")
	s = link.ReplaceAllString(s, "$1")
	s = bareURL.ReplaceAllString(s, w.link())
	s = citation.ReplaceAllString(s, "")
	s = htmlTag.ReplaceAllString(s, " ")
	s = unmark(s)
	s = strings.Join(strings.Fields(s), " ")
	s = w.spelled(lonely.ReplaceAllString(s, "$1$2"))
	if strings.IndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
		return ""
	}
	return s
}

// unmark drops the runes that only mean something to the eye.
func unmark(s string) string {
	var b strings.Builder
	prev := ' '
	for i, r := range s {
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		switch {
		case r == '`', r == '\\', pictogram(r), unseen(r):
		case r == '*' && !(unicode.IsDigit(prev) && unicode.IsDigit(next)) && !(prev == ' ' && next == ' '):
		case r == '~' && (prev == '~' || next == '~'):
		case r == '_' && !(word(prev) && word(next)):
		case r == '_', r == '|', unicode.IsControl(r):
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
		prev = r
	}
	return b.String()
}

// unseen reports whether r is a character that only controls how others are displayed. One of them
// separates letters that other languages write apart.
func unseen(r rune) bool {
	const nonJoiner = '\u200c'
	return unicode.Is(unicode.Cf, r) && r != nonJoiner
}

func word(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// pictogram reports whether r is an emoji or a part of one. The degree sign is a
// symbol too, and is spoken.
func pictogram(r rune) bool {
	const joiner, emojiStyle, keycap = '\u200d', '\ufe0f', '\u20e3'
	switch {
	case r == '°':
		return false
	case r == joiner, r == emojiStyle, r == keycap, r >= 0x1f000 && r <= 0x1faff:
		return true
	}
	return unicode.Is(unicode.So, r)
}

// closed ends a line that has no punctuation, such as an item of a list, so that the voice drops
// and pauses.
func closed(s string) string {
	if r, _ := utf8.DecodeLastRuneInString(s); word(r) {
		return s + "."
	}
	return s
}
