package aec

import (
	"math"

	"hearthd/audio"
	"hearthd/audio/fourier"
)

const (
	block = audio.FrameSamples // samples between two updates

	// part is the length of a partition, 80 ms: four updates look at every sample.
	// Partitions of one block converge three times more slowly, because an echo
	// that begins within a partition is half explained by the next one.
	part    = 4 * block
	perPart = part / block // blocks of a partition
	span    = 2 * part     // samples of a transform
	bins    = part + 1
	parts   = 5 // 400 ms after the bulk delay: a tiled kitchen rings so long

	depth = parts * part / block // spectra of one prediction, one for each block
	ahead = jumpMost / block     // spectra of the far end whose echo is still to come
	slots = depth + ahead

	// remain is how much of the path is the same a block later, A of the Markov model: half of it
	// has changed after a minute.
	remain = 0.9998
	// fade is how much power of the response is left from one partition to the
	// next, before anything is known: rooms of RT60 0.3 to 0.6 s have 0.03 to 0.16.
	fade = 0.1
	// settle smooths the power of the error that is no echo.
	settle = 0.7
)

// kalman models the path from the speaker to the microphone as a partitioned-block frequency-domain
// filter whose coefficients are the state of a Kalman filter, with a diagonal covariance (Enzner
// and Vary, Frequency-domain adaptive Kalman filter for acoustic echo control, 2006; Kuech, Mabande
// and Enzner, State-space architecture of the partitioned-block-based acoustic echo controller,
// 2014). It holds for each coefficient how unsure it is, and for each bin how much of the error is
// no echo, so that it takes large steps where it knows little and hardly any while a person speaks.
type kalman struct {
	t      *fourier.Real
	w      []complex64 // parts × bins: the path
	unsure []float32   // parts × bins: expected square error of w
	x      []complex64 // ring of slots × bins: spectra of the far end
	px     []float32   // their squares
	pure   []float32   // at most px: the squares of the spectra through Hann's window
	head   int         // place in x of the spectrum of the last samples; older ones follow
	noise  []float32   // bins: power of the error, smoothed
	sum    []complex64 // bins: scratch
	error  []complex64 // bins: scratch
	doubt  []float32   // lines: power of the echo that the filter may have missed
	gain   []float32   // bins: scratch
	time   []float32   // span: scratch
	turn   int         // counts the partitions to be constrained, two for each
}

// newTransform makes a transform of one of this package's lengths, all of which are valid.
func newTransform(n int) *fourier.Real {
	t, err := fourier.NewReal(n)
	if err != nil {
		panic(err)
	}
	return t
}

func newKalman() *kalman {
	f := &kalman{
		t: newTransform(span),
		w: make([]complex64, parts*bins), unsure: make([]float32, parts*bins),
		x: make([]complex64, slots*bins), px: make([]float32, slots*bins), pure: make([]float32, slots*bins),
		noise: make([]float32, bins), sum: make([]complex64, bins), error: make([]complex64, bins),
		doubt: make([]float32, lines), gain: make([]float32, bins), time: make([]float32, span),
	}
	f.reset()
	return f
}

// reset forgets the path. A loudspeaker beside its microphone is about as loud
// there as what it plays: that is the first guess.
func (f *kalman) reset() {
	clear(f.w)
	clear(f.noise)
	clear(f.doubt)
	f.turn = 0
	guess := float32(1)
	for p := range parts {
		u := f.unsure[p*bins:][:bins]
		for k := range u {
			u[k] = guess
		}
		guess *= fade
	}
}

// push takes the last span samples of the far end.
func (f *kalman) push(far []float32) {
	f.head = (f.head + slots - 1) % slots
	f.foresee(far, 0)
	x, px, pure := f.x[f.at(0):][:bins], f.px[f.at(0):][:bins], f.pure[f.at(0):][:bins]
	for k, v := range x {
		px[k] = real(v)*real(v) + imag(v)*imag(v)
	}
	for k := 1; k < bins-1; k++ {
		a, b, c := x[k-1], x[k], x[k+1]
		re := real(b)/2 - (real(a)+real(c))/4
		im := imag(b)/2 - (imag(a)+imag(c))/4
		pure[k] = min(re*re+im*im, px[k])
	}
}

