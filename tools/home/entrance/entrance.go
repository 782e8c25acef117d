// Package entrance tells by its words whether a name speaks of a way into the house:
// of doors, gates, locks, garages and what opens them. The words are data, one file
// per language in the folder words, and all languages hold at once: a house may be
// named in any of them.
//
// It runs no goroutine and keeps no state. It must not import other packages of
// hearthd.
package entrance

import (
	"cmp"
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed words
var files embed.FS

// language is one file of words. Each of its lines is a list.
type language struct {
	name string
	// first and last say where a name has the word for what the thing is: the lamp of
	// "garage lamp" and of "lampe du garage".
	first, last bool

	place    []pattern // doors, gates, garages
	opener   []pattern // what lets in when it is pressed or switched on, and the verbs that can mean nothing else
	lock     []pattern // of which nobody knows which way it goes when it is switched
	key      []pattern
	open     []pattern // verbs, which may be about blinds too
	home     []pattern // together with open: "open the house"
	shut     []pattern // what is harmless
	thing    []pattern // what is no way in, though it may be at one: a lamp
	tail     []pattern // may stand behind or before the word for the thing
	and      []pattern
	harmless []pattern // phrases that are passed over: a child lock
}

// pattern is a phrase of which each word may begin or end anyhow.
type pattern []word

type word struct {
	text       string
	begin, end bool // anything may stand before, or behind
}

// Hit is the word by which a name was found to speak of a way in.
type Hit struct {
	Word     string
	Language string // of the file
	// Opens says that it is a word for what opens when it is switched on, and for
	// nothing else.
	Opens bool
}

// languages are read once.
var languages = sync.OnceValue(func() []language {
	list, err := files.ReadDir("words")
	if err != nil {
		panic(err) // it is part of the program
	}
	var all []language
	for _, f := range list {
		text, err := files.ReadFile(path.Join("words", f.Name()))
		if err != nil {
			panic(err)
		}
		l, err := parse(strings.TrimSuffix(f.Name(), ".txt"), string(text))
		if err != nil {
			panic(err)
		}
		all = append(all, l)
	}
	return all
})

func parse(name, text string) (language, error) {
	l := language{name: name}
	lists := map[string]*[]pattern{
		"place": &l.place, "opener": &l.opener, "lock": &l.lock, "key": &l.key, "open": &l.open, "home": &l.home,
		"shut": &l.shut, "thing": &l.thing, "tail": &l.tail, "and": &l.and, "harmless": &l.harmless,
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		key, value, _ := strings.Cut(line, ":")
		if key == "head" {
			value = strings.TrimSpace(value)
			l.first, l.last = value != "last", value != "first"
			continue
		}
		into := lists[key]
		if into == nil {
			return l, fmt.Errorf("read words of %s: there is no list %q", name, key)
		}
		for p := range strings.SplitSeq(value, ",") {
			*into = append(*into, newPattern(p))
		}
	}
	return l, nil
}

func newPattern(s string) pattern {
	var p pattern
	for _, w := range strings.Fields(s) {
		p = append(p, word{text: strings.Trim(w, "*"), begin: strings.HasPrefix(w, "*"), end: strings.HasSuffix(w, "*")})
	}
	return p
}

// fits reports whether a word of a name is w. An identifier has no accents, so those
// of the name may be missing in the data.
func (w *word) fits(t token) bool {
	for _, s := range []string{t.text, t.plain} {
		switch {
		case w.begin && w.end:
			if strings.Contains(s, w.text) {
				return true
			}
		case w.begin && strings.HasSuffix(s, w.text), w.end && strings.HasPrefix(s, w.text), s == w.text:
			return true
		}
	}
	return false
}

// at reports whether the phrase stands at place i of a name.
func (p pattern) at(name []token, i int) bool {
	if i+len(p) > len(name) {
		return false
	}
	for j := range p {
		if !p[j].fits(name[i+j]) {
			return false
		}
	}
	return true
}

// find gives the first place of a name at which one of the phrases stands, and how many
// words it has; n is 0 when there is none.
func find(name []token, phrases []pattern) (i, n int) {
	for i := range name {
		for _, p := range phrases {
			if p.at(name, i) {
				return i, len(p)
			}
		}
	}
	return 0, 0
}

func has(name []token, phrases []pattern) bool {
	_, n := find(name, phrases)
	return n > 0
}

// without is a name less the phrases that are harmless in any language.
func without(name []token) []token {
	for _, l := range languages() {
		for {
			i, n := find(name, l.harmless)
			if n == 0 {
				break
			}
			name = slices.Concat(name[:i], name[i+n:])
		}
	}
	return name
}

// isThing reports whether a name says that the thing is a lamp or another that lets
// nobody in, wherever it stands.
func isThing(name []token) bool {
	if opens(name) || joins(name) {
		return false
	}
	for _, l := range languages() {
		rest := name
		for len(rest) > 1 && l.last && trailing(rest[len(rest)-1], l.tail) {
			rest = rest[:len(rest)-1]
		}
		if l.last && heads(rest, len(rest)-1, l.thing) {
			return true
		}
		for rest = name; len(rest) > 1 && l.first && trailing(rest[0], l.tail); {
			rest = rest[1:]
		}
		if l.first && heads(rest, 0, l.thing) {
			return true
		}
	}
	return false
}

func heads(name []token, i int, things []pattern) bool {
	return len(name) > 0 && slices.ContainsFunc(things, func(p pattern) bool { return p.at(name, i) })
}

// trailing reports whether a word of a name says nothing of what the thing is.
func trailing(t token, tail []pattern) bool {
	return t.number || slices.ContainsFunc(tail, func(p pattern) bool { return p.at([]token{t}, 0) })
}

func opens(name []token) bool {
	return slices.ContainsFunc(languages(), func(l language) bool { return has(name, l.open) || has(name, l.opener) })
}

// joins reports whether a name speaks of two things. The word for that stands between
// them: the A of "lamp A" is none.
func joins(name []token) bool {
	if len(name) < 3 {
		return false
	}
	return slices.ContainsFunc(languages(), func(l language) bool { return has(name[1:len(name)-1], l.and) })
}

// In looks for a way into the house in what a thing is called.
func In(name string) (Hit, bool) {
	all := without(tokens(name))
	if hit, ok := search(all, func(l *language) []pattern { return l.opener }); ok {
		hit.Opens = true
		return hit, true
	}
	if isThing(all) {
		return Hit{}, false
	}
	for _, list := range []func(*language) []pattern{
		func(l *language) []pattern { return l.lock },
		func(l *language) []pattern { return l.key },
		func(l *language) []pattern { return l.place },
	} {
		if hit, ok := search(all, list); ok {
			return hit, true
		}
	}
	return openHome(all)
}

// openHome finds "open the house", which names no door.
func openHome(name []token) (Hit, bool) {
	for _, l := range languages() {
		if has(name, l.thing) || !has(name, l.open) {
			continue
		}
		if i, n := find(name, l.home); n > 0 {
			return Hit{Word: name[i].text, Language: l.name}, true
		}
	}
	return Hit{}, false
}

// search gives the hit of the language that has most to say of a name: which one it is
// matters to nobody but whoever reads why.
func search(name []token, list func(*language) []pattern) (Hit, bool) {
	var hits []Hit
	for _, l := range languages() {
		if i, n := find(name, list(&l)); n > 0 {
			var words []string
			for _, t := range name[i : i+n] {
				words = append(words, t.text)
			}
			hits = append(hits, Hit{Word: strings.Join(words, " "), Language: l.name})
		}
	}
	if len(hits) == 0 {
		return Hit{}, false
	}
	return slices.MaxFunc(hits, func(a, b Hit) int { return cmp.Compare(len(a.Word), len(b.Word)) }), true
}

// Thing reports whether a name is that of a lamp, or of another thing that lets nobody
// in wherever it stands.
func Thing(name string) bool { return isThing(without(tokens(name))) }

// Shuts reports whether a name speaks of closing or locking, and of nothing that opens.
func Shuts(name string) bool {
	all := without(tokens(name))
	return !opens(all) && slices.ContainsFunc(languages(), func(l language) bool { return has(all, l.shut) })
}

// Asked reports whether a whole sentence may ask to open a way into the house. A
// sentence about a lamp that is at one does not, unless it speaks of opening too.
func Asked(sentence string) bool {
	all := without(tokens(sentence))
	if _, ok := search(all, func(l *language) []pattern { return l.opener }); ok {
		return true
	}
	if Shuts(sentence) {
		return false
	}
	lamp := slices.ContainsFunc(languages(), func(l language) bool { return has(all, l.thing) })
	if lamp && !opens(all) && !joins(all) {
		return false
	}
	_, ok := In(sentence)
	return ok
}
