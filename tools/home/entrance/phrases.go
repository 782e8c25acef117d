package entrance

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

// phrase is one entry of a list.
type phrase struct {
	words    []word
	language string
}

// word is one of a phrase: anything may stand before it or behind it where the file has a
// star.
type word struct {
	text       string
	begin, end bool
}

// phrases are a list. Most begin with a whole word, and are found by it.
type phrases struct {
	whole map[string][]*phrase
	part  []*phrase
}

func (l *phrases) add(p *phrase) {
	w := p.words[0]
	if w.begin || w.end {
		l.part = append(l.part, p)
		return
	}
	if l.whole == nil {
		l.whole = map[string][]*phrase{}
	}
	l.whole[w.text] = append(l.whole[w.text], p)
}

// at gives the phrase that stands at place i of a name, or nil.
func (l *phrases) at(name []token, i int) *phrase {
	stands := func(p *phrase) bool { return p.at(name, i) }
	for _, list := range [][]*phrase{l.whole[name[i].text], l.whole[name[i].plain], l.part} {
		if j := slices.IndexFunc(list, stands); j >= 0 {
			return list[j]
		}
	}
	return nil
}

func (l *phrases) in(name []token) bool {
	_, ok := l.search(name)
	return ok
}

// search gives the first of the phrases that stands in a name.
func (l *phrases) search(name []token) (Hit, bool) {
	for i := range name {
		if p := l.at(name, i); p != nil {
			var words []string
			for _, t := range name[i : i+len(p.words)] {
				words = append(words, t.text)
			}
			return Hit{Word: strings.Join(words, " "), Language: p.language}, true
		}
	}
	return Hit{}, false
}

func (p *phrase) at(name []token, i int) bool {
	if i+len(p.words) > len(name) {
		return false
	}
	for j := range p.words {
		if !p.words[j].fits(&name[i+j]) {
			return false
		}
	}
	return true
}

// fits reports whether a word of a name is w. An identifier has no accents, so those
// of the name may be missing in the data.
func (w *word) fits(t *token) bool {
	return w.is(t.text) || t.plain != t.text && w.is(t.plain)
}

func (w *word) is(s string) bool {
	switch {
	case w.begin && w.end:
		return strings.Contains(s, w.text)
	case w.begin:
		return strings.HasSuffix(s, w.text)
	case w.end:
		return strings.HasPrefix(s, w.text)
	}
	return s == w.text
}

// known are the lists of the files, which are read once.
var known = sync.OnceValue(func() *lists {
	l := &lists{}
	folder, err := files.ReadDir("words")
	if err != nil {
		panic(err) // it is part of the program
	}
	for _, f := range folder {
		text, err := files.ReadFile(path.Join("words", f.Name()))
		if err == nil {
			err = l.read(strings.TrimSuffix(f.Name(), ".txt"), string(text))
		}
		if err != nil {
			panic(err)
		}
	}
	return l
})

// read adds the words of a language. The line "head" says where it has the word for what
// a thing is: first, last or either.
func (l *lists) read(language, text string) error {
	into := map[string]*phrases{
		"place": &l.place, "opener": &l.opener, "lock": &l.lock, "key": &l.key, "open": &l.open, "home": &l.home,
		"shut": &l.shut, "thing": &l.thing, "tail": &l.tail, "and": &l.and, "harmless": &l.harmless,
	}
	head := "either"
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		key, value, _ := strings.Cut(line, ":")
		if key == "head" {
			head = strings.TrimSpace(value)
			continue
		}
		if into[key] == nil {
			return fmt.Errorf("read words of %s: there is no list %q", language, key)
		}
		for entry := range strings.SplitSeq(value, ",") {
			p := &phrase{language: language}
			for _, w := range strings.Fields(entry) {
				p.words = append(p.words, word{strings.Trim(w, "*"), strings.HasPrefix(w, "*"), strings.HasSuffix(w, "*")})
			}
			if len(p.words) == 0 || len(p.words) > maxPhrase {
				return fmt.Errorf("read words of %s: %s has an entry of %d words", language, key, len(p.words))
			}
			into[key].add(p)
			if key == "thing" && head != "last" {
				l.first.add(p)
			}
			if key == "thing" && head != "first" {
				l.last.add(p)
			}
		}
	}
	return nil
}
