package aec

import "math"

const (
	historyLen = 1 << 15 // samples, 2 s

	// The interpolator: a Hann-windowed sinc of taps samples for each of phases
	// places between two. The nearest one is -50 dB off at 4 kHz, which is less
	// than a loudspeaker distorts.
	taps   = 24
	phases = 256
)

// history is the last two seconds of a signal. It can be read at any place
// between samples and at a slightly different rate, which makes up for two
// clocks.
type history struct {
	ring  []float32
	end   int64     // samples written
	table []float32 // phases+1 rows of taps
}

func newHistory() *history {
	h := &history{ring: make([]float32, historyLen), table: make([]float32, 0, (phases+1)*taps)}
	for p := range phases + 1 {
		for i := range taps {
			d := float64(i-taps/2+1) - float64(p)/phases
			w := math.Cos(math.Pi * d / (taps + 2))
			w *= w
			if d != 0 {
				w *= math.Sin(math.Pi*d) / (math.Pi * d)
			}
			h.table = append(h.table, float32(w))
		}
	}
	return h
}

// write appends x.
func (h *history) write(x []int16) {
	for _, v := range x {
		h.ring[h.end&(historyLen-1)] = float32(v)
		h.end++
	}
}

// last fills dst with the samples before position end.
func (h *history) last(dst []float32, end int64) {
	from := int((end - int64(len(dst))) & (historyLen - 1))
	n := copy(dst, h.ring[from:])
	copy(dst[n:], h.ring)
}

// read fills dst from position at on, step samples apart. It needs taps/2 samples
// after the last one.
func (h *history) read(dst []float32, at, step float64) {
	for i := range dst {
		whole := math.Floor(at)
		row := h.table[int((at-whole)*phases+0.5)*taps:][:taps]
		from := int((int64(whole) - taps/2 + 1) & (historyLen - 1))
		if from+taps <= historyLen {
			dst[i] = interpolate((*[taps]float32)(row), (*[taps]float32)(h.ring[from:]))
		} else {
			n := historyLen - from
			dst[i] = dot(row[:n], h.ring[from:]) + dot(row[n:], h.ring)
		}
		at += step
	}
}

// interpolate is dot for its commonest length, which a compiler can unroll.
func interpolate(h, x *[taps]float32) float32 {
	var a, b, c, d float32
	for i := 0; i < taps; i += 4 {
		a += h[i] * x[i]
		b += h[i+1] * x[i+1]
		c += h[i+2] * x[i+2]
		d += h[i+3] * x[i+3]
	}
	return a + b + (c + d)
}

// dot has four sums because each addition waits for the one before it.
func dot(h, x []float32) float32 {
	var a, b, c, d float32
	x = x[:len(h)]
	for len(h) >= 4 && len(x) >= 4 {
		a += h[0] * x[0]
		b += h[1] * x[1]
		c += h[2] * x[2]
		d += h[3] * x[3]
		h, x = h[4:], x[4:]
	}
	for i, v := range h {
		a += v * x[i]
	}
	return a + b + (c + d)
}

// power is the mean square of the last n samples.
func (h *history) power(n int) float64 {
	sum := 0.0
	for i := h.end - int64(n); i < h.end; i++ {
		v := h.ring[i&(historyLen-1)]
		sum += float64(v * v)
	}
	return sum / float64(n)
}
