// Package neural is hearthd's own voice-activity detector, the default one: 28
// mel bands, their noise floors, harmonicity and pitch go through two recurrent
// layers, fifty times a second. The weights are embedded; train/ makes them out
// of recordings in Debian packages and synthesised sound, and README.md says how
// well they do.
//
// It runs no goroutine, allocates nothing per frame and owns all its buffers;
// samples passed in are borrowed until the call returns. It imports
// audio/fourier and nothing else of hearthd.
package neural
