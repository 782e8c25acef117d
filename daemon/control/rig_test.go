package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hearthd/daemon/api"
	"hearthd/daemon/doctor"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/timeline"
)

// fakeSpeaker writes down what it is told, and returns err.
type fakeSpeaker struct {
	mu    sync.Mutex
	calls []string
	err   error
	turn  event.Turn
	slow  bool // Ask and Enroll wait for the end of their context, Ask also for Stop
	ended chan struct{}
	cut   func() // closes ended
	words []api.Word
}

func (f *fakeSpeaker) did(format string, args ...any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, fmt.Sprintf(format, args...))
	return f.err
}

func (f *fakeSpeaker) Announce(_ context.Context, text string, chime, urgent bool) error {
	return f.did("announce %q %v %v", text, chime, urgent)
}

func (f *fakeSpeaker) Listen(context.Context) error { return f.did("listen") }
func (f *fakeSpeaker) Stop(context.Context) error {
	if f.slow {
		f.cut()
	}
	return f.did("stop")
}
func (f *fakeSpeaker) SetMuted(_ context.Context, muted bool) error {
	return f.did("mute %v", muted)
}
func (f *fakeSpeaker) SetVolume(_ context.Context, percent int) error {
	return f.did("volume %d", percent)
}
func (f *fakeSpeaker) AskAs(ctx context.Context, person, text, question string) (*event.Turn, error) {
	if person != "" {
		text = person + ": " + text
	}
	if question != "" {
		text += " to " + question
	}
	err := f.did("ask %q", text)
	if f.slow {
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-f.ended:
		}
	}
	t := f.turn
	return &t, err
}

func (f *fakeSpeaker) List(context.Context) ([]api.Word, error) { return f.words, f.did("list") }
func (f *fakeSpeaker) Install(_ context.Context, name string, manifest, network []byte) (api.Word, error) {
	return api.Word{Model: name, Name: "a word", Type: "model"}, f.did("install %s %s %x", name, manifest, network)
}
func (f *fakeSpeaker) Enroll(ctx context.Context, name string) iter.Seq2[api.EnrollStep, error] {
	return func(yield func(api.EnrollStep, error) bool) {
		err := f.did("enroll %q", name)
		if !yield(api.EnrollStep{State: "say", Of: 3}, nil) {
			return
		}
		if f.slow {
			<-ctx.Done()
			f.did("enrolment ended")
			return
		}
		if err != nil {
			yield(api.EnrollStep{}, err)
			return
		}
		yield(api.EnrollStep{State: "done", Good: 3, Of: 3, Spread: 0.25, Model: "a_word"}, nil)
	}
}

func (f *fakeSpeaker) Tune(_ context.Context, of api.Tune) iter.Seq2[api.TuneStep, error] {
	return func(yield func(api.TuneStep, error) bool) {
		if err := f.did("tune %+v", of); err != nil {
			yield(api.TuneStep{}, err)
			return
		}
		_ = yield(api.TuneStep{Minutes: 30, Cutoff: 0.25}, nil) &&
			yield(api.TuneStep{Minutes: of.Minutes, Cutoff: 0.45, Alarms: 3, Done: true}, nil)
	}
}

// fakeVoices are voices whose enrolment is that of the speaker's words.
type fakeVoices struct{ *fakeSpeaker }

func (f fakeVoices) List(context.Context) ([]api.Voice, error) {
	return []api.Voice{{Person: "anna", Prints: 3, Model: "m"}}, nil
}
func (f fakeVoices) Remove(_ context.Context, person string) error { return f.did("remove %s", person) }

// told returns what the speaker was told since the last call.
func (f *fakeSpeaker) told() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer func() { f.calls = nil }()
	return strings.Join(f.calls, ", ")
}

// rig is a server that runs, and a client of it.
type rig struct {
	*http.Client
	t       *testing.T
	speaker *fakeSpeaker
	bus     *event.Bus
	dial    func() net.Conn
	status  func(context.Context) (api.Status, error)
	backup  func(context.Context, func(string, int64, io.Reader) error) error
	meter   chan api.Meter
	stop    func() // ends Run and waits for it
}

