// Package entrance recognises by its words whether a name speaks of a way into the house: of doors,
// gates, locks, garages and what opens them. The words are data, one file per language in the
// folder words, and all languages hold at once: a house may be named in any of them.
//
// It runs no goroutine and keeps no state. It must not import other packages of hearthd.
package entrance

import (
	"embed"
	"slices"
)

//go:embed words
var files embed.FS

// lists are the words of all languages.
type lists struct {
	place    phrases // doors, gates, garages
	opener   phrases // what lets people in when it is pressed or switched on, and the verbs that can mean nothing else
	lock     phrases // things for which nobody knows which way they go when they are switched
	key      phrases
	open     phrases // verbs, which may be about blinds too
	home     phrases // together with open: "open the house"
	shut     phrases // what is harmless
	thing    phrases // what is no way in, though it may be at one: a lamp
	first    phrases // things, in languages that put the thing first: lampe du garage
	last     phrases // the same for languages that put it last: garage lamp
	tail     phrases // may stand behind or before the word for the thing
	and      phrases
	harmless phrases // are passed over: a child lock
}

// Hit is the word by which a name was found to speak of a way in.
type Hit struct {
	Word     string
	Language string // of the file
	// Opens says that the word means something that opens when it is switched on, and nothing else.
	Opens bool
}

// maxPhrase is the longest phrase of the files, in words.
const maxPhrase = 4

// without is a name without the phrases that are harmless.
func without(name []token) []token {
	for i := 0; i < len(name); i++ {
		if p := known().harmless.at(name, i); p != nil {
			name = slices.Concat(name[:i], name[i+len(p.words):])
			i = max(i-maxPhrase, 0) - 1 // words that were separate stand together now
		}
	}
	return name
}

// isThing reports whether a name says that the thing is a lamp or another that lets
// nobody in, wherever it stands.
func isThing(name []token) bool {
	w := known()
	if len(name) == 0 || opens(name) || joins(name) {
		return false
	}
	last := len(name) - 1
	for last > 0 && (name[last].number || w.tail.at(name, last) != nil) {
		last--
	}
	if w.last.at(name, last) != nil {
		return true
	}
	first := 0
	for first < len(name)-1 && (name[first].number || w.tail.at(name, first) != nil) {
		first++
	}
	return w.first.at(name, first) != nil
}

func opens(name []token) bool { return known().open.in(name) || known().opener.in(name) }

// joins reports whether a name speaks of two things. The word for that stands between
// them: the A of "lamp A" is none.
func joins(name []token) bool { return len(name) > 2 && known().and.in(name[1:len(name)-1]) }

// In looks for a way into the house in what a thing is called.
func In(name string) (Hit, bool) {
	w, all := known(), without(tokens(name))
	if hit, ok := w.opener.search(all); ok {
		hit.Opens = true
		return hit, true
	}
	if isThing(all) {
		return Hit{}, false
	}
	for _, list := range []*phrases{&w.lock, &w.key, &w.place} {
		if hit, ok := list.search(all); ok {
			return hit, true
		}
	}
	if w.open.in(all) && !w.thing.in(all) { // "open the house", which names no door
		return w.home.search(all)
	}
	return Hit{}, false
}

// Thing reports whether a name is that of a lamp, or of another thing that lets nobody
// in wherever it stands.
func Thing(name string) bool { return isThing(without(tokens(name))) }

// Shuts reports whether a name speaks of closing or locking, and of nothing that opens.
func Shuts(name string) bool {
	all := without(tokens(name))
	return !opens(all) && known().shut.in(all)
}

// Asked reports whether a whole sentence may ask to open a way into the house. A
// sentence about a lamp that is at one does not, unless it speaks of opening too.
func Asked(sentence string) bool {
	w, all := known(), without(tokens(sentence))
	switch {
	case w.opener.in(all):
		return true
	case Shuts(sentence), w.thing.in(all) && !opens(all) && !joins(all):
		return false
	}
	_, ok := In(sentence)
	return ok
}
