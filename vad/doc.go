// Package vad cuts utterances out of the microphone's stream: a Detector says how likely each of
// its frames is speech, a gate turns that into speech or not with hysteresis, onset and hangover,
// an endpointer decides when an utterance is over and whether it was one, and a preRoll gives back
// what was said before the gate opened. Segmenter joins them, and counts as voice only what stands
// out of the noise and is about as loud as the person who speaks to the box; Detectors live in
// packages of their own below this one.
//
// Everything here belongs to the one goroutine that calls Push. Nothing runs, locks, logs or
// allocates per frame; time is audio.Position only. A frame handed out in a Signal is borrowed
// until the emit function returns. The package imports audio and nothing else of hearthd.
package vad
