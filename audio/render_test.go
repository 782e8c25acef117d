package audio

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// speaker is a mixer on a device that counts, and a reader of its reference.
type speaker struct {
	m      *Mixer
	ref    *Reference
	gen    Gen
	rate   int
	period int // samples that the device takes at a time
	next   int16
	due    float64 // samples that the device is to mix
	out    []int16
}

func newSpeaker(rate int) *speaker {
	m := NewMixer(100)
	s := &speaker{m: m, ref: m.Reference()}
	s.open(rate)
	return s
}

func (s *speaker) open(rate int) {
	s.m.SetRate(rate)
	s.rate, s.period, s.gen = rate, rate/200, s.m.Voice().Begin()
}

// play lets the device mix n samples of a counter, in periods.
func (s *speaker) play(n float64) {
	for s.due += n; s.due >= float64(s.period); s.due -= float64(s.period) {
		p := make([]int16, s.period)
		for i := range p {
			s.next = s.next%30000 + 1
			p[i] = s.next
		}
		s.m.Voice().Write(s.gen, p)
		s.m.Mix(p)
		s.out = append(s.out, p...)
	}
}

// frame plays a frame, by a clock that is so much faster than the reader's, and
// reads one.
func (s *speaker) frame(faster float64) *Frame {
	s.play(float64(s.rate) / 50 * (1 + faster))
	var f Frame
	s.ref.ReadFrame(&f)
	return &f
}

// lag is by how much f is behind what was mixed last, or -1 if it is not of one
// piece. The device is at Rate, so that nothing is resampled.
func (s *speaker) lag(f *Frame) int {
	for i := 1; i < len(f); i++ {
		if f[i] != f[i-1]%30000+1 {
			return -1
		}
	}
	return (int(s.next) - int(f[len(f)-1]) + 30000) % 30000
}

func TestReferenceIsWhatWasMixedAtAConstantDelay(t *testing.T) {
	s := newSpeaker(Rate)
	s.play(4 * Rate / 200) // a device fills its buffer at once
	s.frame(0)
	want := s.lag(s.frame(0))
	for range 500 {
		if got := s.lag(s.frame(0)); got != want || got < 0 || got > Rate/40 {
			t.Fatalf("reference is %d samples behind the mixer, was %d; want 0 to 25 ms and constant", got, want)
		}
	}
}

func TestReferenceIsResampledFromTheRateOfTheCard(t *testing.T) {
	s := newSpeaker(48000)
	m := s.m
	var all []int16
	at := 0
	for _, rate := range []int{48000, 44100, 192000, 8000} {
		s.open(rate)
		m.SetVolume(50)
		for range 60 {
			p := make([]int16, rate/50)
			for i := range p {
				p[i] = int16(8000 * math.Sin(2*math.Pi*440*float64(at)/float64(rate)))
				at++
			}
			m.Voice().Write(s.gen, p)
			m.Mix(p)
			var f Frame
			s.ref.ReadFrame(&f)
			all = append(all, f[:]...)
		}
		// A sine of a quarter of the power, by the volume of 50 %.
		var sin, cos, sum float64
		for i, v := range all[len(all)-16000:] {
			sn, cs := math.Sincos(2 * math.Pi * 440 * float64(i) / Rate)
			sin, cos, sum = sin+sn*float64(v), cos+cs*float64(v), sum+float64(v)*float64(v)
		}
		amp := 2 * math.Hypot(sin, cos) / 16000
		if math.Abs(amp-1000) > 20 || sum > 16000*500000*1.02 {
			t.Errorf("%d Hz: a tone of 1000 has amplitude %.0f and power %.0f", rate, amp, sum/16000)
		}
	}
}

func TestReferenceIsSilentWhileTheDeviceRestsAndGoesOnAlike(t *testing.T) {
	s := newSpeaker(Rate)
	s.play(4 * Rate / 200)
	s.frame(0)
	want := s.lag(s.frame(0))
	for range 3 {
		for i := range 600 {
			var f Frame
			s.ref.ReadFrame(&f)
			if i > 3 && f != (Frame{}) {
				t.Fatalf("frame %d after the device stopped is not silent", i)
			}
		}
		s.m.SetRate(0)
		s.open(Rate)
		s.play(4 * Rate / 200)
		s.frame(0)
		s.frame(0)
		if got := s.lag(s.frame(0)); got != want {
			t.Errorf("reference is %d samples behind after a rest, was %d", got, want)
		}
	}
}

func TestReferenceSlipsRarelyWhenTheClocksDiffer(t *testing.T) {
	for _, ppm := range []float64{-200, 200} {
		s := newSpeaker(Rate)
		last, changes := -1, 0
		for i := range 50 * 300 { // five minutes
			lag := s.lag(s.frame(ppm * 1e-6))
			if i < 10 {
				continue
			}
			if lag > Rate/20 {
				t.Fatalf("%v ppm: reference is %d samples behind", ppm, lag)
			}
			if lag < 0 || last >= 0 && abs(lag-last) > 100 {
				changes++
			}
			last = lag
		}
		// 960 samples in five minutes, at least 150 at a time.
		if changes == 0 || changes > 4*7 {
			t.Errorf("%v ppm: %d changes", ppm, changes)
		}
	}
}

