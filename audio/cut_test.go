package audio

import (
	"sync"
	"testing"
)

func TestCutFadesWithoutAClickAndThenIsSilent(t *testing.T) {
	m := openMixer()
	v := m.Voice()
	v.Write(v.Begin(), level(20000, 10000))
	mixed(m, 1000)
	v.Cut()
	last := int16(20000)
	for i, s := range append(mixed(m, 100), mixed(m, 500)...) {
		if d := last - s; d < 0 || d > 100 {
			t.Fatalf("sample %d after the cut falls from %d to %d", i, last, s)
		}
		if i >= testRate/200 && s != 0 {
			t.Fatalf("sample %d after the cut is %d, want silence after 5 ms", i, s)
		}
		last = s
	}
}

func TestCutPlaysNothingOfWhatWasNotYetHeard(t *testing.T) {
	m := openMixer()
	v := m.Voice()
	v.Write(v.Begin(), level(20000, 1000))
	v.Cut()
	v.Write(v.Begin(), level(3, 10))
	for i, s := range mixed(m, 20) {
		if want := int16(3); i < 10 && s != want || i >= 10 && s != 0 {
			t.Fatalf("sample %d is %d", i, s)
		}
	}
}

func TestTrackThatWasCutSoundsAsLongAsTheDeviceHoldsSomethingOfIt(t *testing.T) {
	m := openMixer()
	m.SetLatency(500)
	v := m.Voice()
	v.Write(v.Begin(), level(20000, 10000))
	mixed(m, 1000)
	v.Cut()
	mixed(m, testRate/200) // the fade
	for _, want := range []bool{true, false, false} {
		if got := v.Sounding(); got != want {
			t.Errorf("it sounds: %t, want %t", got, want)
		}
		mixed(m, 500)
	}
	g := v.Begin()
	v.Write(g, level(3, 1000))
	mixed(m, 600)
	if n := v.Cut(); n != 100 {
		t.Errorf("%d samples of the next were heard, want 100", n)
	}
}

func TestCutOfOneTrackLeavesTheOther(t *testing.T) {
	m := openMixer()
	v, e := m.Voice(), m.Earcon()
	v.Write(v.Begin(), level(100, 2000))
	e.Write(e.Begin(), level(7, 2000))
	mixed(m, 500)
	v.Cut()
	out := mixed(m, 500)
	if out[499] != 7 {
		t.Errorf("after the cut of the voice: %d, want the earcon's 7", out[499])
	}
}

func TestCutStartsTheNextAnswerRightAfterTheFade(t *testing.T) {
	m := openMixer()
	v := m.Voice()
	v.Write(v.Begin(), level(20000, 10000))
	mixed(m, 1000)
	v.Cut()
	v.Write(v.Begin(), level(3, 10000))
	out := mixed(m, 1000)
	if out[239] == 3 || out[240] != 3 || out[999] != 3 {
		t.Errorf("samples 239, 240, 999 are %d, %d, %d; want the new answer from 240 on", out[239], out[240], out[999])
	}
	if heard := v.Cut(); heard != 760 {
		t.Errorf("%d samples of the new answer heard, want 760", heard)
	}
}

func TestCutCountsWhatWasHeard(t *testing.T) {
	type step struct{ write, mix int }
	for _, c := range []struct {
		name  string
		steps []step
		want  int64
	}{
		{"nothing mixed", []step{{1000, 0}}, 0},
		{"less than the latency mixed", []step{{1000, 300}}, 0},
		{"in the middle", []step{{5000, 2000}}, 1600},
		{"all mixed, not all heard", []step{{1000, 1100}}, 700 + 100 - 100},
		{"all heard", []step{{1000, 5000}}, 1000},
		{"silence before the first sample is not counted", []step{{0, 3000}, {5000, 1000}}, 600},
		{"a pause longer than the latency", []step{{1000, 3000}, {1000, 100}}, 1000},
		{"after a pause", []step{{1000, 3000}, {1000, 600}}, 1200},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := openMixer()
			m.SetLatency(400)
			v := m.Voice()
			g := v.Begin()
			for _, s := range c.steps {
				v.Write(g, level(1, s.write))
				for n := s.mix; n > 0; n -= 100 {
					mixed(m, 100)
				}
			}
			if got := v.Cut(); got != c.want {
				t.Errorf("%d samples heard, want %d", got, c.want)
			}
			if again := v.Cut(); again != 0 {
				t.Errorf("a second Cut says %d, want 0", again)
			}
		})
	}
}

func TestCutCountsItsOwnGenerationOnly(t *testing.T) {
	m := openMixer()
	v := m.Voice()
	v.Write(v.Begin(), level(1, 1000))
	v.Write(v.Begin(), level(2, 1000)) // queued behind the first
	if out := mixed(m, 1300); out[999] != 1 || out[1000] != 2 {
		t.Errorf("samples 999 and 1000 are %d and %d", out[999], out[1000])
	}
	if heard := v.Cut(); heard != 300 {
		t.Errorf("%d samples heard, want 300 of the second generation", heard)
	}
}

// Writers that nobody told of the cut go on writing while the next answer
// begins. Once the fade is over, not one of their samples may be heard.
func TestSlowWriterCannotLeakIntoTheNextAnswer(t *testing.T) {
	m := openMixer()
	v := m.Voice()
	var writers sync.WaitGroup
	defer writers.Wait()
	out := make([]int16, 240)
	for turn := int16(1); turn <= 300; turn++ {
		value := turn * 100
		g := v.Begin()
		writers.Go(func() {
			for range 400 {
				v.Write(g, level(value, 50))
			}
		})
		for range 20 {
			m.Mix(out)
			for _, s := range out {
				if s != 0 && s != value {
					t.Fatalf("turn %d plays %d, want %d or silence", turn, s, value)
				}
			}
		}
		v.Cut()
		m.Mix(out) // the fade
	}
}
