package aec

import (
	"math"
	"os"
	"testing"

	"hearthd/audio"
)

// answers is a voice that answers, for five to ten seconds, and is silent for two
// to four.
func answers(seconds int, seed uint64) []float64 {
	x := babble(float64(seconds), 180, seed)
	for at, i := 0, int(seed); at < len(x); i++ {
		at += (5 + 5*i%6) * audio.Rate
		pause := (2 + i%3) * audio.Rate
		clear(x[min(at, len(x)):min(at+pause, len(x))])
		at += pause
	}
	return x
}

// What is left of the own voice must not be taken for a person: a detector wants
// 60 ms of voice for an onset and 300 ms for an interruption. Half an hour under
// HEARTHD_TEST_FULL, else a minute.
func TestOwnVoiceAloneIsNoPerson(t *testing.T) {
	minutes, length := 1, 1
	if os.Getenv("HEARTHD_TEST_FULL") != "" {
		minutes, length = 30, 5
	}
	for name, change := range map[string]func(*room){
		"one clock":       func(*room) {},
		"drift of 20 ppm": func(m *room) { m.drift = 20e-6 },
		"jump by 60 ms":   func(m *room) { m.jump, m.jumpAt = 960, length*30*audio.Rate },
	} {
		m := kitchen()
		change(&m)
		c := New()
		loud, run, longest, frames, deaf := 0, 0, 0, 0, 0
		for part := 0; part < minutes; part += length {
			s := plays(answers(length*60, uint64(part+1)), m)
			r := s.run(c)
			for at := 0; at+block <= len(r.out); at += block {
				frames++
				if !r.readings[at/block].Good {
					deaf++ // nobody may interrupt
					run = 0
					continue
				}
				if rms(r.out[at:at+block]) < -52 { // 16 dB above the noise of the room
					run = 0
					continue
				}
				loud, run = loud+1, run+1
				longest = max(longest, run)
			}
			if n := len(r.readings); !r.readings[n-1].Good {
				t.Errorf("%s: not good after %d minutes: %+v", name, part+length, r.readings[n-1])
			}
		}
		t.Logf("%s: %d of %d frames are loud, %d in a row; %d are not good", name, loud, frames, longest, deaf)
		if deaf*100 > 5*frames {
			t.Errorf("%s: %d of %d frames are not good, want 5 percent", name, deaf, frames)
		}
		if longest > 12 || loud*50 > frames {
			t.Errorf("%s: %d of %d frames are loud, %d in a row; want 2 percent, and 12", name, loud, frames, longest)
		}
	}
}

// rms is the level of x in dBFS.
func rms(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return 10 * math.Log10(sum/float64(len(x))/32768/32768+1e-12)
}

// What is taken for noise in the first two seconds may be echo.
func TestReadingIsNotGoodBeforeTheRoomWasHeard(t *testing.T) {
	loud := kitchen()
	loud.level, loud.drive = -18, 10
	r := plays(babble(6, 180, 1), loud).run(New())
	for i := range shortest / 2 {
		if l := rms(r.out[i*block:][:block]); r.readings[i].Good && l > -55 {
			t.Fatalf("good after %v at %.1f dBFS: %+v", audio.Position(i*block).Duration(), l, r.readings[i])
		}
	}
	if last := r.readings[len(r.readings)-1]; !last.Good {
		t.Errorf("not good at the end: %+v", last)
	}
}

func TestReadingIsGoodOnlyWhileLittleIsLeft(t *testing.T) {
	far := babble(30, 180, 1)
	s := plays(far, kitchen())
	// From 10 s on the speaker plays something else than its reference has.
	other := kitchen().echo(babble(30, 140, 5))
	for i := 10 * audio.Rate; i < 20*audio.Rate; i++ {
		s.echo[i] = other[i] * 32768
	}
	r := s.run(New())
	for second, want := range map[int]bool{4: true, 9: true, 16: false, 19: false, 29: true} {
		if got := r.readings[second*50+49]; got.Good != want {
			t.Errorf("after %d s: good is %v: %+v", second+1, got.Good, got)
		}
	}
	changes := 0
	for i := range r.readings[1:] {
		if r.readings[i].Good != r.readings[i+1].Good {
			changes++
		}
	}
	if changes > 5 {
		t.Errorf("good has changed %d times, want hysteresis", changes)
	}
}

func TestPersonDoesNotMakeTheReadingBad(t *testing.T) {
	far := babble(20, 180, 1)
	for _, level := range []float64{-36, -26, -16} {
		s := plays(far, kitchen())
		s.person = make([]float64, len(far))
		voice := room{rt60: 0.45, level: level, seed: 9}.echo(babble(20, 110, 4))
		for i := 5 * audio.Rate; i < 15*audio.Rate; i++ {
			s.person[i] = voice[i] * 32768
		}
		for i, r := range s.run(New()).readings {
			if i > 5*50 && !r.Good {
				t.Errorf("a person at %v dBFS makes it bad after %v: %+v", level, audio.Position(i*block).Duration(), r)
				break
			}
		}
	}
}

// A tap or a hood is not what the canceller has left of the echo.
func TestNoiseDoesNotMakeTheReadingBad(t *testing.T) {
	for _, level := range []float64{-48, -38} {
		far := babble(15, 180, 1)
		clear(far[:4*audio.Rate]) // the room is known before the speaker begins
		s := plays(far, kitchen())
		scale(s.noise, math.Pow(10, (level+68)/20))
		for i, r := range s.run(New()).readings {
			if i > 9*50 && (!r.Good || r.ERLE < r.Most-6) {
				t.Errorf("noise at %v dBFS makes it bad after %v: %+v", level, audio.Position(i*block).Duration(), r)
				break
			}
		}
	}
}
