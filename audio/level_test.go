package audio

import (
	"math"
	"math/rand/v2"
	"testing"
)

// power is the amplitude of white noise at an RMS level in dBFS.
func amplitude(dbfs float64) float64 { return 32768 * math.Pow(10, dbfs/20) }

// syllables is d seconds of noise at that RMS level while it sounds, four times a
// second for 150 ms, over white noise at floor, which is about how speech moves.
func syllables(d int, level, floor float64, r *rand.Rand) []int16 {
	x := make([]int16, d*Rate)
	for i := range x {
		v := amplitude(floor) * r.NormFloat64()
		if i%(Rate/4) < Rate*15/100 {
			v += amplitude(level) * r.NormFloat64()
		}
		x[i] = saturate(float32(v))
	}
	return x
}

// frames calls fn with the frames of x, in which it may write.
func frames(x []int16, fn func(f *Frame)) {
	for ; len(x) >= FrameSamples; x = x[FrameSamples:] {
		fn((*Frame)(x))
	}
}

// loud is the RMS level of the syllables in the last two seconds of x.
func loud(x []int16) float64 {
	var squares, n float64
	for i := len(x) - 2*Rate; i < len(x); i++ {
		if i%(Rate/4) < Rate*15/100 {
			squares += float64(x[i]) * float64(x[i])
			n++
		}
	}
	return float64(dbfs(squares / n))
}

func TestLevellerBringsSpeechToItsLevel(t *testing.T) {
	for _, level := range []float64{-50, -40, -32, -26, -22} {
		l := NewLeveller()
		x := syllables(60, level, -85, rand.New(rand.NewPCG(1, 1)))
		frames(x, l.Process)
		if got := loud(x); math.Abs(got+26) > 2 {
			t.Errorf("speech at %v dBFS came out at %.1f, %+v", level, got, l.Reading())
		}
	}
}

func TestLevellerTurnsLoudSpeechDownByNoMoreThanItsLimit(t *testing.T) {
	l := NewLeveller()
	x := syllables(60, -14, -80, rand.New(rand.NewPCG(1, 2)))
	frames(x, l.Process)
	if got := loud(x); math.Abs(got+20) > 1 {
		t.Errorf("speech at -14 dBFS came out at %.1f, want 6 dB less", got)
	}
}

func TestLevellerAmplifiesNoNoise(t *testing.T) {
	for _, c := range []struct{ speech, floor, most float64 }{
		{-45, -60, -50}, // the gain ends where the noise is at its bound
		{-30, -42, -42}, // noise above it stays as it is
		{-96, -60, -60}, // without a voice there is no reason to amplify
	} {
		l := NewLeveller()
		r := rand.New(rand.NewPCG(1, 3))
		frames(syllables(60, c.speech, c.floor, r), l.Process)
		x := syllables(3, -96, c.floor, r)
		frames(x, l.Process)
		if got := loud(x); got > c.most+1.5 {
			t.Errorf("noise at %v dBFS came out at %.1f, want at most %v", c.floor, got, c.most)
		}
	}
}

// Many microphones begin with digital silence, and give it while their switch is off.
func TestNoiseAfterDigitalSilenceIsNoSpeech(t *testing.T) {
	for _, zeros := range []int{1, 25, 500} {
		l, r := NewLeveller(), rand.New(rand.NewPCG(1, 3))
		for range 2 {
			frames(make([]int16, zeros*FrameSamples), l.Process)
			frames(syllables(20, -96, -63, r), l.Process)
			if got := l.Reading(); got.Gain > 0.1 || math.Abs(float64(got.Floor)+63) > 2 {
				t.Errorf("noise at -63 dBFS after %d frames of nothing: %+v", zeros, got)
			}
		}
	}
}

func TestLevellerAdaptsSlowly(t *testing.T) {
	l := NewLeveller()
	r := rand.New(rand.NewPCG(1, 4))
	frames(syllables(30, -30, -80, r), l.Process)
	before := l.Reading().Gain
	// What follows a sentence must not be brought to its level before the
	// endpointer has seen that it is quieter.
	frames(syllables(1, -40, -80, r), l.Process)
	if after := l.Reading().Gain; after-before > 1.6 || after < before-0.5 {
		t.Errorf("gain went from %.1f to %.1f dB within a second", before, after)
	}
}

func TestDishesMoveTheGainLittle(t *testing.T) {
	l := NewLeveller()
	r := rand.New(rand.NewPCG(1, 5))
	frames(syllables(60, -40, -80, r), l.Process)
	before := l.Reading().Gain
	for range 10 { // blows of 40 ms, as loud as can be
		var f Frame
		for i := range f {
			f[i] = int16(r.IntN(65536) - 32768)
		}
		l.Process(&f)
		l.Process(&f)
		frames(make([]int16, Rate/5), l.Process)
	}
	frames(make([]int16, Rate), l.Process) // the limiter lets go
	if after := l.Reading().Gain; math.Abs(float64(after-before)) > 2 {
		t.Errorf("gain went from %.1f to %.1f dB", before, after)
	}
}

