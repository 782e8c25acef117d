package contract

import (
	"slices"
	"strings"
)

// What a broker may be, beside an address.
const (
	Embedded = "embedded"
	NoBroker = "off"
	MDNS     = "mdns"     // the one that answers for _mqtt._tcp
	MDNSTLS  = "mdns-tls" // for _secure-mqtt._tcp
)

// The levels below a house, which its boxes share.
const (
	Claim = "claim" // which boxes heard the wake word, and which one answers
	House = "house" // below result: answers of other boxes
	Boxes = "box"   // retained, one level below for each box: it belongs to the house
)

// houses is the level above the name of a house. A box that is called so does not clash: its
// topics have other levels below.
const houses = "house"

// HouseTopic is a topic that the boxes of a house share.
func HouseTopic(prefix, house, level string) string {
	return prefix + "/" + houses + "/" + house + "/" + level
}

// HouseLead is how long after its arrival an announcement to the house begins, in
// milliseconds, unless it says otherwise. By then every box has synthesised the first words.
const HouseLead = 1500

// MaxLead bounds the lead that an announcement may ask for.
const MaxLead = 10_000

// Names are what people call d: by its own name, its room's or a group's.
func (d *Device) Names() []string {
	names := []string{Spoken(d.Node)}
	for _, n := range append([]string{d.Area}, d.Groups...) {
		if n = Spoken(n); n != "" {
			names = append(names, n)
		}
	}
	return names
}

// Called reports whether name means d. Case and hyphens do not matter.
func (d *Device) Called(name string) bool { return slices.Contains(d.Names(), Spoken(name)) }

// Among reports whether d is one of the boxes that names mean; no names mean all.
func (d *Device) Among(names []string) bool {
	return len(names) == 0 || slices.ContainsFunc(names, d.Called)
}

// Spoken is a name as people say it: "living-room" is "living room".
func Spoken(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name),
		func(r rune) bool { return r == '-' || r == '_' || r == ' ' }), " ")
}
