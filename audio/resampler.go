package audio

import "fmt"

// The rates that a Resampler and a WAV file may have, in samples per second.
const (
	MinRate = 8000
	MaxRate = 192000
)

// maxTable bounds the filter of a Resampler to 1 MiB of float32. Every pair of
// usual rates needs less; 44099 to 48000 would need twelve times as much.
const maxTable = 1 << 18

// resampleBlock is the number of input samples that are filtered at a time.
const resampleBlock = 1024

// Resampler changes the sample rate of a mono stream by a rational factor: a
// polyphase FIR low-pass, conceptually run at up times the input rate and
// evaluated at every down-th sample (Crochiere and Rabiner, Multirate Digital
// Signal Processing, 1983, section 3.3). It passes 0 to 0.43 of the lower rate
// within 0.5 dB and holds everything from 0.5 of it more than 80 dB down.
// It belongs to one goroutine.
type Resampler struct {
	up, down int
	taps     int       // per phase
	table    []float32 // up phases of taps coefficients, each oldest sample first
	buf      []float32 // the last taps-1 input samples, then the block
	phase    int       // of the next output, 0..up-1
	skip     int       // input samples to pass over before the next output
}

// NewResampler makes a Resampler between two rates of MinRate..MaxRate. It
// refuses rates outside of that, and pairs whose ratio needs a filter of more
// than 1 MiB.
func NewResampler(from, to int) (*Resampler, error) {
	for _, rate := range []int{from, to} {
		if rate < MinRate || rate > MaxRate {
			return nil, fmt.Errorf("resample %d Hz to %d Hz: rate %d is outside %d..%d", from, to, rate, MinRate,
				MaxRate)
		}
	}
	g := gcd(from, to)
	r := &Resampler{up: to / g, down: from / g}
	if from == to {
		return r, nil
	}
	r.taps = tapsPerPhase(from, to)
	if r.taps*r.up > maxTable {
		return nil, fmt.Errorf("resample %d Hz to %d Hz: ratio %d/%d needs %d coefficients, limit %d",
			from, to, r.up, r.down, r.taps*r.up, maxTable)
	}
	r.table = polyphase(r.up, r.taps, float64(min(from, to))/float64(from))
	r.buf = make([]float32, r.taps-1+resampleBlock)
	return r, nil
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Process appends the samples that src completes to dst and returns it. n input
// samples make n*to/from output samples, give or take one. It allocates only
// when dst has no room.
func (r *Resampler) Process(dst, src []int16) []int16 {
	if r.up == r.down {
		return append(dst, src...)
	}
	for len(src) > 0 {
		n := min(len(src), resampleBlock)
		history := r.taps - 1
		for i, v := range src[:n] {
			r.buf[history+i] = float32(v)
		}
		dst = r.filter(dst, n)
		copy(r.buf, r.buf[n:n+history])
		src = src[n:]
	}
	return dst
}

// filter appends the outputs that fall on the n samples of the block.
func (r *Resampler) filter(dst []int16, n int) []int16 {
	at, phase := r.skip, r.phase
	for at < n {
		x := r.buf[at:][:r.taps]
		var y float32
		if r.up == 1 {
			y = fold(r.table[:r.taps/2], x)
		} else {
			y = dot(r.table[phase*r.taps:][:r.taps], x)
		}
		dst = append(dst, saturate(y))
		phase += r.down
		at += phase / r.up
		phase %= r.up
	}
	r.skip, r.phase = at-n, phase
	return dst
}

// dot sums the products of h and x. Four sums keep the processor from waiting for
// each addition; the length is a multiple of eight.
func dot(h, x []float32) float32 {
	var a, b, c, d float32
	for len(h) >= 8 && len(x) >= 8 {
		a += h[0] * x[0]
		b += h[1] * x[1]
		c += h[2] * x[2]
		d += h[3] * x[3]
		a += h[4] * x[4]
		b += h[5] * x[5]
		c += h[6] * x[6]
		d += h[7] * x[7]
		h, x = h[8:], x[8:]
	}
	return (a + b) + (c + d)
}

// fold is dot for coefficients that are the same from both ends, of which h is the
// first half: half the multiplications and less to load take half the time.
func fold(h, x []float32) float32 {
	var a, b, c, d float32
	for len(h) >= 8 && len(x) >= 16 {
		n := len(x)
		a += h[0] * (x[0] + x[n-1])
		b += h[1] * (x[1] + x[n-2])
		c += h[2] * (x[2] + x[n-3])
		d += h[3] * (x[3] + x[n-4])
		a += h[4] * (x[4] + x[n-5])
		b += h[5] * (x[5] + x[n-6])
		c += h[6] * (x[6] + x[n-7])
		d += h[7] * (x[7] + x[n-8])
		h, x = h[8:], x[8:n-8]
	}
	return (a + b) + (c + d)
}

// Flush appends what is still inside the filter, as if Delay of silence
// followed, and resets r.
func (r *Resampler) Flush(dst []int16) []int16 {
	var silence [256]int16
	for n := r.taps / 2; n > 0; n -= len(silence) {
		dst = r.Process(dst, silence[:min(n, len(silence))])
	}
	r.Reset()
	return dst
}

// Reset forgets the samples that r has seen.
func (r *Resampler) Reset() {
	clear(r.buf)
	r.phase, r.skip = 0, 0
}
