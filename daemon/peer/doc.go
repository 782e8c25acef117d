// Package peer knows the other boxes of a house and agrees with them on who answers when
// several hear the same wake word. They meet on shared topics of the broker; a box without
// a broker, or alone on it, decides for itself and waits for nobody.
//
// Run has one goroutine that owns the contest, and one that publishes, so that a broker
// that hangs holds nothing up. The broker's goroutine delivers with Receive, which drops
// what finds the queue full. No clock of another box is read: claims are ordered by their
// arrival here.
//
// The package must not import daemon/mqtt or the dialogue; it works through interfaces.
package peer
