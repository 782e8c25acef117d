package daemon

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/audio"
	"hearthd/audio/device"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/listen"
	"hearthd/systemd"
	"hearthd/tools/intent"
	"hearthd/vad"
	"hearthd/vad/neural"
)

// bare is a daemon of which nothing runs.
func bare() *Daemon {
	d := &Daemon{
		log: slog.New(slog.DiscardHandler), bus: event.NewBus(),
		microphone: make(chan device.State, 1), settled: make(chan struct{}),
	}
	d.conditions = health.New(d.bus)
	return d
}

// frames is a microphone that gives n frames and then none.
type frames struct{ n int }

func (s *frames) ReadFrame(ctx context.Context, _ *audio.Frame) error {
	if s.n--; s.n < 0 {
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

// hearFrames gives d a listener that n frames went through.
func hearFrames(t *testing.T, d *Daemon, n int) {
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
	d.listener, err = listen.New(listen.Options{
		Source: &frames{n}, Front: front, Speaking: func() bool { return false },
		FullDuplex: func() bool { return false }, IsGap: func(error) bool { return false },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.listener.Run(ctx) }()
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
		before func(*Daemon)
		want   bool
	}{
		"no frames although it runs":    {1, func(*Daemon) {}, false},
		"muted":                         {1, func(d *Daemon) { d.muted.Store(true) }, true},
		"lost just now":                 {1, func(d *Daemon) { d.microphoneChanged(lost) }, true},
		"lost for long":                 {1, func(d *Daemon) { d.microphoneChanged(lost); time.Sleep(lostLimit) }, false},
		"lost again and again for long": {1, func(d *Daemon) { d.microphoneChanged(lost); time.Sleep(lostLimit); d.microphoneChanged(lost) }, false},
		"lost, muted, and closed since": {1, func(d *Daemon) {
			d.microphoneChanged(lost)
			d.microphoneChanged(device.Status{State: device.Muted})
			time.Sleep(lostLimit)
			d.microphoneChanged(device.Status{State: device.Opening})
			d.microphoneChanged(lost)
		}, true},
		"never there": {0, func(d *Daemon) { d.microphoneChanged(lost); time.Sleep(lostLimit) }, true},
		"back, and silent": {1, func(d *Daemon) {
			d.microphoneChanged(lost)
			d.microphoneChanged(device.Status{State: device.Running})
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := bare()
				hearFrames(t, d, c.frames)
				c.before(d)
				if got := d.restsRightly(); got != c.want {
					t.Errorf("rests rightly %v, want %v", got, c.want)
				}
			})
		})
	}
}

func TestNewestStateOfTheMicrophoneCounts(t *testing.T) {
	d := bare()
	for _, s := range []device.State{device.Lost, device.Running, device.Lost} {
		d.microphoneChanged(device.Status{State: s, Device: "hw:1", Err: errors.New("unplugged")})
	}
	if s := <-d.microphone; s != device.Lost {
		t.Errorf("state %v", s)
	}
	if c := d.conditions.List(); len(c) != 1 || c[0].Code != "microphone" || c[0].Severity != health.Error {
		t.Errorf("conditions %+v", c)
	}
	d.microphoneChanged(device.Status{State: device.Running})
	if c := d.conditions.List(); len(c) != 0 {
		t.Errorf("conditions %+v", c)
	}
}

func TestStoppingIsToldWhateverTheDaemonIsDoing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	d := bare()
	d.opt.Notifier = systemd.NewNotifier(path)
	d.dialogue = new(dialogue.Dialogue) // it does not answer
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.narrate(ctx); err != nil {
		t.Fatal(err)
	}
	if err := socket.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 100)
	n, err := socket.Read(b)
	if err != nil || string(b[:n]) != "STOPPING=1" {
		t.Errorf("told %q, %v", b[:n], err)
	}
}

func TestDeafRecogniserKeepsItsReason(t *testing.T) {
	d := bare()
	cause := errors.New("no pocketsphinx")
	d.conditions.Set("recogniser", health.Error, "Speech to text does not work: no pocketsphinx.")
	engine := deaf{cause}
	_, err := engine.Open(t.Context())
	if !errors.Is(err, cause) {
		t.Errorf("Open: %v", err)
	}
	d.hearing(engine)(err)
	if c := d.conditions.List(); len(c) != 1 || c[0].Severity != health.Error {
		t.Errorf("conditions %+v", c)
	}
}

func TestIntentsMatchAndStripTheWakePhrase(t *testing.T) {
	m, err := intent.New(intent.Options{
		Wake: "hey hearth", Triggers: []intent.Trigger{{Sentence: "good night", Tool: "lights_out"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	i := intents{newMatching(m)}
	if rest, ok := i.Wake("Hey Hearth, what time is it?"); !ok || rest != "what time is it?" {
		t.Errorf("Wake: %q, %v", rest, ok)
	}
	if call, name, ok := i.Match("what time is it"); !ok || call.Name == "" || name == "" {
		t.Errorf("Match: %+v, %q, %v", call, name, ok)
	}
	if call, _, ok := i.Match("Good night."); !ok || call.Name != "lights_out" {
		t.Errorf("declared: %+v, %v", call, ok)
	}
	if call, _, ok := i.Match("why is the sky blue"); ok {
		t.Errorf("matched %+v", call)
	}
}
