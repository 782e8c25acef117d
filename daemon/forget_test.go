package daemon

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/control"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/event"
	"hearthd/daemon/timeline"
	"hearthd/llm"
	"hearthd/llm/thinker"
	"hearthd/memory"
)

// parrot is a model that says again what it is told: as notes and topics where
// those are asked for.
type parrot struct{}

func (parrot) Chat(_ context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		last := req.Messages[len(req.Messages)-1].Content
		if len(req.Schema) > 0 {
			last = fmt.Sprintf(`{"notes": [%q], "topics": ["xanthippe"]}`, last)
		}
		yield(llm.Delta{Text: last}, nil)
	}
}

type noTools struct{}

func (noTools) Specs() []llm.ToolSpec { return nil }
func (noTools) Run(context.Context, llm.ToolCall) llm.ToolResult {
	return llm.ToolResult{Failed: true}
}

// files is all that stands in the files of a folder, in small letters.
func files(t *testing.T, dir string) []byte {
	t.Helper()
	var all []byte
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return bytes.ToLower(all)
}

// TestForgettingReachesWhatTheProcessHolds forgets while turns wait to be reflected
// on, and looks into the files for an hour.
func TestForgettingReachesWhatTheProcessHolds(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.DiscardHandler)
		store, err := memory.Open(t.Context(), memory.Options{Path: filepath.Join(dir, "hearthd.db"), Log: log})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		ctx, cancel := context.WithCancel(t.Context())
		defer synctest.Wait() // until what runs has ended
		defer cancel()
		means, err := thinker.NewMeanings(alphabet{}, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		r := &recollection{
			store: store, meanings: means, model: "test", log: log, idle: func() bool { return true },
			bell: make(chan struct{}, 1), used: make(map[int64]time.Time), signals: make(map[string]*signals),
		}
		m := &mind{}
		if m.reflector, err = thinker.NewReflector(thinker.ReflectorOptions{Chat: parrot{}, Journal: r, Busy: func() bool { return false }, Quiet: 20 * time.Second, Log: log}); err != nil {
			t.Fatal(err)
		}
		if m.Thinker, err = thinker.New(thinker.Options{
			Chat: parrot{}, Tools: noTools{}, Memory: r, Answers: r, Meanings: means, Ended: m.reflector.End, Log: log,
			Domains: []thinker.Domain{{Name: thinker.Fallback, Cache: time.Hour, Steps: 2, Time: time.Minute}},
		}); err != nil {
			t.Fatal(err)
		}
		for _, run := range []func(context.Context) error{means.Run, r.Run, m.reflector.Run, m.Run} {
			go func() {
				if err := run(ctx); err != nil {
					t.Error(err)
				}
			}()
		}
		d, h := &Daemon{recall: r, turns: timeline.New(event.NewBus(), nil), tail: newTail()}, &house{toolbox: dialogue.NewToolbox(event.NewBus(), nil, false), thinker: m}
		remember := d.remember(m)
		ask := llm.Ask{Text: "who is my friend Xanthippe"}
		say := func() {
			for _, err := range m.Think(ctx, ask) {
				if err != nil {
					t.Error(err)
				}
			}
			remember(ask, "She is Xanthippe.")
		}
		say()
		time.Sleep(time.Minute) // it is noted, embedded and backed up
		synctest.Wait()
		for _, name := range []string{"hearthd.db", "hearthd.db.backup"} {
			if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Contains(bytes.ToLower(slicesOf(b, dir)), []byte("xanthippe")) {
				t.Fatalf("the secret never was in %s (%v)", name, err)
			}
		}
		say() // and this waits
		g := &guest{mind: &mind{Thinker: m.Beside(nil)}}
		defer d.guests.join(g)()
		g.mind.Note(ask, "She is Xanthippe.")
		synctest.Wait()
		a := archive{owner{r, func() { d.forgetProcess(h) }}}
		if n, err := a.Forget(ctx, control.Forget{About: "xanthippe"}); err != nil || n != 4 { // a note, the answer, and what was said twice
			t.Errorf("%d entries forgotten (%v)", n, err)
		}
		if said := g.mind.History(); len(said) != 0 {
			t.Errorf("a guest's conversation is %v", said)
		}
		m.Note(llm.Ask{Text: "forget everything about xanthippe"}, "Forgotten.")
		for range 60 {
			synctest.Wait()
			if b := files(t, dir); bytes.Contains(b, []byte("xanthipp")) {
				t.Fatal("the secret is in the files")
			}
			time.Sleep(time.Minute)
		}
		if said := fmt.Sprint(m.History()); strings.Contains(strings.ToLower(said), "xanthippe") {
			t.Errorf("the conversation is %s", said)
		}
		if !store.BackedUp() {
			t.Error("there is no backup after an hour")
		}
	})
}

