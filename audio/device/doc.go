// Package device captures from and plays to ALSA devices by name and keeps them open: a device that
// is absent, unplugged or broken is opened again and again, with growing pauses. It is the one
// package of hearthd that uses malgo. What it knows of the inside of miniaudio, which malgo brings
// along, is in inside.h.
//
// Goroutines: Capture.Run and Playback.Run, one each, which own the device. miniaudio adds a thread
// per open device, the device thread. For a microphone that thread copies, in C, into a tap, which
// one goroutine per opening empties into the ring. For a speaker it calls the mixer. Neither
// allocates, locks or logs (malgo takes a short lock per call of the mixer). ReadFrame belongs to
// one goroutine of the caller.
//
// Buffers: the device's own are borrowed for one callback and copied. A ring, its resampler and its
// scratch live from one opening of the device to its closing.
//
// It imports audio and nothing else of hearthd. "Sample frame" here is ALSA's frame: one sample of
// every channel.
package device
