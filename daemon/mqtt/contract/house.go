package contract

// The levels below a house, which its boxes share.
const (
	Claim = "claim" // who heard the wake word, and who answers
	Boxes = "box"   // retained, one level below: that a box belongs to the house
)

// houses is the level above the name of a house. A box of that name has no such
// topics below.
const houses = "house"

// HouseTopic is a topic that the boxes of a house share.
func HouseTopic(prefix, house, level string) string {
	return prefix + "/" + houses + "/" + house + "/" + level
}
