package home

import (
	"slices"
	"strings"

	"hearthd/tools/home/entrance"
)

var (
	// hangs are the classes that hang at a window: what people call blinds, where nothing
	// is of the class that they named.
	hangs = []string{"blind", "shade", "shutter"}
	// soft are the classes that "the covers" are. The others let in people, or rain.
	soft = append([]string{"curtain", "awning"}, hangs...)
	// classOrder is the order in which the name of a cover without a class is searched:
	// a garage blind may be the garage's door, and a window blind is a blind.
	classOrder = []string{"garage", "gate", "curtain", "blind", "shade", "shutter", "awning", "damper", "door", "window"}
	// notBlinds are words in the name of a cover that tells no class, by which it is no blind.
	notBlinds = lexicon["words"]["notblind"]
	// doors are the classes of what closes the house: who asks for them means all of it.
	doors = []string{"door", "garage", "garage_door", "gate", "lock"}
	// mass are words for light that is not counted: the light of a room is all of it.
	mass = lexicon["words"]["mass"]
	// byName are kinds that may be anything, by what they are called.
	byName = []Kind{Switch, Sensor, BinarySensor, Scene, Script, Button, Number, Select, Text, MediaPlayer}
)

// coverWord are all words for classes of covers, kindWord these and those for kinds.
var (
	coverWord = keys("cover")
	kindWord  = func() map[string]bool {
		all := map[string]bool{}
		for w := range keys("kind") {
			all[w] = true
		}
		for w := range coverWord {
			all[w] = w != "garage" // which is a room too
		}
		return all
	}()
)

func isCoverWord(w string) bool { return coverWord[w] != "" }

func mentions(words, any []string) bool {
	return has(any, singulars(words))
}

// class is what a device is of its kind. A cover that tells none is what its name says,
// and otherwise a blind, unless it opens a way into the house.
func (e *Entity) class() string {
	if _, known := coverWords[e.Class]; e.Kind != Cover || known {
		return e.Class
	}
	name := tokens(e.full())
	for _, class := range classOrder {
		words := coverWords[class]
		switch class {
		case "garage":
			words = []string{class}
		case "window":
			words = append([]string{"skylight", "velux"}, coverWords[class]...)
		}
		if mentions(name, words) {
			return class
		}
	}
	if mentions(name, notBlinds) {
		return ""
	}
	if _, way := entrance.In(e.full()); way { // in whatever language
		return "door"
	}
	return "blind"
}

// calledBy are the words for the kind and the class of a device; like are those that it goes
// by where nothing else is called so.
func (e *Entity) calledBy() (words, like []string) {
	name := tokens(e.full())
	switch class := e.class(); {
	case e.Kind == Cover:
		words = slices.Clone(coverWords[class])
		if slices.Contains(soft, class) {
			words = append(words, kindWords[Cover]...)
		}
		if slices.Contains(hangs, class) {
			like = hangs
		}
	case e.Kind == Switch: // it is what it switches
		words = slices.Concat(kindWords[Switch], classWords[class])
		aliases := tokens(strings.Join(e.Aliases, " "))
		for _, kind := range []Kind{Light, Fan} {
			if mentions(name, kindWords[kind]) || mentions(aliases, kindWords[kind]) {
				words = append(words, kindWords[kind]...)
			}
		}
	case class == "opening" && mentions(name, coverWords["window"]) != mentions(name, coverWords["door"]):
		words = slices.Clone(kindWords[e.Kind]) // its name says which of both it is
		for _, w := range classWords[class] {
			if mentions(name, []string{w}) {
				words = append(words, w)
			}
		}
	default:
		words = slices.Concat(kindWords[e.Kind], classWords[class])
	}
	return words, like
}

// isDoor reports whether a device is one of what closes the house.
func (e *Entity) isDoor() bool { return e.Kind == Lock || slices.Contains(doors, e.class()) }

// full is what the device is called, with the device that it is part of.
func (e *Entity) full() string { return strings.TrimSpace(e.Device + " " + e.Name) }
