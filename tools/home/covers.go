package home

import (
	"slices"
	"strings"

	"hearthd/tools/home/entrance"
)

// coverWords are what the classes of covers are called. The class decides which of them
// is meant: whoever speaks of the blinds does not mean the garage.
var coverWords = map[string][]string{
	"blind": {"blind"}, "shade": {"shade"}, "shutter": {"shutter"}, "curtain": {"curtain", "drape"},
	"awning": {"awning"}, "garage": {"garage", "door"}, "gate": {"gate"}, "door": {"door"},
	"window": {"window", "skylight", "velux"}, "damper": {"damper"},
}

// hangs are the classes that hang at a window: what people call blinds, where nothing
// is of the class that they named.
var hangs = []string{"blind", "shade", "shutter"}

// soft are the classes that "the covers" are. The others let in people, or rain.
var soft = append([]string{"curtain", "awning"}, hangs...)

// notBlinds are words in the name of a cover that tells no class, by which it is no blind.
var notBlinds = []string{
	"pool", "tub", "spa", "roof", "hatch", "vent", "flap", "lid", "lift", "desk", "bed", "projector", "screen", "barrier", "bollard",
}

func isCoverWord(w string) bool {
	for _, ws := range coverWords {
		if slices.Contains(ws, w) {
			return true
		}
	}
	return false
}

// coverClass is the class of a cover. One that tells none is what its name says, and
// otherwise a blind, unless it opens a way into the house.
func (e *Entity) coverClass() string {
	if _, ok := coverWords[e.Class]; ok {
		return e.Class
	}
	full := e.Device + " " + e.Name
	name := tokens(full)
	// A garage blind may be its door, and a window blind is a blind.
	for _, class := range []string{
		"garage", "gate", "curtain", "blind", "shade", "shutter", "awning", "damper", "door", "window",
	} {
		if mentions(name, coverWords[class]) && (class != "garage" || mentions(name, []string{class})) {
			return class
		}
	}
	if mentions(name, notBlinds) {
		return ""
	}
	if _, way := entrance.In(full); way { // in whatever language
		return "door"
	}
	return "blind"
}

// coverCalledBy are the words for the class of a cover.
func (e *Entity) coverCalledBy() []string {
	class := e.coverClass()
	words := slices.Clone(coverWords[class])
	if slices.Contains(soft, class) {
		words = append(words, kindWords[Cover]...)
	}
	if slices.Contains(hangs, class) {
		words = append(words, hangs...)
	}
	return words
}

// narrowWords name some covers of a class: who says skylight means no other window, where
// anything is called so.
var narrowWords = []string{"skylight", "velux"}

// narrow keeps what a narrow word names.
func (q query) narrow(found []Entity) []Entity {
	i := slices.IndexFunc(q.words, func(w string) bool { return slices.Contains(narrowWords, singular(w)) })
	if i < 0 {
		return found
	}
	so := func(e Entity) bool {
		return mentions(q.memo.tokens(strings.Join(append([]string{e.Device, e.Name}, e.Aliases...), " ")), []string{singular(q.words[i])})
	}
	if !slices.ContainsFunc(found, so) {
		return found
	}
	return slices.DeleteFunc(found, func(e Entity) bool { return !so(e) })
}

// fit is how the class of a cover fits what was said.
type fit int

const (
	other   fit = iota // it is another
	related            // one that hangs at a window like it
	same
)

// coverFits says how the class of a cover fits the words for covers that were said.
func (q query) coverFits(e *Entity) fit {
	class, best, named := e.coverClass(), other, false
	for _, w := range q.words {
		w = singular(w)
		switch {
		case slices.Contains(kindWords[Cover], w):
			named = true
			if slices.Contains(soft, class) {
				best = same
			}
		case isCoverWord(w):
			named = true
			if slices.Contains(coverWords[class], w) {
				best = same
			} else if slices.Contains(hangs, class) && slices.Contains(hangs, w) {
				best = max(best, related)
			}
		}
	}
	name := q.memo.tokens(e.Name)
	if len(name) == 0 {
		name = q.memo.tokens(e.Device)
	}
	if !named || best == other && slices.Equal(name, q.words) { // it is called so, whatever it is
		return same
	}
	return best
}

// ofClass leaves out the covers that are only related where some are just what was said.
func (q query) ofClass(found []Entity) []Entity {
	exact := func(e Entity) bool { return e.Kind == Cover && q.coverFits(&e) == same }
	if len(q.words) == 0 || !slices.ContainsFunc(found, exact) {
		return found
	}
	return slices.DeleteFunc(found, func(e Entity) bool { return e.Kind == Cover && !exact(e) })
}
