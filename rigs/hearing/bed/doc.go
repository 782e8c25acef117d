// Package bed makes the sounds that hearing is measured on: speech of Debian
// voices that no training has used, noises of a kitchen, rooms, and what a
// loudspeaker does to its own sound, mixed at a chosen level and with a label
// for each 10 ms. Everything but the synthesisers is arithmetic on seeds, so the
// same Debian release gives the same samples.
//
// Sounds are []float64 at audio.Rate, full scale 1; whoever is given one owns
// it. The package runs no goroutine, starts the synthesisers as processes, and
// imports audio and nothing else of hearthd. It shares no code and no voice with
// vad/neural/train, which must not have seen what is measured here.
package bed
