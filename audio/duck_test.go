package audio

import "testing"

func TestDuckIsSoftWithinFiveMillisecondsAndComesBackSmoothly(t *testing.T) {
	m := openMixer()
	v := m.Voice()
	g := v.Begin()
	v.Write(g, level(20000, 40000))
	mixed(m, 1000)
	v.Duck(true)
	out := mixed(m, 1000)
	for i, s := range out {
		if i > 0 && out[i-1]-s > 101 {
			t.Fatalf("sample %d falls from %d to %d", i, out[i-1], s)
		}
		if i >= testRate/200 && s != 200 {
			t.Fatalf("sample %d is %d, want 40 dB less than 20000 after 5 ms", i, s)
		}
	}
	v.Duck(false)
	last := int16(200)
	for i, s := range mixed(m, 13000) {
		if d := s - last; d < 0 || d > 3 {
			t.Fatalf("sample %d rises from %d to %d", i, last, s)
		}
		last = s
	}
	if last != 20000 {
		t.Errorf("after 270 ms it is at %d, want 20000", last)
	}
	if heard := v.Cut(); heard != 15000 {
		t.Errorf("%d samples were heard, want the 15000 that were mixed", heard)
	}
}

func TestDuckThatEndsInACutDoesNotComeBackInTheFade(t *testing.T) {
	m := openMixer()
	v := m.Voice()
	v.Write(v.Begin(), level(20000, 10000))
	mixed(m, 1000)
	v.Duck(true)
	mixed(m, 1000)
	v.Cut()
	v.Duck(false)
	for i, s := range mixed(m, 500) {
		if s > 1100 {
			t.Fatalf("sample %d of the fade is %d", i, s)
		}
	}
	v.Write(v.Begin(), level(20000, 1000))
	if out := mixed(m, 500); out[0] != 20000 {
		t.Errorf("the next answer begins at %d", out[0])
	}
}

func TestWhatWasDuckedWasNotHeard(t *testing.T) {
	const before, ducked, after, latency = 1000, 9000, 20000, 480
	fall := testRate / 200 // of the 5 ms in which it falls, the most is audible
	for name, c := range map[string]struct {
		play     func(m *Mixer)
		from, to int64 // what was heard
	}{
		"a cut while it is ducked": {func(m *Mixer) { m.Voice().Duck(true); mixed(m, ducked) }, before,
			before + int64(fall)},
		"a cut long after it": {func(m *Mixer) {
			m.Voice().Duck(true)
			mixed(m, ducked)
			m.Voice().Duck(false)
			mixed(m, after)
		}, before + ducked + after, before + ducked + after},
		"the second time": {func(m *Mixer) {
			for range 2 {
				m.Voice().Duck(true)
				mixed(m, ducked)
				m.Voice().Duck(false)
				mixed(m, after)
			}
			m.Voice().Duck(true)
			mixed(m, ducked)
		}, before + 2*(ducked+after), before + 2*(ducked+after) + int64(fall)},
		"a duck and a cut at once": {func(m *Mixer) { m.Voice().Duck(true) }, before, before},
	} {
		for _, late := range []int64{0, latency} {
			m := openMixer()
			m.SetLatency(int(late))
			v := m.Voice()
			g := v.Begin()
			v.Write(g, level(20000, trackSamples))
			mixed(m, before)
			c.play(m)
			v.Write(g, level(20000, trackSamples))
			got := v.Cut()
			if from, to := c.from-late, c.to; got < from || got > to {
				t.Errorf("%s, %d samples late: %d were heard, want %d to %d", name, late, got, from, to)
			}
		}
	}
}

func TestAnswerThatBeginsDuckedIsNotHeard(t *testing.T) {
	m := openMixer()
	v := m.Voice()
	v.Duck(true)
	v.Write(v.Begin(), level(20000, 5000))
	mixed(m, 3000)
	if heard := v.Cut(); heard != 0 {
		t.Errorf("%d samples were heard", heard)
	}
	v.Duck(false)
	v.Write(v.Begin(), level(20000, 5000))
	mixed(m, 3000)
	if heard := v.Cut(); heard < 2700 || heard > 3000 { // without the fade of the one before
		t.Errorf("of the next answer %d samples were heard, want 3000", heard)
	}
}

func TestDuckAllocatesNothing(t *testing.T) {
	m := openMixer()
	v := m.Voice()
	g, src, out, on := v.Begin(), level(20000, 960), make([]int16, 960), false
	if n := testing.AllocsPerRun(200, func() {
		on = !on
		v.Duck(on)
		v.Write(g, src)
		m.Mix(out)
	}); n != 0 {
		t.Errorf("%v allocations per period", n)
	}
}
