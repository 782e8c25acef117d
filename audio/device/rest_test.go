package device

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gen2brain/malgo"

	"hearthd/audio"
	"hearthd/rigs/testcard"
)

// TestStopThatIsOverIsNoLoss has the stop callback of a rest come as late as it may.
func TestStopThatIsOverIsNoLoss(t *testing.T) {
	heal(t)
	b, err := newBackend()
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.open(malgo.Playback, testcard.PCM, playbackPeriod, playbackPeriods)
	if err != nil {
		t.Fatal(err)
	}
	s.data, s.begun = func(_, _ []byte, _ int) {}, time.Now()
	for range 3 {
		if err := errors.Join(b.start(s), b.rest(s)); err != nil {
			t.Fatal(err)
		}
		s.lose(errStopped)
	}
	if err := b.start(s); err != nil {
		t.Fatal(err)
	}
	select {
	case why := <-s.lost:
		t.Errorf("a device that runs is lost: %v", why)
	default:
	}
	b.stop(s)
	if err := b.close(); err != nil {
		t.Error(err)
	}
}

// TestSpeakerBearsWakesAtAnyMoment wakes it while it comes to rest, and rests it while
// it wakes.
func TestSpeakerBearsWakesAtAnyMoment(t *testing.T) {
	p, r, rests := newResting(t, 10*time.Millisecond)
	for range 300 {
		<-time.After(rand.N(20 * time.Millisecond))
		p.Wake()
	}
	rests.await(r, "audio device rests")
	r.end()
	close(r.statuses)
	for s := range r.statuses {
		t.Errorf("a rest changed the status to %v (%v)", s.State, s.Err)
	}
}

// What takes sound as fast as it comes has its silence over at once: it goes to rest in every moment in
// which there is nothing yet, and still somebody waits for what was said to be over.
func TestSpeakerThatTakesEverythingAtOnceKeepsNobodyWaiting(t *testing.T) {
	r := newRunning(t)
	p, err := NewPlayback(PlaybackOptions{Device: "instant", IdleAfter: 10 * time.Millisecond, Mixer: audio.NewMixer(100),
		Log: quietLog(), Changed: r.changed})
	if err != nil {
		t.Fatal(err)
	}
	r.start(p.Run)
	r.await(Running, Lost)
	voice := p.mixer.(*audio.Mixer).Voice()
	ctx, cancel := context.WithTimeout(r.ctx, time.Minute)
	defer cancel()
	for i := range 500 {
		gen := voice.Begin()
		p.Wake()
		if err := voice.WriteAll(ctx, gen, make([]int16, 100)); err != nil {
			t.Fatal(err)
		}
		p.Wake()
		if err := voice.Drain(ctx, gen); err != nil {
			t.Fatalf("number %d: %v", i, err)
		}
	}
	r.end()
}

// A machine without a speaker plays to ALSA's null, which has no clock: what is played takes its time all the same,
// and a machine that is too slow for it does not lose its speaker.
func TestNullTakesItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := NewPlayback(PlaybackOptions{Device: "null", Mixer: audio.NewMixer(100), Log: quietLog()})
		if err != nil {
			t.Fatal(err)
		}
		data, err := p.opened(format{rate: 48000, channels: 2, buffer: 960})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // after a rest as well
			begun := time.Now()
			for range 200 {
				data(make([]byte, 240*4), nil, 240)
			}
			if d := time.Since(begun); d != time.Second {
				t.Errorf("a second of sound takes %v", d)
			}
			time.Sleep(time.Minute)
		}
	})
	for _, speed := range []float64{0.1, 50} {
		if at, err := (heartbeat{ends: time.Hour, speed: speed, clockless: true}).loss(time.Minute,
			playbackPeriod); err != nil {
			t.Errorf("%g times the speed: %v at %v", speed, err, at)
		}
	}
}
