// Package audio holds the sample formats of hearthd and the parts that move and
// change samples: ring, resampler, gain, mixer and WAV. It is pure Go, runs no
// goroutine, and imports nothing of hearthd.
//
// Frames and slices passed in are borrowed until the call returns. Scratch
// memory is allocated in constructors; nothing here allocates per frame.
package audio
