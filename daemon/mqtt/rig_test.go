package mqtt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/refusal"
)

// deadline is how long a test waits for what must happen.
const deadline = 30 * time.Second

// eventually waits until ok, looking often.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(deadline)
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// fakeSpeaker writes down what it was told to do.
type fakeSpeaker struct {
	mu   sync.Mutex
	told []string
	at   time.Time     // of the last announcement to the house
	hold chan struct{} // Ask waits for it, when set
}

func (s *fakeSpeaker) note(format string, args ...any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, fmt.Sprintf(format, args...))
	return nil
}

func (s *fakeSpeaker) list() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.told...)
}

func (s *fakeSpeaker) AnnounceAt(_ context.Context, text string, chime, urgent bool, at time.Time) error {
	if !at.IsZero() {
		s.mu.Lock()
		s.at = at
		s.mu.Unlock()
	}
	switch text {
	case "":
		return refusal.Error("text is empty")
	case "break":
		return errors.New("secret detail")
	}
	if chime || urgent {
		return s.note("announce %s %v %v", text, chime, urgent)
	}
	return s.note("say %s", text)
}

func (s *fakeSpeaker) PlayAt(_ context.Context, text string, wav []byte, urgent bool, _ time.Time) error {
	return s.note("play %s %d bytes %v", text, len(wav), urgent)
}

func (s *fakeSpeaker) AskAs(ctx context.Context, person, text, question string) (*event.Turn, error) {
	if question != "" {
		text += " to " + question
	}
	if s.hold != nil {
		select {
		case <-s.hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return &event.Turn{Source: "text", Transcript: text, Answer: "Forty-two.", Outcome: "answered"},
		s.note("ask %s", text)
}

func (s *fakeSpeaker) Listen(context.Context) error { return s.note("listen") }

func (s *fakeSpeaker) Stop(context.Context) error { return s.note("stop") }

func (s *fakeSpeaker) SetMuted(_ context.Context, m bool) error { return s.note("mute %v", m) }

func (s *fakeSpeaker) SetVolume(_ context.Context, p int) error { return s.note("volume %d", p) }

func (s *fakeSpeaker) Repeat(context.Context) error { return s.note("repeat") }

func (s *fakeSpeaker) SetDND(_ context.Context, on bool) error { return s.note("dnd %v", on) }

func (s *fakeSpeaker) SetWakeWord(_ context.Context, w string) error {
	if w == "nobody" {
		return refusal.Error("there is no such wake word")
	}
	return s.note("wake %s", w)
}

func (s *fakeSpeaker) Media(_ context.Context, o MediaOrder) (string, error) {
	return "Done.", s.note("media %s %q", o.Action, o.Station)
}

func (s *fakeSpeaker) Timer(_ context.Context, o TimerOrder) (string, error) {
	return "Done.", s.note("timer %s %d %q %v", o.Action, o.Seconds, o.Label, o.All)
}

func (s *fakeSpeaker) Tool(_ context.Context, name string, args []byte) (string, error) {
	if name == "unlock" {
		return "", refusal.Error("unlock is not shared")
	}
	return "Done.", s.note("tool %s %s", name, args)
}

func (s *fakeSpeaker) SetPolicy(_ context.Context, p string) error { return s.note("policy %s", p) }

func (s *fakeSpeaker) Restart(context.Context) error { return s.note("restart") }

// kitchen is the box of the tests.
func kitchen() contract.Device {
	d := contract.Device{
		Discovery: "homeassistant", Prefix: "hearth", Node: "kitchen", Version: "0.1.0", Area: "Kitchen",
		House: "home", Groups: []string{"Down Stairs"},
		Words:    []string{contract.AllWords, contract.Phrase, "hey jarvis"},
		Policies: []string{contract.Auto, contract.Local}, Transcripts: true, Temperature: true,
	}
	for _, c := range contract.Commands() {
		d.Commands = append(d.Commands, c.Name)
	}
	return d
}

// kitchenAnswers is where its answers may go.
var kitchenAnswers = answers{prefix: "hearth", own: "hearth/kitchen/result", house: "hearth/house/home/result"}

// lockedBuffer is a log that is read while it is written.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// Who is let in by the embedded broker.
const ownUser, ownPassword = "hearthd", "correct horse battery staple"

// box is a bridge with all that it needs.
type box struct {
	*Bridge
	bus        *event.Bus
	conditions *health.Conditions
	speaker    *fakeSpeaker
	log        *lockedBuffer
	stop       func() error // ends Run and gives what it returned; safe to repeat
}

func newBox(t *testing.T, opt Options) *box {
	t.Helper()
	return newBoxOf(t, kitchen(), opt)
}

func newBoxOf(t *testing.T, device contract.Device, opt Options) *box {
	t.Helper()
	x := &box{bus: event.NewBus(), speaker: new(fakeSpeaker), log: new(lockedBuffer)}
	x.conditions = health.New(x.bus)
	opt.Device = device
	if opt.Broker == contract.Embedded {
		opt.User, opt.Password = ownUser, ownPassword
	}
	if opt.Begin.Volume == 0 {
		opt.Begin.Volume = 70
	}
	opt.Bus, opt.Conditions, opt.Speaker, opt.Host = x.bus, x.conditions, x.speaker, x.speaker
	opt.Vitals = func() Vitals { return Vitals{UptimeS: 60, MemoryMB: 23.5, CPUPercent: 2.5, Frames: 3000} }
	opt.Installed = func(context.Context) string { return "0.1.0" }
	opt.Log = slog.New(slog.NewTextHandler(io.MultiWriter(x.log, t.Output()),
		&slog.HandlerOptions{Level: slog.LevelDebug}))
	var err error
	if x.Bridge, err = New(opt); err != nil {
		t.Fatal(err)
	}
	return x
}

// run starts the bridge; the test's end stops it.
func (x *box) run(t *testing.T) *box {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- x.Run(ctx) }()
	x.stop = sync.OnceValue(func() error {
		cancel()
		select {
		case err := <-done:
			return err
		case <-time.After(deadline):
			return errors.New("run does not end")
		}
	})
	t.Cleanup(func() {
		if err := x.stop(); err != nil {
			t.Errorf("run ended with %v", err)
		}
	})
	return x
}

func (x *box) state(to event.State) { x.bus.Publish(&event.StateChanged{To: to}) }

// condition is the text of the condition "broker", empty if it does not hold.
func (x *box) condition() string { return x.says("broker") }

// says is the text of a condition, empty if it does not hold.
func (x *box) says(code string) string {
	for _, c := range x.conditions.List() {
		if c.Code == code {
			return c.Text
		}
	}
	return ""
}
