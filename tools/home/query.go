package home

import (
	"slices"
	"strings"
)

// query is what a person said to name devices.
type query struct {
	words  [][]string // each with the words that it may be
	area   [][]string
	near   []string // the room of the box: what is there goes first
	plural bool     // the last word is
	many   bool     // every one that fits is meant
	every  bool     // and it was said so: no name takes all for itself, and no room
	one    bool     // one or some of those that fit are meant

	onlyPlace bool // the words are those of a place, and of nothing in it
}

// quantity reads from a name how many of it a question means: all doors, any light.
func quantity(name string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(strings.ToLower(name)), " ")
	if first == "both" {
		return "all"
	}
	return quantities[first]
}

// ask makes the query of a name, a place and the room of the box.
func (h *house) ask(name, area, room string) query {
	q := query{area: h.heard(tokens(area)), near: singulars(tokens(room))}
	var words []string
	said := tokens(name)
	if q.one = h.counts(said); q.one {
		said = said[1:]
	}
	for _, w := range said {
		known := quantities[w] != ""
		house := w == "house" && !h.calls(w, singular(said[len(said)-1])) // the house lights
		if q.many, q.every = q.many || known, q.every || quantities[w] == "all" || house; !known && !house {
			words = append(words, w)
		}
	}
	q.words = h.heard(words)
	if n := len(words); n > 0 && plural(words[n-1]) {
		q.plural = true
		q.many = q.many || kindWord[singular(words[n-1])] || isCoverWord(singular(words[n-1]))
	}
	q.onlyPlace = len(q.words)+len(q.area) > 0 && h.isPlace(&q)
	return q
}

// counts reports whether a name begins with how many of a kind are meant: "two lights" is not
// light 2.
func (h *house) counts(said []string) bool {
	n := len(said)
	return n > 1 && isNumber(said[0]) && plural(said[n-1]) && kindWord[singular(said[n-1])] && !h.words[said[0]+said[1]] &&
		!slices.ContainsFunc(h.things, func(t thing) bool {
			return slices.ContainsFunc(t.calls(), func(words []string) bool {
				return len(words) > 1 && words[0] == said[0] && words[1] == singular(said[1])
			})
		})
}

// calls reports whether anything goes by both words.
func (h *house) calls(w, kind string) bool {
	return slices.ContainsFunc(h.things, func(t thing) bool {
		return slices.Contains(t.words, w) && (slices.Contains(t.words, kind) || slices.Contains(t.kinds, kind))
	})
}

// isPlace reports whether the words of a query are those of a place that was said whole.
func (h *house) isPlace(q *query) bool {
	return slices.ContainsFunc(h.things, func(t thing) bool {
		return !slices.ContainsFunc(q.words, func(w []string) bool { return !t.isAt(w) }) &&
			slices.ContainsFunc(t.places, func(p []string) bool { all, _ := q.said(p); return all })
	})
}

// nothing reports whether a person named nothing.
func (q *query) nothing() bool { return len(q.words) == 0 && len(q.area) == 0 && !q.many }

// head says what the last word may be: the word for the thing.
func (q *query) head() []string {
	if len(q.words) == 0 {
		return nil
	}
	return q.words[len(q.words)-1]
}

// maxParts bounds the devices and areas that are named one by one.
const maxParts = 8

// joining stands between them.
var joining = func() *strings.Replacer {
	pairs := []string{"&", ","}
	for _, w := range lexicon["words"]["joining"] {
		pairs = append(pairs, " "+w+" ", ",")
	}
	return strings.NewReplacer(pairs...)
}()

// enumerated cuts "kitchen, hall and bedroom" into its parts; one part is none.
func enumerated(s string) []string {
	var parts []string
	for _, p := range strings.Split(joining.Replace(strings.ToLower(s)), ",") {
		if p = strings.TrimSpace(p); p != "" {
			parts = append(parts, p)
		}
	}
	if len(parts) < 2 || len(parts) > maxParts {
		return nil
	}
	return parts
}

// place is what an area of a call says.
type place int

const (
	named      place = iota // a room or a floor, or none
	here                    // the room of the box
	inHouse                 // the house
	everywhere              // each room of it
)

func placeOf(area string) place {
	said := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(area)), "in ")
	switch said {
	case "here", "over here", "in here", "this room", "the room", "room":
		return here
	case "everywhere", "all rooms", "every room":
		return everywhere
	}
	switch strings.TrimPrefix(strings.TrimPrefix(said, "the "), "whole ") {
	case "house", "home", "at home", "apartment", "flat":
		return inHouse
	}
	return named
}

// inArea says where, behind what is there.
func inArea(area string) string {
	area = strings.TrimPrefix(Clean(area), "the ")
	switch at := placeOf(area); {
	case area == "" || at == inHouse || at == everywhere:
		return ""
	case at == here:
		return " here"
	case slices.Contains([]string{"upstairs", "downstairs", "outside", "outdoors"}, area):
		return " " + area
	}
	return " in " + article(strings.ToLower(area))
}
