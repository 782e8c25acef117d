package aec

import (
	"math"

	"hearthd/audio"
	"hearthd/audio/fourier"
)

const (
	hop    = audio.FrameSamples / 2 // samples between two spectra
	window = 2 * hop
	lines  = hop + 1 // of a spectrum, 50 Hz apart

	// idleHops is how rarely the noise is looked at while nothing is suppressed.
	idleHops = 16

	over  = 4   // residual echo is assumed to have this many times the power that was learnt
	trust = 0.7 // weight of the last spectrum in the estimate of this one
	decay = 0.8 // decay of residual echo in a hop: a room of RT60 0.6 s

	// The leak of a band is followed downwards quickly and upwards slowly, in log2
	// a hop, because a person can only make it look greater.
	leakDown  = 0.05
	leakUp    = 0.01
	leakMost  = 1
	leakLeast = -14

	// noise makes error and echo look this coherent over so few spectra.
	coherent = 0.4
)

// suppressor reduces what the filter has left of the echo to the noise of the room, line by line: a
// Wiener filter whose prior is decision-directed (Ephraim and Malah 1984). How much is left is
// learnt in bands as a share of the predicted echo, its leak, as speexdsp does. It is at least the
// filter's own uncertainty. Where error and prediction are coherent, the filter is wrong, and the
// coherent part is echo too. What is reduced to the noise floor is not silence, so that the noise
// does not pump.
//
// It delays by one hop.
type suppressor struct {
	t          *fourier.Real
	shape      []float32   // window: root of Hann's
	left, echo []float32   // window: the last samples
	tail       []float32   // hop: what the last spectrum gives to the next hop
	sl, se     []complex64 // lines: spectra of left and echo
	pl, pe     []float32   // lines: their powers
	residual   []float32   // lines: residual echo, with over
	learnt     []float32   // lines: residual echo as the leak has it
	prior      []float32   // lines: the power that went out, over residual
	time       []float32   // window: scratch
	noise      noiseFloor
	bands      [bands]band
	remains    float32 // residual echo in the output, the sum of its lines
}

const bands = 17

// edges of the bands, in lines: 200 Hz wide at first, then a fifth of the pitch.
func edges() [bands + 1]int {
	return [bands + 1]int{0, 4, 8, 12, 16, 20, 25, 30, 36, 42, 50, 58, 68, 80, 94, 110, 130, lines}
}

type band struct {
	leak       float32 // log2 of residual over predicted echo
	left, echo float32 // powers, smoothed
	cross      complex64
}

func newSuppressor() *suppressor {
	s := &suppressor{
		t: newTransform(window), noise: newNoiseFloor(),
		shape: make([]float32, window), left: make([]float32, window), echo: make([]float32, window),
		tail: make([]float32, hop), sl: make([]complex64, lines), se: make([]complex64, lines),
		pl: make([]float32, lines), pe: make([]float32, lines), residual: make([]float32, lines),
		learnt: make([]float32, lines),
		prior:  make([]float32, lines), time: make([]float32, window),
	}
	for i := range s.shape {
		s.shape[i] = float32(math.Sin(math.Pi * (float64(i) + 0.5) / window))
	}
	return s
}

// pass delays a frame as process does, and looks at its noise if it is asked to.
// out may be near.
func (s *suppressor) pass(near, out *audio.Frame, look bool) {
	copy(s.time, s.left[hop:])
	for i, v := range near {
		s.left[i] = float32(v)
	}
	for i := range hop {
		out[hop+i] = int16(s.left[i])
		out[i] = int16(s.time[i])
		w := s.shape[hop+i]
		s.tail[i] = s.left[hop+i] * w * w
	}
	if look {
		clear(s.echo)
		clear(s.residual)
		s.analyse(s.sl, s.pl, s.left)
		s.noise.push(s.pl, idleHops)
	}
}

