package memory

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hearthd/llm"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// raw is everything that stands in the folder of the store, files' names included.
func raw(t *testing.T, dir string) []byte {
	t.Helper()
	var all []byte
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all = append(append(all, e.Name()...), b...)
	}
	return bytes.ToLower(all)
}

// remember fills a store with a secret in every place that holds words.
func remember(t *testing.T, s *Store) {
	t.Helper()
	ctx := t.Context()
	filler := make([]string, 300)
	for i := range filler {
		filler[i] = strings.Repeat("apples and pears ", 1+i%5) + strings.Repeat("x", i)
	}
	addNotes(t, s, filler...)
	ids := addNotes(t, s, "Anna secretly likes Xanthippe.", "Boiler in the cellar.")
	now := time.Now()
	for _, err := range []error{
		s.SetVectors(ctx, "m", map[int64][]float32{ids[0]: axis(0)}),
		s.SetFact(ctx, Fact{Category: Personal, Name: "friend", Text: "XANTHIPPE", Mutable: true}),
		s.AddTurn(ctx, Turn{ID: 7, Time: now, Transcript: "call xanthippe", Answer: "Okay."}),
		s.AddTurn(ctx, Turn{ID: 8, Time: now, Transcript: "what time is it", Answer: "Noon."}),
		s.KeepAnswer(ctx, Answer{Key: "who is she", Text: "A friend.", Sources: []llm.Source{{Title: "Xanthippe"}},
			Made: now, Expires: now.Add(time.Hour)}),
		s.ChangePerson(ctx, "", func(p *Person) { p.Summary = "Spoke of Xanthippe." }),
		s.KeepExchanges(ctx, llm.Exchange{Time: now, User: "Who is she?", Answer: "Xanthippe."},
			llm.Exchange{Time: now, User: "Good night.", Answer: "Good night."}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestForgettingLeavesNothingInTheFiles(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, filepath.Join(dir, "hearthd.db"))
	remember(t, s)
	for i := range 2 { // so that there is an older one
		addNotes(t, s, strings.Repeat("backup ", i+1))
		if made, err := s.Backup(t.Context()); err != nil || !made {
			t.Fatalf("backup: %v %v", made, err)
		}
	}
	if older := readFile(t, s.path+olderSuffix); !bytes.Contains(bytes.ToLower(older), []byte("xanthippe")) {
		t.Fatal("the secret never was in the older backup")
	}
	for _, kept := range []string{"20260101T000000.000Z", "0.1.0.backup"} {
		if err := os.WriteFile(filepath.Join(dir, "hearthd.db.kept-"+kept), []byte("xanthippe"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Contains(raw(t, dir), []byte("xanthippe")) {
		t.Fatal("the secret never was in the files")
	}
	f, err := s.ForgetAbout(t.Context(), " xanthippe")
	if err != nil {
		t.Fatal(err)
	}
	if want := (Forgotten{Notes: 1, Facts: 1, Turns: 1, Answers: 1, Summaries: 1, Exchanges: 1, Upgrade: true}); f != want {
		t.Errorf("forgot %+v, want %+v", f, want)
	}
	// "xanthipp" is what the stemmer makes of it in the full-text index.
	if i := bytes.Index(raw(t, dir), []byte("xanthipp")); i >= 0 {
		t.Errorf("the secret is still in the files: …%q", raw(t, dir)[max(0, i-40):i+20])
	}
	if got := found(t, s, Query{Text: "xanthippe", Vector: axis(0), Model: "m"}); len(got) != 0 {
		t.Errorf("still found: %q", got)
	}
	if got := found(t, s, Query{Text: "boiler"}); len(got) != 1 {
		t.Errorf("the rest: %q", got)
	}
	if left, err := s.Exchanges(t.Context()); err != nil || len(left) != 1 || left[0].User != "Good night." {
		t.Errorf("exchanges %+v (%v)", left, err)
	}
	if turns, err := s.Turns(t.Context(), 10); err != nil || len(turns) != 1 || turns[0].ID != 8 {
		t.Errorf("turns %+v (%v)", turns, err)
	}
	if _, err := s.ForgetAbout(t.Context(), " "); !errors.Is(err, ErrTooLong) {
		t.Errorf("forgetting nothing: %v", err)
	}
}

func TestForgettingEverythingKeepsTimersListsAndTheTurnId(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, filepath.Join(dir, "hearthd.db"))
	remember(t, s)
	if _, err := s.AddItems(t.Context(), "shopping", []string{"milk"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ForgetEverything(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"xanthipp", "boiler", "pear"} {
		if bytes.Contains(raw(t, dir), []byte(word)) {
			t.Errorf("%q is still in the files", word)
		}
	}
	if items, err := s.Items(t.Context(), "shopping"); err != nil || len(items) != 1 {
		t.Errorf("items %v (%v)", items, err)
	}
	if id, err := s.LastTurn(t.Context()); err != nil || id != 8 {
		t.Errorf("last turn %d (%v)", id, err)
	}
}

func TestForgettingATurnForgetsWhatWasLearnedFromIt(t *testing.T) {
	s := openNew(t)
	now := time.Now()
	before, err := s.AddNotes(t.Context(), Note{Text: "old note", Created: now.Add(-time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddNotes(t.Context(), Note{Text: "note of the turn before",
		Created: now.Add(-2500 * time.Millisecond)}); err != nil {
		t.Fatal(err)
	}
	for _, turn := range []Turn{
		{ID: 1, Time: now.Add(-2400 * time.Millisecond), Transcript: "remember the turn before"},
		{ID: 2, Time: now, Transcript: "my pin is 1234", Stages: json.RawMessage(`{"total": 2000}`)},
	} {
		if err := s.AddTurn(t.Context(), turn); err != nil {
			t.Fatal(err)
		}
	}
	// One while the turn went on, one by a reflection on it.
	for _, at := range []time.Time{now.Add(-1900 * time.Millisecond), now.Add(time.Minute)} {
		if _, err := s.AddNotes(t.Context(), Note{Text: fmt.Sprint("The pin is 1234, at ", at),
			Created: at}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.KeepExchanges(t.Context(), llm.Exchange{Time: now.Add(-3 * time.Second), User: "before"},
		llm.Exchange{Time: now, User: "my pin is 1234"}); err != nil {
		t.Fatal(err)
	}
	if f, err := s.ForgetTurns(t.Context(), 2); err != nil || f.Notes != 2 || f.Turns != 1 || f.Exchanges != 1 {
		t.Errorf("%+v (%v)", f, err)
	}
	if f, err := s.ForgetTurns(t.Context(), 77); err != nil || f.Total() != 0 {
		t.Errorf("a turn that never was: %+v (%v)", f, err)
	}
	left, err := s.Notes(t.Context(), 0, 10)
	if err != nil || len(left) != 2 || left[0].ID != before[0] {
		t.Errorf("left %+v (%v)", left, err)
	}
}

func TestWhatIsToBeDoneStandsWhenItsWordsAreForgotten(t *testing.T) {
	s := openNew(t)
	at := time.Now().Add(time.Hour)
	if _, err := s.AddTimers(t.Context(), Timer{Label: "pasta", Ends: at},
		Timer{Kind: "reminder", Label: "call  Xanthippe", Ends: at}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddItems(t.Context(), "shopping",
		[]string{"milk", "cake for XANTHIPPE", "xanthippe's tea"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ForgetAbout(t.Context(), "xanthippe"); err != nil {
		t.Fatal(err)
	}
	kinds, lists, err := s.Standing(t.Context(), "xanthippe")
	if err != nil || !slices.Equal(kinds, []string{"reminder"}) || !slices.Equal(lists, []string{"shopping"}) {
		t.Errorf("timers %q, lists %q (%v)", kinds, lists, err)
	}
}

func TestForgettingOneFactLeavesTheOthers(t *testing.T) {
	s := openNew(t)
	ctx := t.Context()
	for _, f := range []Fact{
		{Category: Personal, Name: "Friend", Text: "Xanthippe", Mutable: true},
		{Category: Personal, Name: "cat", Text: "Tom", Mutable: false},
		{Person: "Anna", Category: Personal, Name: "friend", Text: "Bea", Mutable: true},
	} {
		if err := s.SetFact(ctx, f); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"friend ", "CAT"} {
		if f, err := s.ForgetFact(ctx, "", name); err != nil || f.Facts != 1 {
			t.Errorf("forget %q: %+v, %v", name, f, err)
		}
	}
	if left, err := s.AllFacts(ctx); err != nil || len(left) != 1 || left[0].Person != "Anna" {
		t.Errorf("left %+v, %v", left, err)
	}
}

// TestForgettingFindsWhatJSONWritesOtherwise: & and < stand as \u0026 and \u003c in the
// columns that hold JSON.
func TestForgettingFindsWhatJSONWritesOtherwise(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, filepath.Join(dir, "hearthd.db"))
	now := time.Now()
	for _, err := range []error{
		s.ChangePerson(t.Context(), "anna", func(p *Person) { p.Topics = []string{"presents of H&M"} }),
		s.ChangePerson(t.Context(), "ben", func(p *Person) { p.Profile.Place = "near H&M" }),
		s.KeepAnswer(t.Context(), Answer{Key: "k", Text: "It is open.", Sources: []llm.Source{{Title: "H&M"}},
			Made: now, Expires: now.Add(time.Hour)}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if f, err := s.ForgetAbout(t.Context(), "h&m"); err != nil || f != (Forgotten{Answers: 1, Summaries: 2}) {
		t.Errorf("forgot %+v (%v)", f, err)
	}
	if bytes.Contains(raw(t, dir), []byte(`h\u0026m`)) {
		t.Error("it is still in the files")
	}
}

// TestCopiesGoThoughTheLogIsInUse: somebody reads the database for longer than a
// checkpoint waits.
func TestCopiesGoThoughTheLogIsInUse(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, filepath.Join(dir, "hearthd.db"))
	remember(t, s)
	if made, err := s.Backup(t.Context()); err != nil || !made {
		t.Fatalf("backup: %v %v", made, err)
	}
	if _, err := s.db.ExecContext(t.Context(), "PRAGMA busy_timeout(10)"); err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite", dsn(s.path))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	rows, err := other.QueryContext(t.Context(), "SELECT id FROM notes")
	if err != nil || !rows.Next() {
		t.Fatalf("nobody reads: %v", err)
	}
	defer rows.Close()
	if _, err := s.ForgetAbout(t.Context(), "xanthippe"); !errors.Is(err, errBusy) {
		t.Errorf("forgot with the log in use: %v", err)
	}
	if s.BackedUp() {
		t.Error("the backup is still there")
	}
}

// TestForgettingATurnLooksAtItsOwnSession: a guest's long answer, which began before,
// ended after it.
func TestForgettingATurnLooksAtItsOwnSession(t *testing.T) {
	s := openNew(t)
	now := time.Now()
	for _, turn := range []Turn{
		{ID: 2, Session: 2, Time: now.Add(-5 * time.Second), Transcript: "my pin is 1234",
			Stages: json.RawMessage(`{"total": 2000}`)},
		{ID: 1, Session: 1, Time: now, Transcript: "tell me a long story", Stages: json.RawMessage(`{"total": 20000}`)},
	} {
		if err := s.AddTurn(t.Context(), turn); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.AddNotes(t.Context(), Note{Text: "The pin is 1234.",
		Created: now.Add(-6 * time.Second)}); err != nil {
		t.Fatal(err)
	}
	if f, err := s.ForgetTurns(t.Context(), 2); err != nil || f.Notes != 1 || f.Turns != 1 {
		t.Errorf("%+v (%v)", f, err)
	}
}

func TestForgettingIsOfWholeWordsAndOfPeople(t *testing.T) {
	s := openNew(t)
	if _, err := s.AddNotes(t.Context(), Note{Text: "The vacation is in July."},
		Note{Text: "The cats sleep in the shed."}, Note{Text: "The cat's vet is Dr Low."},
		Note{Person: "Anna", Text: "Likes tea."}); err != nil {
		t.Fatal(err)
	}
	if f, err := s.ForgetAbout(t.Context(), "cat"); err != nil || f.Notes != 2 {
		t.Errorf("%+v (%v)", f, err)
	}
	if f, err := s.ForgetAbout(t.Context(), "anna"); err != nil || f.Notes != 1 {
		t.Errorf("%+v (%v)", f, err)
	}
}

func TestForgettingATurnOfAClockThatWasBehindLeavesWhatWasKnown(t *testing.T) {
	s := openNew(t)
	now := time.Now()
	if _, err := s.AddNotes(t.Context(), Note{Text: "known for a year", Created: now.AddDate(-1, 0, 0)}); err != nil {
		t.Fatal(err)
	}
	boot := time.UnixMilli(0)
	for _, turn := range []Turn{{ID: 1, Time: now.Add(-time.Hour)},
		{ID: 2, Session: 1, Time: boot.Add(3 * time.Minute)}} {
		if err := s.AddTurn(t.Context(), turn); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.AddNotes(t.Context(), Note{Text: "learned just now",
		Created: boot.Add(3 * time.Minute)}); err != nil {
		t.Fatal(err)
	}
	if f, err := s.ForgetTurns(t.Context(), 2); err != nil || f.Notes != 1 || f.Turns != 1 {
		t.Errorf("%+v (%v)", f, err)
	}
}
