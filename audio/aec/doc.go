// Package aec takes the speaker's own sound out of what the microphone hears, so that a person can
// be heard while hearthd speaks.
//
// A Canceller is given, for every frame of the microphone, what the speaker played meanwhile. It
// finds the delay of the echo (search), models the path through the room (kalman), and reduces what
// the model leaves to the noise of the room (suppressor). All three learn while they work; what
// they have learnt is kept between answers. While the speaker is silent a frame costs next to
// nothing.
//
// The package runs no goroutine, and one goroutine owns a Canceller. Frames are borrowed for the
// call. All memory is taken by New. It must not import anything of hearthd but audio and
// audio/fourier.
package aec
