package timer_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	_ "time/tzdata" // the tests need Berlin whatever the machine has

	"hearthd/llm"
	"hearthd/memory"
	"hearthd/tools"
	"hearthd/tools/phrase"
	"hearthd/tools/timer"
	"hearthd/tools/when"
)

// shelf fits the real store to timers, as the daemon does.
type shelf struct{ *memory.Store }

func (s shelf) AddTimers(ctx context.Context, list ...timer.Timer) ([]int64, error) {
	return s.Store.AddTimers(ctx, stored(list)...)
}

func (s shelf) ChangeTimers(ctx context.Context, list []timer.Timer, gone []int64) error {
	return s.Store.ChangeTimers(ctx, stored(list), gone)
}

func (s shelf) Timers(ctx context.Context) ([]timer.Timer, error) {
	list, err := s.Store.Timers(ctx)
	var all []timer.Timer
	for _, t := range list {
		all = append(all, timer.Timer{
			ID: t.ID, Kind: timer.Kind(t.Kind), Label: t.Label, Do: t.Do, Person: t.Person, Length: t.Length, Ends: t.Ends, Left: t.Left,
			Repeat: when.Repeat(t.Repeat), Starts: t.Starts, Rang: t.Rang, Boot: t.Boot, Due: t.Due,
			Unheard: t.Unheard, Mute: t.Mute,
		})
	}
	return all, err
}

func stored(list []timer.Timer) []memory.Timer {
	var all []memory.Timer
	for _, t := range list {
		all = append(all, memory.Timer{
			ID: t.ID, Kind: string(t.Kind), Label: t.Label, Do: t.Do, Person: t.Person, Length: t.Length, Ends: t.Ends, Left: t.Left,
			Repeat: string(t.Repeat), Starts: t.Starts, Rang: t.Rang, Boot: t.Boot, Due: t.Due,
			Unheard: t.Unheard, Mute: t.Mute,
		})
	}
	return all
}

// gong is a bell that rings until it is silenced.
type gong struct {
	fired chan []timer.Event
	ended func(ids []int64)

	mu   sync.Mutex
	ring []int64
}

func newGong() *gong { return &gong{fired: make(chan []timer.Event, 5000)} }

func (g *gong) Ring(events []timer.Event) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, e := range events {
		g.ring = append(g.ring, e.Timer.ID)
	}
	g.fired <- events
}

// rings reports whether anything does.
func (g *gong) rings() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.ring) != 0
}

func (g *gong) Silence(_ context.Context, ids []int64) ([]int64, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var ended []int64
	g.ring = slices.DeleteFunc(g.ring, func(id int64) bool {
		if ids != nil && !slices.Contains(ids, id) {
			return false
		}
		ended = append(ended, id)
		return true
	})
	g.ended(ended)
	return ended, nil
}

// box is one run of the timers over a database that outlives it. It is made in
// a synctest bubble, where it is midnight of 1 January 2000 in UTC.
type box struct {
	t      *testing.T
	store  *memory.Store
	timers *timer.Timers
	exec   *tools.Executor
	stop   func()
	bell   *gong
	set    chan struct{}
	mute   atomic.Bool // the speaker does not work

	mu      sync.Mutex
	jump    time.Duration // how far the wall clock was set forward
	wrong   bool          // the wall clock is not to be trusted
	changes [][]timer.Timer
	events  []timer.Event // received, not yet given by ring
}

func start(t *testing.T, path string, jump time.Duration) *box {
	t.Helper()
	return startIn(t, path, jump, time.UTC, false)
}

func startIn(t *testing.T, path string, jump time.Duration, zone *time.Location, wrong bool) *box {
	t.Helper()
	b := &box{t: t, jump: jump, wrong: wrong, bell: newGong(), set: make(chan struct{}, 1)}
	log := slog.New(slog.DiscardHandler)
	var err error
	if b.store, err = memory.Open(t.Context(), memory.Options{Path: path, Log: log}); err != nil {
		t.Fatal(err)
	}
	b.timers, err = timer.New(timer.Options{
		Store: shelf{b.store}, Bell: b.bell, Changed: b.changed, Now: b.now, ClockSet: b.set, Trusted: b.trusted,
		Mute:     b.mute.Load,
		Location: zone, Area: "Kitchen", Snooze: 9 * time.Minute, Log: log,
		Station: func(name string) (string, bool) { return "FM4", name == "radio" || name == "fm4" },
	})
	if err != nil {
		t.Fatal(err)
	}
	b.bell.ended = b.timers.Ended
	r := tools.NewRegistry(phrase.English())
	if err := r.Register(b.timers.Tools()...); err != nil {
		t.Fatal(err)
	}
	if b.exec, err = tools.NewExecutor(tools.ExecutorOptions{Registry: r, Log: log}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.timers.Run(ctx) }()
	b.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := b.store.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(b.stop)
	synctest.Wait()
	return b
}

func newPath(t *testing.T) string { return filepath.Join(t.TempDir(), "hearthd.db") }

func (b *box) now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Now().Add(b.jump)
}

func (b *box) trusted() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.wrong
}

// setClock sets the wall clock, to a time that may be trusted, and waits until
// that was noticed.
func (b *box) setClock(forward time.Duration) {
	b.shift(forward)
	synctest.Wait()
}

// shift is setClock that does not wait.
func (b *box) shift(forward time.Duration) {
	b.mu.Lock()
	b.jump += forward
	b.wrong = false
	b.mu.Unlock()
	b.set <- struct{}{}
}

// at sets the wall clock to a time in the zone of text.
func (b *box) at(text string) {
	b.t.Helper()
	want, err := time.Parse(time.RFC3339, text)
	if err != nil {
		b.t.Fatal(err)
	}
	b.setClock(want.Sub(b.now()))
}

func (b *box) changed(list []timer.Timer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changes = append(b.changes, list)
}

func (b *box) run(tool, args string) tools.Outcome {
	return b.exec.Run(b.t.Context(), tools.Call{ToolCall: llm.ToolCall{Name: tool, Arguments: json.RawMessage(args)}})
}

func (b *box) expect(tool, args, want string) {
	b.t.Helper()
	if out := b.run(tool, args); out.Class != tools.OK || out.Result.Text != want {
		b.t.Errorf("%s %s: %s %q (%v), want %q", tool, args, out.Class, out.Result.Text, out.Err, want)
	}
}

// ring waits for the next event and says what it was and how long it took.
func (b *box) ring() (event timer.Event, after time.Duration) {
	began := time.Now()
	if len(b.events) == 0 {
		b.events = <-b.bell.fired
	}
	event, b.events = b.events[0], b.events[1:]
	return event, time.Since(began)
}

// silenced ends what rings, and waits until that is stored.
func (b *box) silenced() {
	b.t.Helper()
	if _, err := b.bell.Silence(b.t.Context(), nil); err != nil {
		b.t.Error(err)
	}
	synctest.Wait()
}

// spoken is what is said while e rings.
func (b *box) spoken(e timer.Event) string { return b.timers.Spoken([]int64{e.Timer.ID}) }

// quiet checks that nothing rings for a while.
func (b *box) quiet(d time.Duration) {
	b.t.Helper()
	select {
	case e := <-b.bell.fired:
		b.t.Errorf("something rang: %+v", e)
	case <-time.After(d):
	}
}
