package thinker

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxSentence bounds a piece of speech, in bytes: 15 s at 15 letters/s.
	maxSentence = 220
	// lookahead is how many bytes decide whether something before them is an end: the longest
	// opener of a block, and some more.
	lookahead = 16
)

// splitter cuts streamed text into pieces that can be spoken: whole sentences, or clauses of one
// that is longer than maxSentence. It leaves out what is not for the ear: code blocks, JSON, the
// thoughts of a model. The pieces do not depend on how the text comes in chunks. The zero value is
// ready, for English.
type splitter struct {
	buf   []byte // text that is not cut yet; runs of white space are one byte
	last  byte   // last byte that was appended to buf
	mid   bool   // buf does not begin a line
	block block  // what is being left out

	writing *writing // nil: english
}

// sentences are the pieces of a whole text.
func (w *writing) sentences(text string) []string {
	s := splitter{writing: w}
	return append(s.add(text), s.rest()...)
}

// add takes the next chunk and returns the sentences that are now complete. A
// sentence is complete when it is clear from the next word that it ended.
func (s *splitter) add(chunk string) []string {
	for i := range len(chunk) {
		s.push(chunk[i])
	}
	return s.take(false)
}

// rest says that the text has ended and returns what is left of it.
func (s *splitter) rest() []string {
	out := s.take(true)
	*s = splitter{writing: s.writing}
	return out
}

// language is how the text is written.
func (s *splitter) language() *writing {
	if s.writing == nil {
		return english
	}
	return s.writing
}

func (s *splitter) push(c byte) {
	switch c {
	case ' ', '\t', '\r':
		if c = ' '; s.last == ' ' || s.last == '\n' {
			return
		}
	case '\n':
		if s.last == '\n' {
			return
		}
		if n := len(s.buf); s.last == ' ' && n > 0 {
			s.buf = s.buf[:n-1]
		}
	}
	s.buf, s.last = append(s.buf, c), c
}

// take cuts all that can be cut off the front of buf.
func (s *splitter) take(final bool) []string {
	var out []string
	for {
		if s.block.kind != none {
			n := s.block.skip(s.buf)
			s.buf = s.buf[n:]
			if s.block.kind != none {
				return out
			}
		}
		s.trim()
		n, next, ok := s.cut(final)
		if !ok {
			return out
		}
		piece := s.buf[:n]
		if !s.mid {
			piece = unlist(piece)
		}
		if t := s.language().speakable(string(piece)); t != "" {
			if endsLine(s.buf, n) {
				t = closed(t)
			}
			out = append(out, t)
		}
		s.mid = !endsLine(s.buf, n)
		s.buf = s.buf[n:]
		if next != none {
			s.block = block{kind: next}
			s.buf = s.buf[len(openers[next]):]
		}
	}
}

// trim drops white space from the front of buf.
func (s *splitter) trim() {
	for len(s.buf) > 0 && (s.buf[0] == ' ' || s.buf[0] == '\n') {
		if s.buf[0] == '\n' {
			s.mid = false
		}
		s.buf = s.buf[1:]
	}
}

// cut finds how much of buf is the next piece, and which block begins after it. It decides from the
// bytes alone, never from how many there are so far: where more could change the decision, ok is
// false.
func (s *splitter) cut(final bool) (n int, next blockKind, ok bool) {
	limit := min(len(s.buf), maxSentence)
	for i := 0; i < limit; {
		kind, sure := opens(s.buf[i:], final)
		switch {
		case !sure:
			return 0, none, false
		case kind != none:
			return i, kind, true
		}
		end, verdict := s.endAt(i, limit, final)
		switch verdict {
		case isEnd:
			return end, none, true
		case unclear:
			return 0, none, false
		}
		i = end
	}
	switch {
	case len(s.buf) >= maxSentence+lookahead, final && len(s.buf) > maxSentence:
		return clause(s.buf[:maxSentence]), none, true
	case final && len(s.buf) > 0:
		return len(s.buf), none, true
	}
	return 0, none, false
}