func TestNothingClipsAtAHighGain(t *testing.T) {
	l := NewLeveller()
	r := rand.New(rand.NewPCG(1, 6))
	frames(syllables(60, -52, -90, r), l.Process)
	if g := l.Reading().Gain; g < 20 {
		t.Fatalf("gain %v dB", g)
	}
	var phase float64
	for n := range 50 { // a voice close by, from one frame to the next
		var f Frame
		for i := range f {
			f[i] = int16(12000 * math.Sin(phase))
			phase += 2 * math.Pi * 300 / Rate
		}
		l.Process(&f)
		for i, s := range f {
			// The ramp of the first frame may meet a peak.
			if s > ceiling+1 && (n > 0 || i > limitRamp) {
				t.Fatalf("frame %d, sample %d: %d", n, i, s)
			}
		}
	}
}

func TestGainMovesWithoutASteps(t *testing.T) {
	l := NewLeveller()
	frames(syllables(60, -50, -90, rand.New(rand.NewPCG(1, 7))), l.Process)
	// At half the rate the samples show the gain one by one.
	last := 0.0
	for n := range 500 {
		amp := int16(400)
		if n >= 250 {
			amp = 8000
		}
		var f Frame
		for i := range f {
			f[i] = amp * int16(1-2*(i&1))
		}
		l.Process(&f)
		for i, s := range f {
			gain := math.Abs(float64(s)) / float64(amp)
			first := n == 0 && i == 0 || n == 250 // from silence; where the level jumps
			if !first && math.Abs(gain-last) > 0.02*last {
				t.Fatalf("frame %d, sample %d: gain %.3f after %.3f", n, i, gain, last)
			}
			last = gain
		}
	}
}

func TestLevellerRemovesDC(t *testing.T) {
	l := NewLeveller()
	x := make([]int16, Rate)
	for i := range x {
		x[i] = 5000
	}
	frames(x, l.Process)
	if last := x[len(x)-1]; last != 0 {
		t.Errorf("sample %d after a second of DC", last)
	}
	if r := l.Reading(); r.Level != SilentDBFS {
		t.Errorf("level of DC: %+v", r)
	}
}

func TestAnotherFrameIsAmplifiedByTheSameGain(t *testing.T) {
	l := NewLeveller()
	r := rand.New(rand.NewPCG(1, 2))
	var last, before Frame
	frames(syllables(20, -40, -70, r), func(f *Frame) {
		before = *f
		l.Process(f)
		last = *f
	})
	gain := l.Reading().Gain
	l.Amplify(&before)
	var got, want float64
	for i, v := range before {
		got, want = got+float64(v)*float64(v), want+float64(last[i])*float64(last[i])
	}
	if gain < 6 || math.Abs(10*math.Log10(got/want)) > 0.5 {
		t.Errorf("at a gain of %.1f dB the other frame is %.1f dB louder", gain, 10*math.Log10(got/want))
	}
}

func TestLevelsAllocateNothing(t *testing.T) {
	l, m := NewLeveller(), NewMonitor()
	x := syllables(10, -40, -80, rand.New(rand.NewPCG(1, 9)))
	at := 0
	if n := testing.AllocsPerRun(400, func() {
		f := (*Frame)(x[at:])
		at += FrameSamples
		m.Push(f)
		l.Process(f)
		_, _ = m.Reading(), l.Reading()
	}); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
}

func TestMeterMeasuresLevelAndFloor(t *testing.T) {
	var m Meter
	if m.Level() != SilentDBFS || m.Floor() != SilentDBFS {
		t.Errorf("before the first sample: %+v", m)
	}
	r := rand.New(rand.NewPCG(1, 10))
	noise := func(level float64, blocks, n int) {
		for range blocks {
			x := make([]int16, n)
			for i := range x {
				x[i] = saturate(float32(amplitude(level) * r.NormFloat64()))
			}
			m.Push(x)
		}
	}
	for _, n := range []int{160, 320, 512} {
		m = Meter{}
		noise(-60, Rate/n, n)
		if math.Abs(float64(m.Level())+60) > 1 || math.Abs(float64(m.Floor())+60.5) > 1 {
			t.Errorf("blocks of %d at -60 dBFS: %+v", n, m)
		}
		noise(-30, Rate/n, n)
		if math.Abs(float64(m.Level())+30) > 1 || math.Abs(float64(m.Floor())+57.5) > 1 {
			t.Errorf("blocks of %d, one second at -30 dBFS: %+v", n, m)
		}
		noise(-60, Rate/n/2, n)
		if math.Abs(float64(m.Floor())+60.5) > 1 {
			t.Errorf("blocks of %d, quiet again: %+v", n, m)
		}
	}
}

func BenchmarkLeveller(b *testing.B) {
	l := NewLeveller()
	x := syllables(10, -40, -80, rand.New(rand.NewPCG(1, 11)))
	at := 0
	for b.Loop() { // one second of audio
		for range Rate / FrameSamples {
			if at+FrameSamples > len(x) {
				at = 0
			}
			l.Process((*Frame)(x[at:]))
			at += FrameSamples
		}
	}
}

func BenchmarkMonitor(b *testing.B) {
	m := NewMonitor()
	x := syllables(1, -40, -80, rand.New(rand.NewPCG(1, 12)))
	for b.Loop() { // one second of audio
		frames(x, m.Push)
	}
}

func TestLevellerThatIsHeldLearnsNothing(t *testing.T) {
	l := NewLeveller()
	l.Hold(true)
	var f Frame
	for range 500 {
		for i := range f {
			f[i] = int16(100 - 200*(i/20&1))
		}
		l.Process(&f)
	}
	if g := l.Reading().Gain; g != 0 {
		t.Errorf("gain %v dB", g)
	}
}
