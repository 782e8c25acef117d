package aec

import (
	"math"
	"math/rand/v2"
	"testing"

	"hearthd/audio"
)

func kitchen() room { return room{rt60: 0.45, delay: 1100, level: -26, seed: 1} }

func TestEchoIsGoneAfterTheFirstSecond(t *testing.T) {
	for name, m := range map[string]room{
		"dry, near": {rt60: 0.2, delay: 330, level: -26, seed: 1},
		"kitchen":   kitchen(),
		"wet, far":  {rt60: 0.6, delay: 3200, level: -26, seed: 2},
		"loud":      {rt60: 0.4, delay: 1500, level: -12, seed: 3},
	} {
		s := plays(babble(6, 180, 1), m)
		r := s.run(New())
		first, then := s.erle(r.out, 1, 2), s.erle(r.out, 3, 6)
		t.Logf("%s: %.1f dB after 1 s, %.1f dB after 3 s", name, first, then)
		if first < 19 || then < 20 {
			t.Errorf("%s: ERLE is %.1f dB after 1 s, %.1f after 3 s; want 19 and 20", name, first, then)
		}
		last := r.readings[len(r.readings)-1]
		if want := audio.Position(m.delay + 5); !last.DelayKnown || last.Delay < want-2 || last.Delay > want+2 {
			t.Errorf("%s: delay is read as %d (%v), want %d", name, last.Delay, last.DelayKnown, want)
		}
		if !last.Good {
			t.Errorf("%s: not good after 6 s: %+v", name, last)
		}
	}
}

func TestPersonIsUnderstoodOverTheEcho(t *testing.T) {
	far := babble(16, 180, 1)
	s := plays(far, kitchen())
	s.person = make([]float64, len(far))
	voice := room{rt60: 0.45, level: -26, seed: 9}.echo(babble(16, 110, 4))
	for i := 6 * audio.Rate; i < 12*audio.Rate; i++ {
		s.person[i] = voice[i] * 32768
	}
	r := s.run(New())
	a, b := 6*audio.Rate, 12*audio.Rate
	raw := make([]float64, b-a)
	for i := range raw {
		raw[i] = s.near(a + i)
	}
	before, after := intelligibility(s.person[a:b], raw), intelligibility(s.person[a:b], r.out[a:b])
	t.Logf("intelligibility %.2f, unprocessed %.2f; ERLE after %.1f dB", after, before, s.erle(r.out, 12.5, 16))
	if after < 0.9 || after < before+0.1 {
		t.Errorf("intelligibility of the person is %.2f, unprocessed %.2f; want at least 0.9", after, before)
	}
	if e := s.erle(r.out, 12.5, 16); e < 25 {
		t.Errorf("ERLE is %.1f dB after the person: the filter has followed the voice", e)
	}
}

func TestPlainLeavesMoreOfThePersonAndOfTheEcho(t *testing.T) {
	far := babble(16, 180, 1)
	s := plays(far, kitchen())
	s.person = make([]float64, len(far))
	voice := room{rt60: 0.45, level: -36, seed: 9}.echo(babble(16, 110, 4))
	for i := 10 * audio.Rate; i < 16*audio.Rate; i++ {
		s.person[i] = voice[i] * 32768
	}
	c := New()
	var out audio.Frame
	plain, least := make([]float64, 0, len(far)), make([]float64, 0, len(far))
	s.each(func(near, far *audio.Frame, _ int) {
		c.Process(near, far, &out)
		for i, v := range c.Plain() {
			plain, least = append(plain, float64(v)), append(least, float64(out[i]))
		}
	})
	if p, l := s.erle(plain, 4, 10), s.erle(least, 4, 10); p < 15 || p > l {
		t.Errorf("without a person the filter alone takes %.1f dB off and the whole %.1f", p, l)
	}
	a, b := 10*audio.Rate, 16*audio.Rate-hop
	heard := s.person[a:b]
	p, l := intelligibility(heard, plain[a+hop:b+hop]), intelligibility(heard, least[a+hop:b+hop])
	if p <= l {
		t.Errorf("intelligibility of a person 10 dB below the echo is %.3f plain and %.3f suppressed", p, l)
	}
	t.Logf("intelligibility %.3f plain, %.3f suppressed", p, l)
}

func TestPlainIsTheOutputWhileNothingPlays(t *testing.T) {
	s := plays(babble(1, 180, 1), kitchen())
	c := New()
	var out, none audio.Frame
	s.each(func(near, _ *audio.Frame, _ int) {
		c.Process(near, &none, &out)
		if *c.Plain() != out {
			t.Fatal("it is another frame")
		}
	})
}

