package home

import (
	"maps"
	"slices"
	"strings"

	"hearthd/tools/home/entrance"
)

var (
	// hangs are the classes of what hangs at a window: what people call blinds, where no device has
	// the class that they named.
	hangs = []string{"blind", "shade", "shutter"}
	// soft are the classes that "the covers" means. The others let in people, or rain.
	soft = append([]string{"curtain", "awning"}, hangs...)
	// classOrder is the order in which the name of a cover without a class is searched:
	// a garage blind may be the garage's door, and a window blind is a blind.
	classOrder = []string{"garage", "gate", "curtain", "blind", "shade", "shutter", "awning", "damper", "door", "window"}
	// doors are the classes of what closes the house: a person who asks for them means all of it.
	doors = []string{"door", "garage", "garage_door", "gate", "lock"}
)

// classes is the section of the words for the classes of a kind by which its devices are called, and the order in
// which the name of one without a class is searched.
func (k Kind) classes() (section string, order []string) {
	switch k {
	case Cover:
		return "cover", classOrder
	case MediaPlayer:
		return "player", []string{"tv", "speaker", "receiver"}
	}
	return "", nil
}

// SaidClass is the class of a device. A cover or a player without one is what its name says, a cover otherwise a blind,
// unless it opens a way into the house.
func (e *Entity) SaidClass() string {
	section, order := e.Kind.classes()
	if _, known := lexicon[section][e.Class]; section == "" || known {
		return e.Class
	}
	name := Tokens(e.Full())
	for _, class := range order {
		words := lexicon["called"][class]
		if words == nil {
			words = lexicon[section][class]
		}
		if Mentions(name, words) {
			return class
		}
	}
	if e.Kind != Cover {
		return ""
	}
	if Mentions(name, lexicon["words"]["notblind"]) {
		return ""
	}
	if _, way := entrance.In(e.Full()); way { // in whatever language
		return "door"
	}
	return "blind"
}

// CalledBy are the words for the kind and the class of a device; like are further words, which
// count where no other device has them.
func (e *Entity) CalledBy() (words, like []string) {
	name := Tokens(e.Full() + " " + strings.Join(e.Aliases, " "))
	switch class := e.SaidClass(); {
	case e.Kind == Cover:
		words = lexicon["cover"][class]
		if slices.Contains(soft, class) {
			words = slices.Concat(words, Cover.Words())
		}
		if slices.Contains(hangs, class) {
			for _, other := range hangs {
				like = append(like, lexicon["cover"][other]...)
			}
		}
	case e.Kind == MediaPlayer:
		words = slices.Concat(e.Kind.Words(), lexicon["player"][class])
		if class == "" {
			like = slices.Concat(slices.Collect(maps.Values(lexicon["player"]))...)
		}
	case e.Kind == Switch: // it is what it switches
		words = slices.Concat(Switch.Words(), classWords[class])
		for _, kind := range []Kind{Light, Fan} {
			if Mentions(name, kind.Words()) {
				words = append(words, kind.Words()...)
			}
		}
	case class == "opening" && Mentions(name, lexicon["cover"]["window"]) != Mentions(name, lexicon["cover"]["door"]):
		words = slices.Clone(e.Kind.Words()) // its name says which of both it is
		for _, w := range classWords[class] {
			if Mentions(name, []string{w}) {
				words = append(words, w)
			}
		}
	default:
		words = slices.Concat(e.Kind.Words(), classWords[class])
	}
	return words, like
}

// IsDoor reports whether a device closes the house.
func (e *Entity) IsDoor() bool { return e.Kind == Lock || slices.Contains(doors, e.SaidClass()) }

// Full is what the device is called, with the device that it is part of.
func (e *Entity) Full() string { return strings.TrimSpace(e.Device + " " + e.Name) }
