package aec

import (
	"math/rand/v2"
	"testing"

	"hearthd/audio"
)

// buzz is a voice of one vowel: pulses at a pitch that is another one from second at on.
func buzz(seconds, pitch, at, then float64) []float64 {
	var formants [3]resonance
	for i, hz := range []float64{500, 1500, 2500} {
		formants[i].tune(hz)
	}
	r := rand.New(rand.NewPCG(1, 9))
	x := make([]float64, int(seconds*audio.Rate))
	phase := 0.0
	for i := range x {
		hz := pitch
		if float64(i) >= at*audio.Rate {
			hz = then
		}
		v := 0.01 * r.NormFloat64()
		if phase += hz / audio.Rate; phase >= 1 {
			phase--
			v += 4
		}
		x[i] = mouth(&formants, v)
	}
	speakUp(x)
	return x
}

// Of the frequencies between the harmonics of a voice a filter has learnt nothing, and
// must not think that it has.
func TestVoiceThatChangesItsPitchIsNoPerson(t *testing.T) {
	for _, then := range []float64{113, 131, 147, 170, 197} {
		s := plays(buzz(5.5, 100, 4, then), kitchen())
		if n := loud(s.run(New()).out[4*audio.Rate:]); n > 1 {
			t.Errorf("%d frames are loud after 100 Hz have become %g", n, then)
		}
	}
}

// Half a second after it was heard first an echo must not be heard any more.
func TestFirstAnswerIsGoneSoon(t *testing.T) {
	for _, lag := range []int{1540, 3250, 5530, 6670} {
		for _, begin := range []int{8000, 8960} {
			m := kitchen()
			m.delay = lag
			far := make([]float64, 3*audio.Rate)
			copy(far[begin:], babble(3, 140, 1))
			s := plays(far, m)
			if n := loud(s.run(New()).out[begin+lag+audio.Rate/2:]); n > 3 {
				t.Errorf("%d frames are loud of an echo %d late that began at %d", n, lag, begin)
			}
		}
	}
}

// loud counts the frames that a detector may hear.
func loud(x []float64) (n int) {
	for at := 0; at+block <= len(x); at += block {
		if rms(x[at:at+block]) > -52 {
			n++
		}
	}
	return n
}

// The microphone and the speaker are both cut off where a search looks, which is no echo
// without a delay.
func TestEchoThatHasJustBegunIsNotFoundAtNoDelay(t *testing.T) {
	for seed := range uint64(4) {
		far := make([]float64, 2*audio.Rate)
		copy(far[audio.Rate:], babble(1, 100+40*float64(seed), seed))
		for lag := 400; lag < 4000; lag += 570 {
			m := kitchen()
			m.delay = lag
			s := plays(far, m)
			for after := 80; after <= 200; after += 20 { // ms of the echo
				fars, mics := newHistory(), newHistory()
				end := audio.Rate + lag + after*audio.Rate/1000
				var f, n [block]int16
				for at := end % block; at < end; at += block {
					for i := range f {
						f[i], n[i] = round(s.far[at+i]), round(s.near(at+i))
					}
					fars.write(f[:])
					mics.write(n[:])
				}
				if found, ok := newSearch().find(fars, mics, searchMic, audio.Rate/2); ok && found < 20 {
					t.Errorf("%d ms of an echo %d samples late are found at %.0f", after, lag, found)
				}
			}
		}
	}
}