func TestDelayThatJumpsIsFoundAgain(t *testing.T) {
	for _, jump := range []int{960, -700} {
		m := kitchen()
		m.jump, m.jumpAt = jump, 6*audio.Rate
		s := plays(babble(10, 180, 1), m)
		r := s.run(New())
		t.Logf("jump of %d: %.1f dB at once, %.1f dB after 0.5 s", jump, s.erle(r.out, 6, 6.5), s.erle(r.out, 6.5, 10))
		if e := s.erle(r.out, 6.5, 10); e < 22 {
			t.Errorf("ERLE is %.1f dB half a second after a jump of %d samples, want 22", e, jump)
		}
		if e := s.erle(r.out, 6, 6.5); e < 8 {
			t.Errorf("ERLE is %.1f dB while a jump of %d samples is found, want 8", e, jump)
		}
	}
}

// Over some periods a voice at the speaker's pitch is the opposite of the echo, as if the
// filter stood at the wrong place.
func TestLouderPersonAtThePitchOfTheSpeakerIsNotMuted(t *testing.T) {
	far := babble(6, 180, 1)
	for seed := uint64(2); seed < 14; seed++ {
		s := plays(far, kitchen())
		s.person = room{rt60: 0.3, level: -17, seed: 8}.echo(babble(6, 180, seed))
		clear(s.person[:3*audio.Rate])
		scale(s.person, 32768)
		r := s.run(New())
		for at := 3 * audio.Rate; at+block <= len(r.out); at += block {
			said, left := rms(s.person[at:at+block]), rms(r.out[at:at+block])
			if said > -25 && left < -60 {
				t.Errorf("seed %d: at %.2f s a person of %.0f dBFS is %.0f in the output", seed, float64(at)/audio.Rate, said, left)
			}
		}
	}
}

// Of an echo that is late or early all at once a detector must not hear the 60 ms of an
// onset.
func TestEchoThatJumpsIsFoundInItsFirstFrames(t *testing.T) {
	for _, jump := range []int{100, 960, 3000, -100, -960, -2500} {
		for at := 5.; at < 7; at += 0.34 {
			m := kitchen()
			m.delay = max(m.delay, 100-jump)
			m.jump, m.jumpAt = jump, int(at*audio.Rate)
			r := plays(babble(8, 180, 1), m).run(New())
			loud := 0
			for i := m.jumpAt; i+block <= m.jumpAt+audio.Rate/2; i += block {
				if rms(r.out[i:i+block]) > -45 {
					loud++
				}
			}
			if loud > 2 {
				t.Errorf("%d frames are loud after a jump of %d samples at %.2f s", loud, jump, at)
			}
		}
	}
}

func TestDriftIsMeasuredAndTakenOut(t *testing.T) {
	for _, ppm := range []float64{20, -100} {
		m := kitchen()
		m.drift = ppm * 1e-6
		s := plays(babble(24, 180, 1), m)
		r := s.run(New())
		last := r.readings[len(r.readings)-1]
		t.Logf("%v ppm: read as %.1f, ERLE %.1f dB", ppm, last.DriftPPM, s.erle(r.out, 14, 24))
		if math.Abs(last.DriftPPM+ppm) > 3 {
			t.Errorf("drift of %v ppm is read as %.1f", -ppm, last.DriftPPM)
		}
		if e := s.erle(r.out, 14, 24); e < 25 {
			t.Errorf("ERLE is %.1f dB at %v ppm, want 25", e, ppm)
		}
	}
}

func TestFirstSoundIsSuppressedBeforeItsDelayIsKnown(t *testing.T) {
	s := plays(babble(2, 180, 1), kitchen())
	out := s.run(New()).out
	for at := 0; at+block <= audio.Rate; at += block {
		if l := rms(out[at : at+block]); l > -50 {
			t.Errorf("%.1f dBFS of the echo are left after %v", l, audio.Position(at).Duration())
		}
	}
}

func TestPersonIsHeardBesideTheFirstEarcon(t *testing.T) {
	far := make([]float64, 2*audio.Rate)
	for i := range audio.Rate / 4 {
		far[audio.Rate/2+i] = 0.25 * math.Sin(2*math.Pi*784*float64(i)/audio.Rate)
	}
	s := plays(far, kitchen())
	s.person = make([]float64, len(far))
	for i, v := range (room{rt60: 0.45, level: -26, seed: 9}.echo(babble(2, 110, 4))) {
		s.person[i] = v * 32768
	}
	out := s.run(New()).out
	for at := audio.Rate / 2; at < len(out); at += audio.Rate / 4 {
		in, left := rms(s.person[at:at+audio.Rate/4]), rms(out[at:at+audio.Rate/4])
		if left < in-3 {
			t.Errorf("a person of %.1f dBFS is at %.1f after %v", in, left, audio.Position(at).Duration())
		}
	}
}

