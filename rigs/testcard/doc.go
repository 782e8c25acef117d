// Package testcard is a virtual sound card for tests and the demo: an ALSA
// plugin with a clock of its own, a FIFO for a microphone, a file for a speaker,
// and faults on command. Everything above ALSA is as in production, and no
// kernel module, sound server or sound card is needed.
//
// The plugin's C source is embedded and compiled at run time, so nothing of it
// is in a binary that does not use it. The package starts no goroutine and
// imports nothing of hearthd.
package testcard
