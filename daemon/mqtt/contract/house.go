package contract

import (
	"slices"
	"strings"
)

// The levels below a house, which its boxes share.
const (
	Claim = "claim" // who heard the wake word, and who answers
	House = "house" // below result: what other boxes answer
	Boxes = "box"   // retained, one level below: that a box belongs to the house
)

// houses is the level above the name of a house. A box of that name has no such
// topics below.
const houses = "house"

// HouseTopic is a topic that the boxes of a house share.
func HouseTopic(prefix, house, level string) string {
	return prefix + "/" + houses + "/" + house + "/" + level
}

// HouseLead is how long after its arrival an announcement to the house begins, in
// milliseconds, unless it says otherwise: every box has made its first words by then.
const HouseLead = 1500

// MaxLead bounds what it may say.
const MaxLead = 10_000

// Names are those that d is called by: its own, its room's and its groups', as people
// say them.
func (d *Device) Names() []string {
	names := []string{Spoken(d.Node)}
	for _, n := range append([]string{d.Area}, d.Groups...) {
		if n = Spoken(n); n != "" {
			names = append(names, n)
		}
	}
	return names
}

// Called reports whether name means d. Case, and what stands between the words, do
// not matter.
func (d *Device) Called(name string) bool { return slices.Contains(d.Names(), Spoken(name)) }

// Among reports whether d is one of those that names mean; none means all.
func (d *Device) Among(names []string) bool {
	return len(names) == 0 || slices.ContainsFunc(names, d.Called)
}

// Spoken is a name as a person says it: "living-room" is "living room".
func Spoken(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' || r == ' ' }), " ")
}
