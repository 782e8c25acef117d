// Package enrolled finds wake words that a household has recorded itself: a few
// recordings of one voice are the model. Learn makes a Template of them, New a
// wake.Spotter of templates.
//
// Words are compared by dynamic time warping over mel-frequency cepstra, in two
// steps. A tracker for each recording follows the stream and proposes stretches;
// a proposed stretch is then compared with all recordings of the word, end to
// end, each side normalised to no mean and a variance of one. Two things let a
// word that was recorded near by be heard from across the kitchen: what may be
// the room's answer to the sound before is weakened on both sides (tail), and the
// threshold follows from what a room would do to the recordings (threshold).
// Before they are compared, the enrolled recordings are put into the noise that
// the stream has at the time (as in parallel model combination, Gales and Young
// 1992), which is what keeps a word recorded in quiet alive beside a running tap.
//
// Its limits: it knows the voices that enrolled, and hardly any other. Short
// words are confused; three syllables or more are good. threshold.go says what the
// numbers here were chosen by, rigs/hearing/RESULTS.md how well it hears.
//
// While nothing is louder than the room, only the level is looked at. It runs no
// goroutine and owns all its buffers; frames passed in are borrowed until the
// call returns. It imports audio, audio/fourier, config/input and vad/wake, and
// nothing else of hearthd.
package enrolled