type verdict int

const (
	noEnd verdict = iota
	isEnd
	unclear
)

// endAt says whether the text ends a sentence at i, and where the search or the next sentence
// continues.
func (s *splitter) endAt(i, limit int, final bool) (int, verdict) {
	r, size := utf8.DecodeRune(s.buf[i:])
	if r == '\n' {
		return i + 1, s.follows(i, final, func(r rune) bool { return !unicode.IsLower(r) })
	}
	if !ends(r) {
		return i + size, noEnd
	}
	end := i + size
	for end < limit {
		if !final && !utf8.FullRune(s.buf[end:]) {
			return 0, unclear
		}
		r, size := utf8.DecodeRune(s.buf[end:])
		if !ends(r) && !closes(r) {
			break
		}
		end += size
	}
	switch {
	case end >= maxSentence:
		return min(end, len(s.buf)), isEnd
	case end >= len(s.buf):
		if final {
			return end, isEnd
		}
		return 0, unclear
	case r > unicode.MaxLatin1 && r != '…': // the stops of Chinese and Japanese
		return end, isEnd
	case s.buf[end] != ' ' && s.buf[end] != '\n':
		return end, noEnd
	}
	return end, s.follows(end, final, func(next rune) bool {
		return !unicode.IsLower(next) && !(r == '.' && s.abbreviates(i, next))
	})
}

// follows calls begins with the rune after the white space at i, to find out whether that begins a
// sentence.
func (s *splitter) follows(i int, final bool, begins func(rune) bool) verdict {
	rest := s.buf[i+1:]
	if !utf8.FullRune(rest) && !final {
		return unclear
	}
	if r, _ := utf8.DecodeRune(rest); len(rest) > 0 && !begins(r) {
		return noEnd
	}
	return isEnd
}

// abbreviates reports whether the dot at i belongs to the word before it, or to the number of a
// list item. A dot before lower case is no end anyway.
func (s *splitter) abbreviates(i int, next rune) bool {
	from := bytes.LastIndexAny(s.buf[:i], " \n(\"") + 1
	word := string(bytes.ToLower(s.buf[from:i]))
	if slices.Contains(s.language().dots, word) {
		return true
	}
	switch word {
	case "no":
		return unicode.IsDigit(next)
	case "i":
		return false
	}
	if len(word) == 1 && unicode.IsUpper(rune(s.buf[from])) { // an initial
		return true
	}
	figures := len(bytes.Trim([]byte(word), "0123456789")) == 0
	if before := bytes.Fields(s.buf[:from]); figures && len(before) > 0 && len(word) <= 3 &&
		s.language().ordinal(string(bytes.ToLower(before[len(before)-1]))) {
		return true
	}
	lineStart := !s.mid && from == 0 || from > 0 && s.buf[from-1] == '\n'
	return lineStart && len(word) <= 2 && figures
}

func ends(r rune) bool   { return strings.ContainsRune(".!?…。！？", r) }
func closes(r rune) bool { return strings.ContainsRune("\"')]*_”’»", r) }

// endsLine reports whether the piece that ends at n was ended by its line.
func endsLine(buf []byte, n int) bool { return n > 0 && buf[n-1] == '\n' }

// clause finds the best place to cut a text that is too long: after the last clause, otherwise
// after the last word, otherwise anywhere.
func clause(b []byte) int {
	for i := len(b) - 1; i > len(b)/3; i-- {
		if b[i] == ' ' && (b[i-1] == ',' || b[i-1] == ';' || b[i-1] == ':') {
			return i
		}
	}
	if i := bytes.LastIndexAny(b, " \n"); i > len(b)/3 {
		return i
	}
	n := len(b)
	for n > len(b)-utf8.UTFMax && !utf8.RuneStart(b[n-1]) {
		n--
	}
	return max(n-1, len(b)-utf8.UTFMax)
}
