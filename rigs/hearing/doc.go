// Package hearing measures how well hearthd hears on the bed of package bed:
// what detectors make of speech in noise, turns that nobody meant, wake words
// missed and imagined, what is left of its own voice, interruptions, and what
// every stage costs. What it measures is the daemon's own front end, through
// ears.Hear, and single stages that its caller hands in; it builds none.
//
// It runs no goroutine and keeps no buffer between calls. Everything is seeded, so
// two runs differ in CPU time only. It must not import an engine or the device.
package hearing
