package ears

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/audio"
	"hearthd/audio/device"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/listen"
	"hearthd/vad"
	"hearthd/vad/neural"
)

// newMicrophone is one that is not opened.
func newMicrophone(t *testing.T) *Microphone {
	t.Helper()
	m, err := NewMicrophone(MicrophoneOptions{Device: "none", Conditions: health.New(event.NewBus()),
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// frames is a microphone that gives n frames and then none.
type frames struct{ n int }

func (*frames) String() string { return "frames" }

func (s *frames) ReadFrame(ctx context.Context, _ *audio.Frame) error {
	if s.n--; s.n < 0 {
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

// hearFrames gives e a listener that n frames went through.
func hearFrames(t *testing.T, e *Ears, n int) {
	t.Helper()
	detector, err := neural.New()
	if err != nil {
		t.Fatal(err)
	}
	segmenter, err := vad.New(vad.DefaultOptions(), detector)
	if err != nil {
		t.Fatal(err)
	}
	front, err := listen.NewFront(listen.FrontOptions{Segmenter: segmenter, Emit: func(*vad.Signal) {}})
	if err != nil {
		t.Fatal(err)
	}
	e.Listener, err = listen.New(listen.Options{
		Source: &frames{n}, Front: front, Speaking: func() bool { return false },
		FullDuplex: func() bool { return false }, IsGap: func(error) bool { return false },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- e.Listener.Run(ctx) }()
	synctest.Wait()
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestWatchdogBearsAMicrophoneThatIsGoneForAWhile(t *testing.T) {
	lost := device.Status{State: device.Lost, Device: "hw:1", Err: errors.New("unplugged")}
	for name, c := range map[string]struct {
		frames int
		before func(*Microphone)
		want   bool
	}{
		"no frames although it runs": {1, func(*Microphone) {}, false},
		"muted":                      {1, func(m *Microphone) { m.muted.Store(true) }, true},
		"lost just now":              {1, func(m *Microphone) { m.changed(lost) }, true},
		"lost for long":              {1, func(m *Microphone) { m.changed(lost); time.Sleep(lostLimit) }, false},
		"lost again and again for long": {1,
			func(m *Microphone) { m.changed(lost); time.Sleep(lostLimit); m.changed(lost) }, false},
		"lost, muted, and closed since": {1, func(m *Microphone) {
			m.changed(lost)
			m.changed(device.Status{State: device.Muted})
			time.Sleep(lostLimit)
			m.changed(device.Status{State: device.Opening})
			m.changed(lost)
		}, true},
		"never there": {0, func(m *Microphone) { m.changed(lost); time.Sleep(lostLimit) }, true},
		"back, and silent": {1, func(m *Microphone) {
			m.changed(lost)
			m.changed(device.Status{State: device.Running})
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &Ears{opt: Options{Microphone: newMicrophone(t)}}
				hearFrames(t, e, c.frames)
				c.before(e.opt.Microphone)
				if got := e.ExpectsNoFrames(); got != c.want {
					t.Errorf("rests rightly %v, want %v", got, c.want)
				}
			})
		})
	}
}

func TestNewestStateOfTheMicrophoneCounts(t *testing.T) {
	m := newMicrophone(t)
	for _, s := range []device.State{device.Lost, device.Running, device.Lost} {
		m.changed(device.Status{State: s, Device: "hw:1", Err: errors.New("unplugged")})
	}
	if s := <-m.state; s != device.Lost {
		t.Errorf("state %v", s)
	}
	if c := m.opt.Conditions.List(); len(c) != 1 || c[0].Code != "microphone" || c[0].Severity != health.Error {
		t.Errorf("conditions %+v", c)
	}
	m.changed(device.Status{State: device.Running})
	if c := m.opt.Conditions.List(); len(c) != 0 {
		t.Errorf("conditions %+v", c)
	}
}