func TestPersonIsHeardWhenThereIsNoEcho(t *testing.T) {
	s := plays(babble(4, 180, 1), kitchen())
	clear(s.echo) // headphones
	s.person = make([]float64, len(s.far))
	for i, v := range (room{rt60: 0.45, level: -26, seed: 9}.echo(babble(4, 110, 4))) {
		s.person[i] = v * 32768
	}
	out := s.run(New()).out
	if in, left := rms(s.person[audio.Rate:]), rms(out[audio.Rate:]); left < in-3 {
		t.Errorf("a person of %.1f dBFS is at %.1f", in, left)
	}
}

func TestWhatWasLearntIsKeptBetweenAnswers(t *testing.T) {
	far := babble(20, 180, 1)
	clear(far[6*audio.Rate : 14*audio.Rate])
	s := plays(far, kitchen())
	r := s.run(New())
	if e := s.erle(r.out, 14, 14.5); e < 20 {
		t.Errorf("ERLE is %.1f dB in the first half second of the second answer", e)
	}
}

func TestSilentSpeakerLetsTheMicrophonePass(t *testing.T) {
	c := New()
	rng := rand.New(rand.NewPCG(1, 1))
	var near, far, out audio.Frame
	var in, got []int16
	for range 100 {
		for i := range near {
			near[i] = int16(rng.Uint32())
		}
		c.Process(&near, &far, &out)
		in, got = append(in, near[:]...), append(got, out[:]...)
	}
	for i := range in[:len(in)-int(Latency)] {
		if got[i+int(Latency)] != in[i] {
			t.Fatalf("sample %d is %d, went in as %d", i, got[i+int(Latency)], in[i])
		}
	}
	if c.Reading().Active {
		t.Error("a silent speaker has an echo")
	}
}

func TestOutputMayBeTheNearFrame(t *testing.T) {
	s := plays(babble(3, 180, 1), kitchen())
	a, b := New(), New()
	var near, far, out audio.Frame
	for at := 0; at+audio.FrameSamples <= len(s.far); at += audio.FrameSamples {
		for i := range near {
			near[i], far[i] = round(s.near(at+i)), round(s.far[at+i])
		}
		if at > 2*audio.Rate {
			clear(far[:])
		}
		a.Process(&near, &far, &out)
		b.Process(&near, &far, &near)
		if near != out {
			t.Fatalf("frame at %d differs in place", at)
		}
	}
}

func TestOddSoundsNeitherBreakNorBlowUpTheFilter(t *testing.T) {
	square := func(i int) float64 { return 32767 * float64(1-i/40%2*2) }
	loud := func(int) float64 { return 32767 }
	low := func(int) float64 { return -32768 }
	none := func(int) float64 { return 0 }
	for name, f := range map[string][2]func(int) float64{
		"square in both":     {square, square},
		"far without near":   {square, none},
		"near without far":   {none, square},
		"direct current":     {loud, low},
		"current against it": {low, square},
	} {
		n := 3 * audio.Rate
		s := &scene{far: make([]float64, n), echo: make([]float64, n), noise: make([]float64, n)}
		for i := range n {
			s.far[i], s.echo[i] = f[0](i), f[1](i)
		}
		c := New()
		s.run(c)
		for i, v := range c.path.w {
			if !(max(real(v), -real(v), imag(v), -imag(v)) <= 1e3) { // a NaN is not
				t.Fatalf("%s: coefficient %d is %v", name, i, v)
			}
		}
		// It still works afterwards.
		s = plays(babble(8, 180, 1), kitchen())
		if e := s.erle(s.run(c).out, 4, 8); e < 15 {
			t.Errorf("%s: ERLE is %.1f dB four seconds later", name, e)
		}
	}
}

func TestFrameAllocatesNothing(t *testing.T) {
	far := babble(8, 180, 1)
	clear(far[4*audio.Rate : 6*audio.Rate])
	m := kitchen()
	m.jump, m.jumpAt = 500, 3*audio.Rate
	s := plays(far, m)
	c := New()
	var near, far16, out audio.Frame
	at := 0
	if n := testing.AllocsPerRun(8*50-2, func() {
		for i := range near {
			near[i], far16[i] = round(s.near(at+i)), round(s.far[at+i])
		}
		c.Process(&near, &far16, &out)
		_ = c.Reading()
		at += audio.FrameSamples
	}); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
}

// Latency is by how much the output of a Canceller is later than its input.
const Latency audio.Position = hop
