// Package ears is what hearthd hears with: the microphone, the front end that takes
// utterances and wake words out of its sound, the wake words that are installed or were
// recorded here, and what people are shown of all that. Hear runs the same front end over a
// recording.
//
// The listen goroutine pushes every frame; the capture device, the wake servers and the
// watch over the levels have goroutines of their own (Ears.Parts), and each ends with its
// context. The package must not import the dialogue: what was heard goes to Options.Turns.
package ears
