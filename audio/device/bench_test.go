package device

import (
	"context"
	"strconv"
	"testing"
	"time"

	"hearthd/audio"
	"hearthd/rigs/testcard"
)

func BenchmarkCaptureCallback(b *testing.B) {
	for _, channels := range []int{1, 2} {
		b.Run(strconv.Itoa(channels)+"ch", func(b *testing.B) {
			f := &feed{
				ring: audio.NewRing(testcard.Rate), bell: audio.NewDoorbell(),
				wake: 960, channels: channels, mono: make([]int16, maxBlock),
			}
			s := &stream{format: format{rate: testcard.Rate}, data: f.take, started: make(chan struct{}, 1)}
			in, out := make([]byte, 960*channels*2), make([]int16, 2*960)
			b.ReportAllocs()
			for b.Loop() {
				s.callback(nil, in, 960)
				f.ring.Read(out)
			}
		})
	}
}

func BenchmarkPlaybackCallback(b *testing.B) {
	p := speaker{mixer: audio.NewMixer(50), channels: 2, mono: make([]int16, maxBlock)}
	p.mixer.SetRate(testcard.Rate)
	s := &stream{format: format{rate: testcard.Rate}, data: p.play, started: make(chan struct{}, 1)}
	out := make([]byte, 480*2*2)
	b.ReportAllocs()
	for b.Loop() {
		s.callback(out, nil, 480)
	}
}

// BenchmarkIdle says what listening to an idle room costs: CPU seconds of the
// whole process per minute, with the test card's own work in them. Most of it is
// not ours: after each callback of a speaker the Go scheduler's monitor thread
// polls for 10 ms, unless there is only one P. See the results with GOMAXPROCS=1.
func BenchmarkIdle(b *testing.B) {
	b.Run("capture", func(b *testing.B) { benchmarkIdle(b, -1) })
	b.Run("capture+resting playback", func(b *testing.B) { benchmarkIdle(b, 100*time.Millisecond) })
	b.Run("capture+running playback", func(b *testing.B) { benchmarkIdle(b, 0) })
}

// benchmarkIdle captures, and plays silence unless idleAfter is negative.
func benchmarkIdle(b *testing.B, idleAfter time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error, 2)
	c, err := NewCapture(CaptureOptions{Device: testcard.PCM, Log: quietLog()})
	if err != nil {
		b.Fatal(err)
	}
	go func() { done <- c.Run(ctx) }()
	if idleAfter >= 0 {
		p, err := NewPlayback(PlaybackOptions{
			Device: testcard.PCM, IdleAfter: idleAfter, Mixer: audio.NewMixer(50), Log: quietLog(),
		})
		if err != nil {
			b.Fatal(err)
		}
		go func() { done <- p.Run(ctx) }()
	} else {
		done <- nil
	}
	var frame audio.Frame
	read := func() {
		if err := c.ReadFrame(ctx, &frame); err != nil {
			b.Fatal(err)
		}
	}
	for range 20 { // the devices are open, and rest if they may
		read()
	}
	began, cpu := time.Now(), cpuTime(b)
	for b.Loop() {
		read()
	}
	b.ReportMetric((cpuTime(b)-cpu).Seconds()/time.Since(began).Minutes(), "cpu-s/min")
	cancel()
	for range cap(done) {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
}
