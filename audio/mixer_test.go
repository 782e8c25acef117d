package audio

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const testRate = 48000

// openMixer has a device at testRate and full volume, at which samples come out
// as they went in.
func openMixer() *Mixer {
	m := NewMixer(100)
	m.SetRate(testRate)
	return m
}

func mixed(m *Mixer, n int) []int16 {
	out := make([]int16, n)
	m.Mix(out)
	return out
}

func level(v int16, n int) []int16 {
	return slices.Repeat([]int16{v}, n)
}

func TestMixerSumsItsTracksAndSaturates(t *testing.T) {
	m := openMixer()
	voice, earcon := m.Voice(), m.Earcon()
	voice.Write(voice.Begin(), []int16{100, -100, 30000, -30000, 7})
	earcon.Write(earcon.Begin(), []int16{1, -1, 30000, -30000})
	want := []int16{101, -101, 32767, -32768, 7, 0}
	if got := mixed(m, 6); !slices.Equal(got, want) {
		t.Errorf("mixed %v, want %v", got, want)
	}
}

func TestMixerPlaysAcrossBlocksOfAnyLength(t *testing.T) {
	m := openMixer()
	src := make([]int16, 5000)
	for i := range src {
		src[i] = int16(i)
	}
	m.Voice().Write(m.Voice().Begin(), src)
	var got []int16
	for _, n := range []int{1, 511, 512, 513, 1400, 0, 2063} {
		got = append(got, mixed(m, n)...)
	}
	if !slices.Equal(got, src) {
		t.Error("blocks of other lengths change what is heard")
	}
}

func TestMixerAppliesTheVolume(t *testing.T) {
	m := openMixer()
	m.SetVolume(50)
	m.Voice().Write(m.Voice().Begin(), level(8000, 1000))
	out := mixed(m, 1000)
	if out[0] < 7900 || out[999] != 1000 || m.Volume() != 50 {
		t.Errorf("volume %d: from %d to %d, want a ramp from 8000 to 1000", m.Volume(), out[0], out[999])
	}
}

func TestMixerWithoutDeviceIsSilentAndRefusesSamples(t *testing.T) {
	m := NewMixer(100)
	v := m.Voice()
	g := v.Begin()
	if n := v.Write(g, level(1, 10)); n != 0 {
		t.Errorf("Write took %d samples without a device", n)
	}
	if err := v.WriteAll(t.Context(), g, level(1, 10)); !errors.Is(err, ErrNoDevice) {
		t.Errorf("WriteAll: %v, want ErrNoDevice", err)
	}
	if err := v.Drain(t.Context(), g); !errors.Is(err, ErrNoDevice) {
		t.Errorf("Drain: %v, want ErrNoDevice", err)
	}
	if heard := v.Cut(); heard != 0 {
		t.Errorf("Cut: %d samples heard without a device", heard)
	}
	if out := mixed(m, 4); !slices.Equal(out, make([]int16, 4)) {
		t.Errorf("mixed %v, want silence", out)
	}
}

func TestMixerDiscardsWhatWasQueuedForTheDeviceBefore(t *testing.T) {
	m := openMixer()
	v := m.Voice()
	old := v.Begin()
	v.Write(old, level(9000, 5000))
	mixed(m, 1000)
	m.SetRate(0)
	m.SetRate(16000)
	if n := v.Write(old, level(9000, 10)); n != 0 {
		t.Errorf("a generation of the device before wrote %d samples", n)
	}
	if err := v.Drain(t.Context(), old); !errors.Is(err, ErrNoDevice) {
		t.Errorf("Drain: %v, want ErrNoDevice", err)
	}
	if heard := v.Cut(); heard != 1000 {
		t.Errorf("Cut: %d samples heard, want the 1000 before the device went", heard)
	}
	if again := v.Cut(); again != 0 {
		t.Errorf("a second Cut says %d, want 0", again)
	}
	v.Write(v.Begin(), level(5, 3))
	if out, want := mixed(m, 4), []int16{5, 5, 5, 0}; !slices.Equal(out, want) {
		t.Errorf("the new device plays %v, want %v", out, want)
	}
}

func TestMixerDoesNotFinishAFadeOnAnotherDevice(t *testing.T) {
	m := openMixer()
	v := m.Voice()
	v.Write(v.Begin(), level(20000, 5000))
	mixed(m, 1000)
	v.Cut()
	mixed(m, 100) // of the 240 of the fade
	m.SetRate(0)
	m.SetRate(testRate)
	if out := mixed(m, 1); out[0] != 0 {
		t.Errorf("the new device begins with %d, want silence", out[0])
	}
}

func TestMixerMixesWithoutAllocating(t *testing.T) {
	m := openMixer()
	v := m.Voice()
	g := v.Begin()
	out, src := make([]int16, 960), make([]int16, 960)
	n := testing.AllocsPerRun(200, func() {
		v.Write(g, src)
		m.SetVolume(m.Volume() ^ 1)
		m.Mix(out)
	})
	if n != 0 {
		t.Errorf("%v allocations per period, want 0: this runs on the device thread", n)
	}
}

