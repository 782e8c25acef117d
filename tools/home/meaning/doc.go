// Package meaning says what a request means in a house: which devices, and which state of each.
//
// A Request is what a tool of the home is called with. A House is everything that people can talk about, with the words
// for it, as it is at one moment; it finds the devices of a request (Targets, Read), and Request.Wanted the state that
// each is to take. Nothing here acts, waits or speaks. It must not import what does.
package meaning
