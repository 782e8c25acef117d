// Package spoken is the way of what a person says to a responder, which answers speech by
// speech.
//
// An Upload has one goroutine, which its maker runs: it sends the frames of one utterance
// from a bounded queue, into which they are copied. Nothing is sent before somebody allows
// it. The Turn in which all was sent belongs to who takes it. The package must not import
// daemon/dialogue.
package spoken
