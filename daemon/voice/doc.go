// Package voice speaks answers through the mixer and knows how much of them was heard.
//
// A Voice speaks one answer at a time, a Speech: sentences that an engine synthesises,
// earcons, and a Stream, whose sound comes from somewhere else. The Speech belongs to the
// goroutines of its turn, one after the other; another goroutine may cut it. Until a Speech
// sounds, one goroutine watches for that; Drain waits for it. Samples are copied into the
// mixer's track.
//
// The package knows nothing of turns and must not import daemon/dialogue.
package voice