// newRig serves on l; dial connects to it.
func newRig(t *testing.T, l net.Listener, dial func() net.Conn, change ...func(*Options)) *rig {
	t.Helper()
	stopped := make(chan struct{})
	speaker := &fakeSpeaker{ended: stopped, cut: sync.OnceFunc(func() { close(stopped) })}
	r := &rig{t: t, backup: fakeBackup, speaker: speaker, bus: event.NewBus(), dial: dial,
		meter: make(chan api.Meter)}
	r.status = func(context.Context) (api.Status, error) {
		since := time.Date(2026, 11, 20, 18, 30, 0, 0, time.UTC)
		return api.Status{
			Node: "kitchen", Time: since, Wake: "phrase", Version: "1.2", State: event.Idle, Volume: 40, Turns: 9, UptimeS: 61,
			Frames: 3000, Broker: "connected",
			Conditions: []event.Condition{{Code: "speaker", Severity: health.Error, Text: "It is gone.",
				Since: since}},
			Timers: []event.Timer{{ID: 3, Kind: "timer", Label: "pasta", Ends: since}},
			Media:  event.Media{State: "stopped", Percent: 70},
		}, nil
	}
	o := Options{
		Memory: &fakeMemory{}, Lists: lists, Tools: fakeTools{}, Configuration: fakeConfiguration{},
		Thinkers:  func() []api.Thinker { return []api.Thinker{{Name: "weather", Tools: []string{}, Live: true}} },
		Household: &fakeHousehold{}, Lines: fakeLog{}, Turns: noTurns, Sounds: &timeline.Sounds{},
		Broker: func() (api.Broker, error) {
			return api.Broker{Host: "127.0.0.1", Port: "1883", User: "hearthd", Password: "secret"}, nil
		}, Console: func() api.Console { return api.Console{URLs: []string{"http://127.0.0.1:4327/"}} },
		Backup: func(ctx context.Context, give func(string, int64, io.Reader) error) error {
			return r.backup(ctx,
				give)
		},
		Fleet:    func(context.Context) ([]api.Box, error) { return []api.Box{{Node: "kitchen"}}, nil },
		Withdraw: func(context.Context) error { r.speaker.did("withdraw"); return nil },
		Probe: func(_ context.Context, check string, cold bool) (api.Probed, error) {
			r.speaker.did("probe %s %v", check, cold)
			return api.Probed{PID: 7, Findings: []doctor.Finding{doctor.New(doctor.Broker, doctor.OK, "well")}}, nil
		},
		Listener: l, Speaker: r.speaker, Bus: r.bus, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Status: func(ctx context.Context) (api.Status, error) { return r.status(ctx) },
		Meter: func(ctx context.Context) <-chan api.Meter {
			context.AfterFunc(ctx, func() { r.speaker.did("meter ended") })
			return r.meter
		},
		Wake: r.speaker, Voices: fakeVoices{r.speaker},
	}
	for _, c := range change {
		c(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run returned %v", err)
		}
		r.CloseIdleConnections()
	})
	r.Client = &http.Client{Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return dial(), nil },
	}}
	t.Cleanup(r.stop)
	return r
}

// onSocket is a rig on a real unix socket.
func onSocket(t *testing.T, change ...func(*Options)) *rig {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := Socket(path)
	if err != nil {
		t.Fatal(err)
	}
	return newRig(t, l, func() net.Conn {
		c, err := net.Dial("unix", path)
		if err != nil {
			t.Error(err)
		}
		return c
	}, change...)
}

// onPipes is a rig for a synctest bubble, where clients have no kernel buffer
// and deadlines are in fake time.
func onPipes(t *testing.T) *rig {
	t.Helper()
	p := &pipes{dialled: make(chan net.Conn), closed: make(chan struct{})}
	return newRig(t, p, p.dial)
}

type pipes struct {
	dialled chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func (p *pipes) dial() net.Conn {
	near, far := net.Pipe()
	go func() {
		select {
		case p.dialled <- far:
		case <-p.closed:
			far.Close()
		}
	}()
	return near
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialled:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// do sends a request and returns its status and body.
func (r *rig) do(method, path, body string) (int, string) {
	r.t.Helper()
	req, err := http.NewRequest(method, "http://hearthd"+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	res, err := r.Do(req)
	if err != nil {
		r.t.Errorf("%s %s: %v", method, path, err)
		return 0, ""
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		r.t.Errorf("%s %s: %v", method, path, err)
	}
	return res.StatusCode, strings.TrimSpace(string(data))
}

func lists(context.Context) (map[string][]string, error) {
	return map[string][]string{"shopping": {"milk", "eggs"}}, nil
}

func noTurns(timeline.Query) []timeline.Turn { return []timeline.Turn{} }

// fakeLog has a line of turn 7.
type fakeLog struct{}

func (fakeLog) Lines(turn uint64) []api.LogLine {
	if turn != 0 && turn != 7 {
		return []api.LogLine{}
	}
	return []api.LogLine{{Seq: 3, Level: "info", Turn: 7, Message: "turn ended"}}
}

func (fakeLog) Watch(context.Context) <-chan api.LogLine {
	c := make(chan api.LogLine, 1)
	c <- api.LogLine{Seq: 4, Level: "warn", Message: "more"}
	return c
}
