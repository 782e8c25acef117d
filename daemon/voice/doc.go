// Package voice speaks answers through the mixer and knows what of them was heard.
//
// A Voice speaks one answer at a time, a Speech: sentences that an engine makes, earcons,
// and a Stream, whose sound somebody else makes. The Speech belongs to the goroutines of
// its turn, one after the other; a cut comes from another goroutine. While a Speech has
// not sounded yet, one goroutine watches for that, for which Drain waits. Samples are
// copied into the mixer's track.
//
// The package knows nothing of turns and must not import daemon/dialogue.
package voice