// analyse writes the spectrum of the samples under the window, and its power.
func (s *suppressor) analyse(spectrum []complex64, power, x []float32) {
	for i, w := range s.shape {
		s.time[i] = x[i] * w
	}
	s.t.Transform(spectrum, s.time)
	for k, v := range spectrum {
		power[k] = real(v)*real(v) + imag(v)*imag(v)
	}
}

// process takes a hop of what the filter has left, of the echo that it took, and
// the power of each line that it may have missed, and writes the hop before. If
// mute is set, all of it is echo.
func (s *suppressor) process(left, echo, doubt []float32, out []int16, mute bool) {
	copy(s.left, s.left[hop:])
	copy(s.left[hop:], left)
	copy(s.echo, s.echo[hop:])
	copy(s.echo[hop:], echo)
	s.analyse(s.sl, s.pl, s.left)
	s.analyse(s.se, s.pe, s.echo)
	s.noise.push(s.pl, 1)
	edges := edges()
	for i := range s.bands {
		s.estimate(&s.bands[i], doubt, edges[i], edges[i+1], mute)
	}
	s.apply()
	s.t.Inverse(s.time, s.sl)
	for i, w := range s.shape[:hop] {
		out[i] = clip(s.tail[i] + s.time[i]*w)
		s.tail[i] = s.time[hop+i] * s.shape[hop+i]
	}
}

func clip(v float32) int16 {
	if v < 0 {
		return int16(max(v-0.5, math.MinInt16))
	}
	return int16(min(v+0.5, math.MaxInt16))
}

// estimate writes the residual echo of the lines lo to hi.
func (s *suppressor) estimate(b *band, doubt []float32, lo, hi int, mute bool) {
	noise := b.push(s, lo, hi)
	if b.echo > 8*noise {
		d := float32(math.Log2(float64((b.left+1)/b.echo))) - b.leak
		if d > 0 {
			d = min(leakDown*d, leakUp)
		} else {
			d *= leakDown
		}
		b.leak = max(min(b.leak+d, leakMost), leakLeast)
	}
	share := float32(0)
	if b.echo > noise {
		c := (real(b.cross)*real(b.cross) + imag(b.cross)*imag(b.cross)) / (b.left*b.echo + 1)
		share = min(max(c-coherent, 0)/(1-coherent), 1)
	}
	leak := float32(math.Exp2(float64(b.leak)))
	for k := lo; k < hi; k++ {
		s.learnt[k] = max(leak*s.pe[k], doubt[k])
		r := max(over*s.learnt[k], share*s.pl[k], decay*s.residual[k])
		if mute {
			r = max(r, 100*s.pl[k])
		}
		s.residual[k] = r
	}
}

// push takes the lines lo to hi of the spectra, and returns the power of the
// noise in them.
func (b *band) push(s *suppressor, lo, hi int) (noise float32) {
	const a = 0.25
	var left, echo, re, im float32
	for k := lo; k < hi; k++ {
		u, v := s.sl[k], s.se[k]
		left += s.pl[k]
		echo += s.pe[k]
		re += real(u)*real(v) + imag(u)*imag(v)
		im += imag(u)*real(v) - real(u)*imag(v)
		noise += s.noise.floor[k]
	}
	b.left += a * (left - b.left)
	b.echo += a * (echo - b.echo)
	b.cross = complex(real(b.cross)+a*(re-real(b.cross)), imag(b.cross)+a*(im-imag(b.cross)))
	return noise
}

// apply weighs the lines.
func (s *suppressor) apply() {
	s.remains = 0
	for k, p := range s.pl {
		r := s.residual[k]
		x := trust*s.prior[k] + (1-trust)*max(p/(r+1)-1, 0)
		g := x / (1 + x)
		if low := s.noise.floor[k] / (p + 1); g*g < low {
			g = min(root(low), 1)
		}
		s.prior[k] = g * g * p / (r + 1)
		v := s.sl[k]
		s.sl[k] = complex(real(v)*g, imag(v)*g)
		s.remains += g * g * min(s.learnt[k], p)
	}
}
