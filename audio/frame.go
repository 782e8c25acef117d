package audio

import "time"

// Rate is the sample rate of everything behind the capture device, in samples
// per second. Detectors, recognisers and the wire formats of speech servers
// all speak 16 kHz mono S16.
const Rate = 16000

// FrameSamples is the length of a Frame: 20 ms at Rate.
const FrameSamples = 320

// FrameDuration is the time that one Frame covers.
const FrameDuration = FrameSamples * time.Second / Rate

// Frame is one 20 ms mono block of samples at Rate. A *Frame that is passed to
// a function is borrowed until the call returns; whoever keeps it, copies it.
type Frame [FrameSamples]int16

// Position is a place in an audio stream: samples at Rate since it began.
// It is the clock of the sample path; wall time is never read there.
type Position int64

// Duration is the audio time from the start of the stream to p.
func (p Position) Duration() time.Duration {
	return time.Duration(p) * (time.Second / Rate) // 62.5 µs; a week of samples times a second would not fit
}

// Samples is the number of samples at Rate that d covers, rounded down.
func Samples(d time.Duration) Position {
	return Position(d * Rate / time.Second)
}

// Chunk is a block of mono S16 samples at Rate samples per second, as a speech
// synthesiser or a WAV file delivers it. Its receiver owns Samples.
type Chunk struct {
	Rate    int
	Samples []int16
}
