package audio

import (
	"math"
	"math/rand/v2"
	"testing"
)

// noisy fills frames with noise of an amplitude around dc.
func noisy(m *Monitor, n int, amplitude, dc int, r *rand.Rand) {
	var f Frame
	for range n {
		for i := range f {
			f[i] = int16(dc)
			if amplitude > 0 {
				f[i] += int16(r.IntN(2*amplitude+1) - amplitude)
			}
		}
		m.Push(&f)
	}
}

func TestMonitorTellsSilenceAfterFiveSecondsAndSoundAtOnce(t *testing.T) {
	for name, dc := range map[string]int{"zeros": 0, "constant": -700} {
		m, r := NewMonitor(), rand.New(rand.NewPCG(1, 1))
		noisy(m, 100, 20, dc, r)
		noisy(m, 249, 0, dc, r)
		if m.Reading().Silent {
			t.Errorf("%s: silent before 5 s", name)
		}
		noisy(m, 1, 0, dc, r)
		if !m.Reading().Silent {
			t.Errorf("%s: not silent after 5 s", name)
		}
		noisy(m, 4, 20, dc, r)
		noisy(m, 1, 0, dc, r)
		if !m.Reading().Silent {
			t.Errorf("%s: a click ended it", name)
		}
		noisy(m, 5, 20, dc, r)
		if m.Reading().Silent {
			t.Errorf("%s: still silent after 100 ms of sound", name)
		}
	}
}

func TestMonitorTakesAQuietRoomForNoDeadMicrophone(t *testing.T) {
	m, r := NewMonitor(), rand.New(rand.NewPCG(1, 2))
	noisy(m, 1000, 4, 30, r) // -82 dBFS
	if got := m.Reading(); got.Silent || got.Level > -80 || got.Level < -84 {
		t.Errorf("%+v", got)
	}
}

func TestMonitorTellsClippingUntilItIsRare(t *testing.T) {
	m := NewMonitor()
	clip := func(frames, samples int) {
		for range frames {
			var f Frame
			for i := range samples {
				f[i*2] = 32767 - int16(i%2)
				f[i*2+1] = -32768
			}
			m.Push(&f)
		}
	}
	clip(500, 0)
	clip(1, 40)
	if got := m.Reading(); got.Clipping || math.Abs(float64(got.Clipped)-0.0005) > 1e-6 || got.Peak < -0.01 {
		t.Errorf("after one blow: %+v", got)
	}
	clip(2, 41)
	if !m.Reading().Clipping {
		t.Errorf("after three: %+v", m.Reading())
	}
	clip(460, 0)
	if !m.Reading().Clipping {
		t.Errorf("9 s later: %+v", m.Reading())
	}
	clip(45, 0)
	if got := m.Reading(); got.Clipping || got.Clipped != 0 {
		t.Errorf("10 s later: %+v", got)
	}
}