// slicesOf is b with the log of the database, in which the newest pages stand.
func slicesOf(b []byte, dir string) []byte {
	log, err := os.ReadFile(filepath.Join(dir, "hearthd.db-wal"))
	if err != nil {
		return b
	}
	return append(b, log...)
}

func TestWhatIsKnownOfPeopleIsExportedAndImported(t *testing.T) {
	from, to := openStore(t), openStore(t)
	defer from.Close()
	defer to.Close()
	want := memory.Person{
		Name: "anna", Profile: memory.Profile{Called: "Anna", Place: "Graz", Units: "metric", Tickers: []string{"NVDA"}},
		Summary: "Talks about bread.", Topics: []string{"rye", "trains"}, LastActive: time.UnixMilli(1_800_000_000_000), Sessions: 3,
	}
	if err := from.ChangePerson(t.Context(), "anna", func(p *memory.Person) { *p = want }); err != nil {
		t.Fatal(err)
	}
	var entries []control.Memory
	for e, err := range (archive{owner{r: recalling(t, from, alphabet{})}}).Export(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	other := archive{owner{r: recalling(t, to, alphabet{})}}
	if n, err := other.Import(t.Context(), entries); err != nil || n != 1 {
		t.Fatalf("%d entries (%v)", n, err)
	}
	got, err := to.Person(t.Context(), "anna")
	if err != nil || !cmp.Equal(want, got) {
		t.Errorf("(%v) %s", err, cmp.Diff(want, got))
	}
	if list, err := other.Remembered(t.Context(), "", 10); err != nil || len(list) != 1 || list[0].Kind != "person" || list[0].Sessions != 3 {
		t.Errorf("listed %+v (%v)", list, err)
	}
	known, err := other.Known(t.Context(), "")
	if err != nil || len(known) != 0 { // of anna, and the household asks
		t.Errorf("known %q (%v)", known, err)
	}
}

// TestForgetThatTakesANameBack is with the words of turns, and without, as they are kept
// unless log.transcripts says otherwise.
func TestForgetThatTakesANameBack(t *testing.T) {
	for _, transcripts := range []bool{true, false} {
		t.Run(fmt.Sprintf("transcripts %v", transcripts), func(t *testing.T) { forgetNames(t, transcripts) })
	}
}

func forgetNames(t *testing.T, transcripts bool) {
	synctest.Test(t, func(t *testing.T) {
		store := openStore(t)
		defer store.Close()
		r := &recollection{store: store, log: slog.New(slog.DiscardHandler), bell: make(chan struct{}, 1), signals: map[string]*signals{}}
		o := owner{r, func() { r.forget() }}
		turns := uint64(0)
		say := func(words string) {
			time.Sleep(time.Second)
			turns++
			if !transcripts {
				words = ""
			}
			if err := store.AddTurn(t.Context(), memory.Turn{ID: turns, Time: time.Now(), Transcript: words}); err != nil {
				t.Fatal(err)
			}
		}
		name := func(name string) {
			for range 2 { // by the tool, and by the words
				if err := o.Name(t.Context(), name); err != nil {
					t.Fatal(err)
				}
			}
			say("my name is " + name)
		}
		called := func() string {
			p, err := store.Person(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			return p.Profile.Called
		}
		forget := func() {
			if _, _, err := o.ForgetLast(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		name("Anna")
		forget()
		if got := called(); got != "" {
			t.Errorf("called %q after it was forgotten", got)
		}
		name("Ben")
		name("Otto")
		forget()
		if got := called(); got != "Ben" {
			t.Errorf("called %q, want the name from before", got)
		}
		name("Eva")
		say("what is the time")
		forget() // the question
		if got := called(); got != "Eva" {
			t.Errorf("called %q after something else was forgotten", got)
		}
	})
}

func TestForgetThatIsAboutTheTurnOfWhoeverSaysIt(t *testing.T) {
	turns := []memory.Turn{{ID: 9, Session: 4, Route: "announcement"}, {ID: 8, Session: 7}, {ID: 6, Session: 4}, {ID: 5, Session: 4}}
	for session, want := range map[uint64]uint64{4: 6, 7: 8, 3: 8, 0: 8} { // of others where there is none of one's own
		if got := lastSaid(turns, session); len(got) == 0 || got[0].ID != want {
			t.Errorf("session %d: %+v, want turn %d first", session, got, want)
		}
	}
	if got := lastSaid(turns[:1], 4); len(got) != 0 {
		t.Errorf("an announcement is forgotten: %+v", got)
	}
}
