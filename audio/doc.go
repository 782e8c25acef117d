// Package audio holds the sample formats of hearthd and the parts that move and
// change samples: ring, resampler, gain, mixer and WAV. It is pure Go, runs no
// goroutine, and imports nothing of hearthd.
//
// Frames and slices passed in are borrowed until the call returns. Scratch
// memory is allocated in constructors; nothing here allocates per frame.
//
// Threads meet in three places only. A Ring has one producer and one consumer,
// which may be a device thread and a goroutine. A Mixer has the device thread in
// Mix and any goroutine in everything else; Mix and what it calls take no lock,
// and the mutex of a Track is between its producers. A Reference is written by
// Mix and read by one goroutine. Resampler, Gain.Apply and the WAV types belong
// to one goroutine at a time.
package audio
