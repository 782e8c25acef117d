package home

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hearthd/language"
)

// lexicon are the words of all languages, by section and key. The first word of a key is the one
// that is said.
var lexicon = func() map[string]map[string][]string {
	all := map[string]map[string][]string{}
	for head, list := range language.Words("home.txt") {
		section, key, _ := strings.Cut(head, " ")
		if all[section] == nil {
			all[section] = map[string][]string{}
		}
		all[section][key] = list
	}
	return all
}()

var (
	// classWords are what the classes of sensors are called, and what they measure.
	classWords = lexicon["class"]
	// onWords and offWords say what on and off of a binary sensor mean, by class
	// (developers.home-assistant.io, binary sensor): first as it is said, then as it may be asked.
	onWords, offWords = lexicon["on"], lexicon["off"]
	// amounts are words for a percentage of what is possible, whites names of white light, in
	// kelvin, as lamp makers use them, and digits numbers.
	amounts, whites, digits = numbers("amount"), numbers("white"), numbers("digit")
	// ordinals are the places of what a question names; -1 is the last.
	ordinals = numbers("ordinal")
	// quantities say how many are meant: every one in the house, and others.
	quantities, placeWord, storeyWord = keys("which"), keys("place"), keys("storey")
	// fillers name nothing, pronouns refer to what was spoken of before, and plain words
	// distinguish the devices of a person who has two of a kind.
	fillers, pronouns, plainWords = lexicon["words"]["filler"], lexicon["words"]["pronoun"], lexicon["words"]["plain"]
	// particles are fillers that turn a noun into an order: "switch on", "Licht an".
	particles = lexicon["words"]["particle"]
	// ends are the endings of compounds of two words; forms are how words are compared, by how they are
	// said; a form of several keys is a plural.
	ends, plurals = lexicon["words"]["ends"], keys("many")
	same          = keys("same")
	forms         = func() map[string]string {
		all := keys("one")
		maps.Copy(all, plurals)
		return all
	}()
	// coverWord are all words for classes of covers, kindWord these and those for kinds, but not the
	// garage, which is a room too.
	coverWord = keys("cover")
	kindWord  = func() map[string]bool {
		all := map[string]bool{}
		for _, words := range []map[string]string{keys("kind"), keys("player"), coverWord} {
			for w := range words {
				all[w] = w != "garage"
			}
		}
		return all
	}()
)

// IsCoverWord reports whether a word is for a class of covers.
func IsCoverWord(w string) bool { return coverWord[w] != "" }

// keys are those of a section, by their words.
func keys(section string) map[string]string {
	out := map[string]string{}
	for key, list := range lexicon[section] {
		for _, w := range list {
			out[w] = key
		}
	}
	return out
}

// numbers are the words of a section whose keys are numbers.
func numbers(section string) map[string]float64 {
	out := map[string]float64{}
	for w, key := range keys(section) {
		f, err := strconv.ParseFloat(key, 64)
		if err != nil {
			panic(fmt.Sprintf("words of %s: %v", section, err)) // it is part of the program
		}
		out[w] = f
	}
	return out
}

// IsPronoun reports whether a name is one, or all of them.
func IsPronoun(name string) bool {
	words := strings.Fields(strings.ToLower(name))
	if n := len(words); n > 1 && quantities[words[0]] != "" && (n == 2 || words[1] == "of") {
		words = words[n-1:]
	}
	return len(words) == 1 && slices.Contains(pronouns, words[0])
}

func isFiller(w string) bool { return slices.Contains(fillers, w) }

// Quantity reads from a name how many of something a question means: all doors, any light.
func Quantity(name string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(strings.ToLower(name)), " ")
	if first == "both" {
		return "all"
	}
	return quantities[first]
}

// Place is what an area of a call says.
type Place int

// The places.
const (
	Named      Place = iota // a room or a floor, or none
	Here                    // the room of the box
	InHouse                 // the house
	Everywhere              // each room of it
	There                   // the room that was spoken of last
)

// Words are those of a key of a section.
func Words(section, key string) []string { return lexicon[section][key] }
