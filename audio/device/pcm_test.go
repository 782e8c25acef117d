package device

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/audio"
)

func TestDownmixAveragesChannels(t *testing.T) {
	mono := make([]int16, 3)
	downmix(mono, littleEndian([]int16{-32768, 5, 32767}), 1)
	if diff := cmp.Diff([]int16{-32768, 5, 32767}, mono); diff != "" {
		t.Error(diff)
	}
	downmix(mono, littleEndian([]int16{-32768, -32768, 100, 300, 32767, 32767}), 2)
	if diff := cmp.Diff([]int16{-32768, 200, 32767}, mono); diff != "" {
		t.Error(diff)
	}
}

func TestUpmixFillsEveryChannel(t *testing.T) {
	out := make([]byte, 12)
	upmix(out, []int16{1, -2, 3}, 2)
	if diff := cmp.Diff(littleEndian([]int16{1, 1, -2, -2, 3, 3}), out); diff != "" {
		t.Error(diff)
	}
}

// The device thread must never wait for the collector, and the listening path
// runs for months.
func TestSamplePathAllocatesNothing(t *testing.T) {
	c, err := NewCapture(CaptureOptions{Log: quietLog()})
	if err != nil {
		t.Fatal(err)
	}
	stereo := make([]byte, 960*4)
	mono := make([]byte, 960*2)
	take, err := c.opened(format{rate: 48000, channels: 2, buffer: 3840})
	if err != nil {
		t.Fatal(err)
	}
	s := &stream{format: format{rate: 48000, channels: 2}, data: take, started: make(chan struct{}, 1)}
	ctx := context.Background()
	var frame audio.Frame
	for range 2 { // the resampler's delay
		s.callback(nil, stereo, 960)
	}
	if n := testing.AllocsPerRun(100, func() {
		s.callback(nil, stereo, 960)
		if err := c.ReadFrame(ctx, &frame); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("capture allocates %v times per frame", n)
	}

	sp := speaker{mixer: audio.NewMixer(50), channels: 2, mono: make([]int16, maxBlock)}
	sp.mixer.SetRate(48000)
	if n := testing.AllocsPerRun(100, func() { sp.play(stereo, nil, 960) }); n != 0 {
		t.Errorf("playback to two channels allocates %v times per block", n)
	}
	sp.channels = 1
	if n := testing.AllocsPerRun(100, func() { sp.play(mono, nil, 960) }); n != 0 {
		t.Errorf("playback to one channel allocates %v times per block", n)
	}
}

func TestCallbackIgnoresANegativeCount(t *testing.T) {
	s := &stream{
		format: format{rate: 48000, channels: 1},
		data:   func(_, _ []byte, frames int) { t.Errorf("data gets %d sample frames", frames) },
	}
	noDevice := -19 // ENODEV, as miniaudio passes it on
	s.callback(nil, nil, uint32(noDevice))
	if s.frames.Load() != 0 {
		t.Error("it counts as progress")
	}
}
