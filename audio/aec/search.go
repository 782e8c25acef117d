package aec

import (
	"hearthd/audio"
	"hearthd/audio/fourier"
)

const (
	searchLen = audio.Rate         // samples of a correlation
	searchMic = audio.Rate * 2 / 5 // of them the microphone's
	searchLag = searchLen - searchMic
	// searchFade is how long both signals fade in and out, 10 ms: otherwise their edges would look
	// alike and suggest a lag of zero.
	searchFade = audio.Rate / 100

	// clear is how far the best lag must stand out of the root mean square of all. One second of
	// nothing but noise gives 4 to 7, an echo 15 to 70, and an echo under a person who is as loud
	// 10 to 40 (measured in rooms of RT60 0.25 and 0.6 s).
	clearLag = 11
)

// search finds the delay of an echo by generalised cross-correlation with the
// phase transform (Knapp and Carter 1976).
type search struct {
	t        *fourier.Real
	far, mic []complex64
	buf      []float32
}

func newSearch() *search {
	return &search{
		t: newTransform(searchLen), buf: make([]float32, searchLen),
		far: make([]complex64, searchLen/2+1), mic: make([]complex64, searchLen/2+1),
	}
}

// find returns by how many samples, up to longest, the last n of mic are later
// than far. It takes half a millisecond, so it is not for every frame.
func (s *search) find(far, mic *history, n, longest int) (lag float64, ok bool) {
	far.last(s.buf, far.end)
	s.fade()
	s.t.Transform(s.far, s.buf)
	clear(s.buf)
	mic.last(s.buf[searchLen-n:], mic.end)
	s.fade()
	s.t.Transform(s.mic, s.buf)
	s.whiten()
	s.t.Inverse(s.buf, s.mic)
	var best, sum float32
	at := 0
	for i, v := range s.buf[:longest+1] {
		sum += v * v
		if v > best {
			best, at = v, i
		}
	}
	ok = best*best > clearLag*clearLag*sum/float32(longest+1)
	return float64(at) + s.top(at), ok
}

func (s *search) fade() {
	for i := range searchFade {
		s.buf[searchLen-1-i] *= (float32(i) + 0.5) / searchFade
	}
}

// whiten makes mic the phases of the cross spectrum from 200 to 6000 Hz, where a
// small loudspeaker speaks.
func (s *search) whiten() {
	const low, high = 200 * searchLen / audio.Rate, 6000 * searchLen / audio.Rate
	clear(s.mic[:low])
	clear(s.mic[high:])
	for k := low; k < high; k++ {
		a, b := s.mic[k], s.far[k]
		re := real(a)*real(b) + imag(a)*imag(b)
		im := imag(a)*real(b) - real(a)*imag(b)
		m := 1 / (root(re*re+im*im) + 1)
		s.mic[k] = complex(re*m, im*m)
	}
}

// top is where between two samples the maximum at i is, by the parabola through
// its neighbours: -½ to ½.
func (s *search) top(i int) float64 {
	if i == 0 {
		return 0
	}
	a, b, c := s.buf[i-1], s.buf[i], s.buf[i+1]
	bend := a - 2*b + c
	if bend >= 0 {
		return 0
	}
	return float64(max(min((a-c)/(2*bend), 0.5), -0.5))
}