func abs(n int) int { return max(n, -n) }

// TestReferenceBearsDevicesOfLongPeriods has the speaker take, and the microphone give,
// up to 85 ms at a time, as sound servers do.
func TestReferenceBearsDevicesOfLongPeriods(t *testing.T) {
	periods := []int{80, 320, 341, 512, 683, 1024, 1365}
	for _, taken := range periods {
		for _, given := range periods {
			s := newSpeaker(Rate)
			s.period = taken
			s.play(float64(3 * taken)) // a device fills its buffer at once
			have, frames, broken := 0, 0, 0
			for at := 0; at < 20*Rate; at += given {
				s.play(float64(given))
				for have += given; have >= FrameSamples; have -= FrameSamples {
					var f Frame
					s.ref.ReadFrame(&f)
					lag := s.lag(&f)
					if frames++; lag < 0 {
						broken++
					}
					if lag > 2*max(taken, given)+Rate/20 {
						t.Fatalf("%d taken and %d given at a time: the reference is %d samples behind", taken,
							given, lag)
					}
				}
			}
			if broken > frames/50 {
				t.Errorf("%d taken and %d given at a time: %d of %d frames are not of one piece", taken, given, broken, frames)
			}
		}
	}
}

func TestReferenceGoesOnAfterNobodyHasReadIt(t *testing.T) {
	for _, frames := range []int{5, 60, 500} {
		s := newSpeaker(Rate)
		for range 10 {
			s.frame(0)
		}
		for range frames {
			s.play(FrameSamples)
		}
		var lag int
		for range 3 * renderWatch {
			lag = s.lag(s.frame(0))
		}
		if lag < 0 || lag > Rate/40 {
			t.Errorf("reference is %d samples behind after %d frames that nobody read", lag, frames)
		}
	}
}

func TestReferenceThatWasReplacedFallsSilent(t *testing.T) {
	s := newSpeaker(Rate)
	s.frame(0)
	second := s.m.Reference()
	var f, g Frame
	for range 10 {
		s.play(FrameSamples)
		s.ref.ReadFrame(&f)
		second.ReadFrame(&g)
	}
	if f != (Frame{}) || g == (Frame{}) {
		t.Errorf("the first reader has %v, the second %v", f[:3], g[:3])
	}
}

func TestReferenceAllocatesNothing(t *testing.T) {
	m := NewMixer(100)
	ref := m.Reference()
	m.SetRate(48000)
	out := make([]int16, 960)
	var f Frame
	m.Mix(out)
	ref.ReadFrame(&f)
	m.Mix(out)
	ref.ReadFrame(&f)
	voice := m.Voice()
	g := voice.Begin()
	tone := level(500, 960)
	if n := testing.AllocsPerRun(100, func() { voice.Write(g, tone); m.Mix(out); ref.ReadFrame(&f) }); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
	if f[0] == 0 {
		t.Error("nothing was read")
	}
}

// The device thread and the reader run freely; the reader must see nothing that
// was not played, and in the order in which it was.
func TestReferenceMayBeReadWhileTheDeviceRunsAndChanges(t *testing.T) {
	s := newSpeaker(Rate)
	var device sync.WaitGroup
	var heard atomic.Bool
	device.Go(func() {
		// On a busy machine the reader may sleep through all of 3000 periods.
		for i := 0; i < 3000 || i < 300_000 && !heard.Load(); i++ {
			if i%500 == 499 {
				s.m.SetRate(0)
				s.open([]int{Rate, 48000, Rate, 44100}[i/500%4])
			}
			s.play(float64(s.rate) / 200)
			runtime.Gosched()
		}
	})
	done := make(chan struct{})
	go func() { device.Wait(); close(done) }()
	var f Frame
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		s.ref.ReadFrame(&f)
		if f != (Frame{}) {
			heard.Store(true)
		}
		runtime.Gosched()
	}
	if !heard.Load() {
		t.Error("nothing was heard")
	}
}

func BenchmarkReferenceFrame(b *testing.B) {
	for name, loud := range map[string]bool{"silent": false, "playing": true} {
		b.Run(name, func(b *testing.B) {
			m := NewMixer(100)
			ref := m.Reference()
			m.SetRate(48000)
			voice := m.Voice()
			g := voice.Begin()
			out, tone := make([]int16, 960), level(500, 960)
			var f Frame
			for b.Loop() {
				if loud {
					voice.Write(g, tone)
				}
				m.Mix(out)
				ref.ReadFrame(&f)
			}
		})
	}
}