// foresee takes the span samples of the far end that push will get n blocks later, up
// to ahead.
func (f *kalman) foresee(far []float32, n int) { f.t.Transform(f.x[f.at(-n):][:bins], far) }

// at is where the spectrum of n blocks ago begins.
func (f *kalman) at(n int) int { return (f.head + n + slots) % slots * bins }

// predict writes the echo of the last part samples, or of those n blocks later, for
// which foresee was given the far end of n and of each part less.
func (f *kalman) predict(echo []float32, n int) {
	clear(f.sum)
	for p := range parts {
		x, w, sum := f.x[f.at(p*perPart-n):][:bins], f.w[p*bins:][:bins], f.sum[:bins]
		for k, v := range x {
			u := w[k]
			sum[k] += complex(real(v)*real(u)-imag(v)*imag(u), real(v)*imag(u)+imag(v)*real(u))
		}
	}
	f.t.Inverse(f.time, f.sum)
	copy(echo, f.time[part:])
}

// adapt learns from what the prediction left of the last part samples.
//
// In a transform of span samples only the last part are error, so that the error knows about half
// of what x changes: hence the factors 2 and ½ below. Between the harmonics of a voice x is mostly
// leakage, from which a bin learns nothing of its own: its uncertainty stays at what a Hann window,
// which hardly leaks, does not find there. Otherwise the filter would think itself finished when
// the pitch changes.
func (f *kalman) adapt(left []float32) {
	clear(f.time[:part])
	copy(f.time[part:], left)
	f.t.Transform(f.error, f.time)
	f.weigh()
	const a = remain * remain
	for p := range parts {
		at := f.at(p * perPart)
		x, pure := f.x[at:][:bins], f.pure[at:][:bins]
		w, u := f.w[p*bins:][:bins], f.unsure[p*bins:][:bins]
		gain, left := f.gain[:bins], f.error[:bins]
		for k, v := range x {
			e := left[k]
			m := u[k] * gain[k]
			re := real(w[k]) + m*(real(v)*real(e)+imag(v)*imag(e))
			im := imag(w[k]) + m*(real(v)*imag(e)-imag(v)*real(e))
			w[k] = complex(re, im)
			u[k] = a*(1-m*pure[k]/2)*u[k] + (1-a)*(re*re+im*im)
		}
	}
	if f.turn = (f.turn + 1) % (2 * parts); f.turn%2 == 0 {
		f.constrain(f.turn / 2)
	}
}

// weigh makes gain the inverse of the power that the error is expected to have: what the filter
// does not know yet, and everything that is no echo. The latter is taken from the error itself, and
// at once, so that a person who begins to speak stops the filter from learning in the bins of their
// voice.
func (f *kalman) weigh() {
	gain := f.gain[:bins]
	clear(gain)
	for p := range parts {
		px, u := f.px[f.at(p*perPart):][:bins], f.unsure[p*bins:][:bins]
		for k, v := range px {
			gain[k] += u[k] * v
		}
	}
	f.tell()
	noise := f.noise[:bins]
	for k, e := range f.error {
		now := real(e)*real(e) + imag(e)*imag(e)
		noise[k] += (1 - settle) * (now - noise[k])
		gain[k] = 1 / (gain[k] + 2*max(noise[k], now) + 1)
	}
}

// tell writes how much of the echo is unknown in units of the suppressor's spectra, whose lines are
// as far apart as wide bins, and whose window has half the power of as many samples.
func (f *kalman) tell() {
	const wide = part / hop
	for l := range f.doubt {
		sum := float32(0)
		for _, v := range f.gain[max(wide*l-wide/2, 0):min(wide*l+wide/2, bins)] {
			sum += v
		}
		f.doubt[l] = sum / (2 * wide * wide)
	}
}

// constrain removes from partition p what circular convolution has put after its end. One partition
// every other block is enough.
func (f *kalman) constrain(p int) {
	w := f.w[p*bins:][:bins]
	f.t.Inverse(f.time, w)
	clear(f.time[part:])
	f.t.Transform(w, f.time)
}

// age makes the filter as unsure as it is after n blocks of not having heard
// an echo.
func (f *kalman) age(n int) {
	a := 1 - float32(math.Pow(remain, float64(2*n)))
	for i, v := range f.w {
		f.unsure[i] += a * (real(v)*real(v) + imag(v)*imag(v))
	}
}
