package gguf

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The kinds of tokens, by llama.cpp's numbers.
const (
	kindNormal  = 1
	kindUnknown = 2
	kindControl = 3
	kindUser    = 4 // found in a text before anything else, wherever it stands
	kindByte    = 6
)

// token is one entry of a vocabulary of SentencePiece's kind.
type token struct {
	text  string
	score float32
	kind  int32
}

// word reports whether a rune belongs to a word.
func word(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '\'' }

// opens reports whether a word that ended before t is whole.
func (t token) opens() bool {
	if t.kind == kindByte {
		return !t.inWord()
	}
	r, _ := utf8.DecodeRuneInString(t.text)
	return t.kind == kindControl || !word(r)
}

// shuts reports whether a word that begins after t is whole.
func (t token) shuts() bool {
	if t.kind == kindByte {
		return !t.inWord()
	}
	r, _ := utf8.DecodeLastRuneInString(t.text)
	return t.kind == kindControl || !word(r)
}

// inWord reports whether a byte is a part of a letter or digit; those that are not
// ASCII are taken to be.
func (t token) inWord() bool {
	var b byte
	_, err := fmt.Sscanf(t.text, "<0x%02X>", &b)
	return err == nil && (b >= utf8.RuneSelf || word(rune(b)))
}

// category is one question that a model asks its prompt: which line, or which value
// of a slot.
type category struct {
	name   string
	values int
	words  map[int]int // token of the prompt -> value
	def    int         // of a prompt without any word; values: none
	emits  []int       // tokens of the values of a slot
}

// vocab is the vocabulary of a script, and what its words mean.
type vocab struct {
	tokens     []token
	ids        map[string]int
	categories []category // that of the lines first, then slots by name, then thinking
	slots      map[string]int
	bos, eos   int
}

func (v *vocab) add(text string, score float32, kind int32) int {
	if id, ok := v.ids[text]; ok {
		return id
	}
	v.ids[text] = len(v.tokens)
	v.tokens = append(v.tokens, token{text, score, kind})
	return len(v.tokens) - 1
}

// newVocab holds everything but the tokens of answers.
func newVocab(s Script) *vocab {
	v := &vocab{ids: map[string]int{}, slots: map[string]int{}}
	v.add("<unk>", 0, kindUnknown)
	v.bos, v.eos = v.add("<s>", 0, kindControl), v.add("</s>", 0, kindControl)
	for b := range 256 {
		v.add(fmt.Sprintf("<0x%02X>", b), 0, kindByte)
	}
	for _, m := range marks() {
		v.add(m, 0, kindControl)
	}
	lines := category{name: "line", values: len(s.Lines), words: map[int]int{}, def: len(s.Lines)}
	for k, l := range s.Lines {
		for _, t := range l.Triggers {
			v.means(&lines, t, k)
		}
	}
	v.categories = []category{lines}
	for _, kind := range slices.Sorted(maps.Keys(s.Slots)) {
		v.slots[kind] = len(v.categories)
		v.categories = append(v.categories, v.slot(kind, s.Slots[kind]))
	}
	direct := category{name: "thinking", values: 2, words: map[int]int{v.ids[markDirect]: 1}}
	v.categories = append(v.categories, direct)
	v.add("▁", -1, kindNormal)
	v.add("\n", -1, kindNormal)
	for c := '!'; c <= '~'; c++ {
		v.add(string(c), -1, kindNormal)
	}
	for i, p := range pieces(s.Corpus) {
		v.add(p, -2-float32(i)/10, kindNormal)
	}
	return v
}

func (v *vocab) slot(kind string, words map[string]string) category {
	c := category{name: kind, words: map[int]int{}}
	index := map[string]int{}
	for _, value := range slices.Sorted(maps.Values(words)) {
		if _, ok := index[value]; !ok {
			index[value] = len(c.emits)
			c.emits = append(c.emits, v.add(value, 0, kindUser))
		}
	}
	c.values, c.def = len(c.emits), len(c.emits)
	for _, w := range slices.Sorted(maps.Keys(words)) {
		v.means(&c, w, index[words[w]])
	}
	return c
}

// means makes a word of the prompt say a value. An exact word goes before one with a
// capital that it did not have.
func (v *vocab) means(c *category, w string, value int) {
	if w == "" {
		c.def = value
		return
	}
	c.words[v.add(w, 0, kindUser)] = value
	if r, n := utf8.DecodeRuneInString(w); unicode.IsLower(r) {
		id := v.add(string(unicode.ToUpper(r))+w[n:], 0, kindUser)
		if _, taken := c.words[id]; !taken {
			c.words[id] = value
		}
	}
}

// escape writes a text as SentencePiece keeps it.
func escape(s string) string { return strings.ReplaceAll(s, " ", "▁") }