func TestMixerSurvivesADeviceThatComesAndGoes(t *testing.T) {
	m := NewMixer(100)
	v := m.Voice()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { // the speech side
		for ctx.Err() == nil {
			g := v.Begin()
			err := v.WriteAll(ctx, g, level(1, 3000))
			if err == nil {
				err = v.Drain(ctx, g)
			}
			if err != nil && !errors.Is(err, ErrNoDevice) && !errors.Is(err, ErrStale) && ctx.Err() == nil {
				t.Errorf("speech: %v", err)
			}
		}
	})
	wg.Go(func() { // the user
		for ctx.Err() == nil {
			if heard := v.Cut(); heard < 0 || heard > 3000 {
				t.Errorf("Cut: %d samples heard of 3000", heard)
			}
			m.SetVolume(90)
			runtime.Gosched()
		}
	})
	for range 200 { // the device
		m.SetRate(testRate)
		m.SetLatency(480)
		for range 50 {
			mixed(m, 480)
		}
		m.SetRate(0)
	}
	cancel()
	wg.Wait()
}

func TestWriteAllWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := openMixer()
		v := m.Voice()
		src := make([]int16, 3*trackSamples)
		for i := range src {
			src[i] = int16(i)
		}
		done := make(chan error, 1)
		go func() { done <- v.WriteAll(t.Context(), v.Begin(), src) }()
		synctest.Wait()
		var got []int16
		for len(got) < len(src) {
			got = append(got, mixed(m, 1024)...)
			synctest.Wait()
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, src) {
			t.Error("what was heard is not what was written")
		}
	})
}

func TestDrainWaitsUntilTheLatencyHasGoneBy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := openMixer()
		m.SetLatency(1000)
		v := m.Voice()
		g := v.Begin()
		v.Write(g, level(1, 700))
		done := make(chan error, 1)
		go func() { done <- v.Drain(t.Context(), g) }()
		for clock := 100; clock <= 1700; clock += 100 {
			synctest.Wait()
			if len(done) > 0 {
				t.Fatalf("drained after %d samples, want 1700", clock-100)
			}
			mixed(m, 100)
		}
		synctest.Wait()
		if len(done) == 0 {
			t.Fatal("not drained after 1700 samples")
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestDrainOfAnEmptyGenerationReturnsAtOnce(t *testing.T) {
	m := openMixer()
	v := m.Voice()
	v.Write(v.Begin(), level(1, 10000))
	mixed(m, 100)
	v.Cut()
	if err := v.Drain(t.Context(), v.Begin()); err != nil {
		t.Error(err)
	}
}

func TestWaitersEndWithCutDeviceOrContext(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(*Mixer)
		want error
	}{
		"cut":     {func(m *Mixer) { m.Voice().Cut() }, ErrStale},
		"begin":   {func(m *Mixer) { m.Voice().Begin() }, ErrStale},
		"device":  {func(m *Mixer) { m.SetRate(0) }, ErrNoDevice},
		"context": {func(*Mixer) {}, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				m := openMixer()
				v := m.Voice()
				g := v.Begin()
				v.Write(g, level(1, 10)) // so that there is something to drain
				done := make(chan error, 2)
				go func() { done <- v.WriteAll(ctx, g, level(1, 2*trackSamples)) }()
				go func() { done <- v.Drain(ctx, g) }()
				synctest.Wait()
				c.end(m)
				for range 2 {
					if err := <-done; !errors.Is(err, c.want) {
						t.Errorf("got %v, want %v", err, c.want)
					}
				}
			})
		})
	}
}

func TestMixerTakesAVolumeSetInSilenceAtOnce(t *testing.T) {
	m := openMixer()
	m.SetVolume(50)
	mixed(m, 10)
	m.Voice().Write(m.Voice().Begin(), level(8000, 10))
	if out := mixed(m, 10); out[0] != 1000 {
		t.Errorf("first sample %d, want 1000", out[0])
	}
}

func BenchmarkMixSilence20ms(b *testing.B) {
	m, out := openMixer(), make([]int16, 960)
	for b.Loop() {
		m.Mix(out)
	}
}

func BenchmarkMix20ms(b *testing.B) {
	m := openMixer()
	m.SetVolume(70)
	v, e := m.Voice(), m.Earcon()
	gv, ge := v.Begin(), e.Begin()
	src, out := make([]int16, 960), make([]int16, 960)
	for b.Loop() {
		v.Write(gv, src)
		e.Write(ge, src)
		m.Mix(out)
	}
}

// A device that came to rest before the end was heard would never let Drain return.
func TestMixerWaitsUntilTheLastSampleWasHeard(t *testing.T) {
	m := openMixer()
	m.SetLatency(500)
	v := m.Voice()
	mixed(m, 1000)
	v.Write(v.Begin(), level(1000, 100))
	for _, n := range []int{0, 100, 499} {
		if mixed(m, n); !m.Waiting() {
			t.Errorf("after %d more samples it does not wait, and %d of 100 were heard", n, v.Heard())
		}
	}
	if mixed(m, 1); m.Waiting() {
		t.Errorf("it waits for nothing; %d of 100 were heard", v.Heard())
	}
}
