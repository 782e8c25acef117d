package device

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"math"
	"os"
	"runtime"
	"testing"
	"time"

	"hearthd/audio"
	"hearthd/rigs/testcard"
)

// card is the sound card of this process: ALSA reads its configuration once.
var card *testcard.Card

func TestMain(m *testing.M) {
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	if os.Getenv(rigCtl) != "" {
		return m.Run() // ALSA's configuration is in the environment
	}
	dir, err := os.MkdirTemp("", "testcard")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if card, err = testcard.Build(context.Background(), dir); err == nil {
		err = errors.Join(addServer(dir), card.Setenv())
	}
	if err != nil {
		println(err.Error())
		return 1
	}
	return m.Run()
}

// limit ends a test that waits for what never comes.
const limit = 30 * time.Second

// running is a Capture or Playback in its Run.
type running struct {
	t        testing.TB
	ctx      context.Context
	statuses chan Status
	stop     context.CancelFunc
	done     chan error
}

// runner starts Run when the test has made its device.
func newRunning(t testing.TB) *running {
	t.Helper()
	heal(t)
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{t: t, ctx: ctx, statuses: make(chan Status, 100), stop: cancel, done: make(chan error, 1)}
	t.Cleanup(func() {
		cancel()
		heal(t)
		awaitGoroutines(t, before)
	})
	return r
}

func (r *running) changed(s Status) { r.statuses <- s }

func (r *running) start(run func(context.Context) error) {
	go func() { r.done <- run(r.ctx) }()
}

// await returns the next status that is in the state, and fails if a state of
// not comes before.
func (r *running) await(want State, not ...State) Status {
	r.t.Helper()
	late := time.After(limit)
	for {
		select {
		case s := <-r.statuses:
			if s.State == want {
				return s
			}
			for _, n := range not {
				if s.State == n {
					r.t.Fatalf("status is %v (%v), want %v first", s.State, s.Err, want)
				}
			}
		case err := <-r.done:
			r.t.Fatalf("Run ended with %v, want status %v", err, want)
		case <-late:
			r.t.Fatalf("no status %v", want)
		}
	}
}

// end stops Run, which must return nil.
func (r *running) end() {
	r.t.Helper()
	r.stop()
	if err := <-r.done; err != nil {
		r.t.Fatalf("Run: %v", err)
	}
}

func heal(t testing.TB) {
	t.Helper()
	breakCard(t, testcard.Healthy)
}

func breakCard(t testing.TB, f testcard.Fault) {
	t.Helper()
	if ctl := os.Getenv(rigCtl); ctl != "" {
		if err := breakRig(ctl, f); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := errors.Join(card.BreakCapture(f), card.BreakPlayback(f)); err != nil {
		t.Fatal(err)
	}
}

// awaitGoroutines fails if more goroutines than before stay.
func awaitGoroutines(t testing.TB, before int) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(limit)
	for runtime.NumGoroutine() > before {
		select {
		case <-tick.C:
		case <-deadline:
			stacks := make([]byte, 1<<16)
			t.Errorf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before,
				stacks[:runtime.Stack(stacks, true)])
			return
		}
	}
}

func quietLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

// chirp is sample n of a sweep from 200 to 1200 Hz within a second, at a rate.
// No part of it resembles another.
func chirp(n, rate int) int16 {
	s := float64(n) / float64(rate)
	if s >= 1 {
		return 0
	}
	return int16(12000 * math.Sin(2*math.Pi*(200*s+500*s*s)))
}

func chirps(rate int) []int16 {
	p := make([]int16, rate)
	for i := range p {
		p[i] = chirp(i, rate)
	}
	return p
}

// resemblance is the highest normalised correlation of want with any stretch of
// got. Each step-th sample is compared.
func resemblance(got, want []int16, step int) float64 {
	best := 0.0
	for lag := 0; lag+len(want) <= len(got); lag++ {
		var xy, xx, yy float64
		for i := 0; i < len(want); i += step {
			g, w := float64(got[lag+i]), float64(want[i])
			xy, xx, yy = xy+g*w, xx+g*g, yy+w*w
		}
		if xx > 0 {
			best = max(best, xy/math.Sqrt(xx*yy))
		}
	}
	return best
}

func littleEndian(p []int16) []byte {
	b := make([]byte, 0, 2*len(p))
	for _, v := range p {
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	return b
}

func openMicrophone(t *testing.T) *testcard.Microphone {
	t.Helper()
	m, err := card.OpenMicrophone()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// speak writes in a goroutine, since the card paces it, and closes the channel
// when the card has captured all.
func speak(t *testing.T, ctx context.Context, m *testcard.Microphone, p []int16) <-chan struct{} {
	said := make(chan struct{})
	go func() {
		defer close(said)
		if _, err := m.Write(littleEndian(p)); err != nil {
			t.Error(err)
		} else if err := m.Drain(ctx); err != nil {
			t.Error(err)
		}
	}()
	return said
}

// listen reads frames until seconds of sound are there, without any gap.
func listen(t *testing.T, ctx context.Context, c *Capture, seconds float64) []int16 {
	t.Helper()
	var heard []int16
	var frame audio.Frame
	for float64(len(heard)) < seconds*audio.Rate {
		if err := c.ReadFrame(ctx, &frame); err != nil {
			t.Fatalf("read frame: %v", err)
		}
		heard = append(heard, frame[:]...)
	}
	return heard
}
