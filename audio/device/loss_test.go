package device

import (
	"context"
	"errors"
	"testing"
	"time"

	"hearthd/audio"
	"hearthd/rigs/testcard"
)

// awaitTrue waits for what another thread does and nobody reports.
func awaitTrue(t *testing.T, done func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(limit)
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("it does not happen")
		}
	}
}

var faults = []testcard.Fault{
	testcard.NoDevice, testcard.Unplug, testcard.IOError, testcard.Stall, testcard.Fast(50),
}

func TestCaptureComesBackAfterEveryLoss(t *testing.T) {
	for _, fault := range faults {
		t.Run(string(fault), func(t *testing.T) {
			c, r := newTestCapture(t, testcard.PCM)
			r.start(c.Run)
			r.await(Running, Lost)
			listen(t, r.ctx, c, 0.1)
			breakCard(t, fault)
			t.Log(r.await(Lost, Muted, Opening).Err)
			heal(t)
			r.await(Running, Muted, Opening)
			passGap(t, r.ctx, c)
			listen(t, r.ctx, c, 0.1)
			r.end()
		})
	}
}

// passGap reads what was captured before a loss.
func passGap(t *testing.T, ctx context.Context, c *Capture) {
	t.Helper()
	var frame audio.Frame
	for {
		err := c.ReadFrame(ctx, &frame)
		if errors.Is(err, ErrGap) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestPlaybackComesBackAfterEveryLoss(t *testing.T) {
	for _, fault := range faults {
		t.Run(string(fault), func(t *testing.T) {
			m := &singer{}
			p, r := newTestPlayback(t, testcard.PCM, m)
			r.start(p.Run)
			r.await(Running, Lost)
			breakCard(t, fault)
			t.Log(r.await(Lost, Muted, Opening).Err)
			heal(t)
			r.await(Running, Muted, Opening)
			mixed := m.mixed.Load()
			awaitTrue(t, func() bool { return m.mixed.Load() > mixed+testcard.Rate/10 })
			r.end()
		})
	}
}

func TestCardThatGivesNothingFromTheStartIsLost(t *testing.T) {
	p, speaker := newTestPlayback(t, testcard.PCM, &singer{})
	c, mic := newTestCapture(t, testcard.PCM)
	breakCard(t, testcard.Stall)
	begun := time.Now()
	speaker.start(p.Run)
	mic.start(c.Run)
	t.Log("microphone:", mic.await(Lost, Running).Err, time.Since(begun))
	t.Log("speaker:", speaker.await(Lost).Err, time.Since(begun))
	heal(t)
	mic.await(Running)
	speaker.await(Running)
	listen(t, mic.ctx, c, 0.1)
	speaker.end()
	mic.end()
}

func TestStuckDriverEndsRun(t *testing.T) {
	c, r := newTestCapture(t, testcard.PCM)
	c.line.closeLimit = 100 * time.Millisecond
	p, err := NewPlayback(PlaybackOptions{Device: testcard.PCM, Mixer: &singer{}, Log: quietLog()})
	if err != nil {
		t.Fatal(err)
	}
	p.line.closeLimit = 100 * time.Millisecond
	done := make(chan error, 1)
	go func() { done <- p.Run(r.ctx) }()
	r.start(c.Run)
	r.await(Running, Lost)
	breakCard(t, testcard.Hang)
	if s := r.await(Lost); errors.Is(s.Err, errStuck) { // told before anybody has tried to close it
		t.Errorf("status says %v", s.Err)
	}
	if s := r.await(Lost); !errors.Is(s.Err, errStuck) {
		t.Errorf("status says %v", s.Err)
	}
	if err := <-r.done; !errors.Is(err, errStuck) {
		t.Errorf("Run of capture: %v, want errStuck", err)
	}
	if err := <-done; !errors.Is(err, errStuck) {
		t.Errorf("Run of playback: %v, want errStuck", err)
	}
}

func TestBackoffEndsWithItsContext(t *testing.T) {
	c, r := newTestCapture(t, "nowhere")
	r.start(c.Run)
	r.await(Lost, Running)
	r.end()
}

func TestLimitedReturnsWhatItRuns(t *testing.T) {
	want := errors.New("no")
	if err := limited(time.Minute, func() error { return want }); err != want {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := limited(time.Millisecond, func() error { <-ctx.Done(); return nil }); !errors.Is(err, errStuck) {
		t.Errorf("got %v", err)
	}
}
