package ears

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"hearthd/audio"
	"hearthd/daemon/api"
	"hearthd/vad"
	"hearthd/vad/wake"
)

// sure is a spotter that is sure of two words.
type sure struct{}

func (sure) String() string { return "sure" }

func (sure) Push(*audio.Frame, audio.Position) []wake.Detection { return nil }
func (sure) Reset()                                             {}
func (sure) Names() []string                                    { return []string{"hey hearth", "stop"} }
func (sure) Scores(dst []float32) []float32                     { return append(dst, 0.5, 0.25) }

func newMeter(t *testing.T) *Meter {
	t.Helper()
	s := usual(t)
	s.AEC, s.AutoGain = "off", false
	return meterOf(t, s)
}

func meterOf(t *testing.T, s Setup) *Meter {
	t.Helper()
	e, err := NewFrontEnd(FrontEndOptions{Setup: s, Emit: func(*vad.Signal) {},
		Detected: func(wake.Detection) bool { return false }})
	if err != nil {
		t.Fatal(err)
	}
	e.spotters = append(e.spotters, sure{})
	return NewMeter(e, nil)
}

// frame is one whose samples are v and -v in turns.
func frame(v int16) *audio.Frame {
	var f audio.Frame
	for i := range f {
		f[i] = v * int16(1-i%2*2)
	}
	return &f
}

func TestMeterMeasuresNoDirectCurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(t)
		ctx, cancel := context.WithCancel(t.Context())
		c := m.Watch(ctx)
		dead := frame(0)
		for i := range dead {
			dead[i] = -700
		}
		for range meterFrames {
			m.Look(dead, false)
		}
		if r := <-c; r.Level != silentDBFS || r.Quiet != silentDBFS || r.Peak != silentDBFS {
			t.Errorf("nothing but direct current has a level of %v to %v dBFS, its peak is %v", r.Quiet, r.Level,
				r.Peak)
		}
		cancel()
	})
}

func TestMeterShowsTheLastMinuteToWhoBeginsToLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(t)
		level := func(n int) int16 { return int16(min(1+n, 30000)) }
		n := 0
		look := func(frames int) {
			for range frames {
				m.Look(frame(level(n)), n%7 == 0)
				n++
			}
		}
		look(2*minuteFrames + 123)
		ctx, cancel := context.WithCancel(t.Context())
		readings := m.Watch(ctx)
		look(meterFrames)
		first := <-readings
		if len(first.Wave) != minuteFrames {
			t.Fatalf("%d frames", len(first.Wave))
		}
		for i, got := range first.Wave {
			k := n - minuteFrames + i
			top := float64(level(k))
			want := [3]int8{int8(dbfs(top * top)), 0, 0}
			if k%7 == 0 {
				want[2] = api.WaveHeld
			}
			if got != want {
				t.Fatalf("frame %d is %v, want %v", k, got, want)
			}
		}
		look(meterFrames)
		if next := <-readings; len(next.Wave) != meterFrames {
			t.Errorf("the next reading has %d frames", len(next.Wave))
		}
		cancel()
		synctest.Wait()
	})
}

func TestMeterShowsATenthOfASecondToEverybodyWhoLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(t)
		m.Look(frame(1), false) // nobody looks
		ctx, cancel := context.WithCancel(t.Context())
		first, second := m.Watch(ctx), m.Watch(ctx)
		for i, v := range []int16{0, 3277, 32767, -32767, 328, 328} {
			m.Look(frame(v), i == 2)
		}
		want := api.Meter{
			At: 0.12, Level: dbfs(32767 * 32767), Quiet: -96, Peak: dbfs(32767 * 32767), Clipped: 640, Held: true,
			Floor: -96,
			Wave:  [][3]int8{{-90, 0, 0}, {-96, 0, 0}, {-19, 0, 0}, {0, 0, api.WaveHeld}, {0, 0, 0}, {-39, 0, 0}},
			Wake:  map[string]float32{"hey hearth": 0.5, "stop": 0.25},
		}
		for _, c := range []<-chan api.Meter{first, second} {
			if d := cmp.Diff(want, <-c); d != "" {
				t.Errorf("reading (-want +got):\n%s", d)
			}
		}
		cancel()
		synctest.Wait()
		if n := len(*m.watchers.Load()); n != 0 {
			t.Errorf("%d watchers are left", n)
		}
	})
}

// A box runs for months, and a reading says when it was.
func TestMeterCountsOnAfterYears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(t)
		const days = 1000 * 86400
		m.at = days * audio.Rate
		ctx, cancel := context.WithCancel(t.Context())
		c := m.Watch(ctx)
		for range meterFrames {
			m.Look(frame(100), false)
		}
		if r := <-c; r.At != days+0.1 {
			t.Errorf("the reading is of %v s, want %v", r.At, days+0.1)
		}
		cancel()
	})
}

func TestReaderThatDoesNotTakeReadingsHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(t)
		ctx, cancel := context.WithCancel(t.Context())
		c := m.Watch(ctx)
		for range 100 * meterFrames {
			m.Look(frame(100), false)
		}
		first := <-c
		if first.At != 0.1 {
			t.Errorf("the first reading that is left is of %v s", first.At)
		}
		cancel()
	})
}

// The listen goroutine allocates nothing, looked at or not.
func TestMeterAllocatesNothingPerFrame(t *testing.T) {
	m := newMeter(t)
	f := frame(1000)
	if n := testing.AllocsPerRun(100, func() { m.Look(f, false) }); n != 0 {
		t.Errorf("%v allocations while nobody looks", n)
	}
	list := []chan reading{make(chan reading, 1)}
	m.watchers.Store(&list)
	if n := testing.AllocsPerRun(100, func() { m.Look(f, false) }); n != 0 {
		t.Errorf("%v allocations while somebody looks", n)
	}
}

func TestMeterShowsGainAndEchoWhereThereAreAny(t *testing.T) {
	m := meterOf(t, usual(t))
	m.speaks = func() bool { return true }
	in := m.Watch(t.Context())
	for range meterFrames {
		m.Look(&audio.Frame{}, false)
	}
	if r := <-in; !r.Speaks || r.Gain == nil || r.Echo == nil || r.Echo.Good || r.Echo.DelayMS != nil {
		t.Errorf("reading %+v", r)
	}
}
