package memory

import (
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestNotesBelongToPeople(t *testing.T) {
	s := openNew(t)
	_, err := s.AddNotes(t.Context(), Note{Person: "anna", Text: "likes tea"},
		Note{Person: "ben", Text: "likes coffee"}, Note{Text: "everybody likes cake"})
	if err != nil {
		t.Fatal(err)
	}
	got := found(t, s, Query{Text: "likes", Person: "anna"})
	slices.Sort(got)
	if !slices.Equal(got, []string{"everybody likes cake", "likes tea"}) {
		t.Errorf("anna's: %q", got)
	}
}

func TestANoteIsStoredOnce(t *testing.T) {
	s := openNew(t)
	ids := addNotes(t, s, "Anna bakes.", " anna  BAKES. ", "Anna cooks.")
	if ids[0] != ids[1] || ids[0] == ids[2] {
		t.Errorf("ids %v", ids)
	}
	if _, err := s.AddNotes(t.Context(), Note{Text: " "}); !errors.Is(err, ErrTooLong) {
		t.Errorf("empty: %v", err)
	}
}

func TestOldestNotesArePruned(t *testing.T) {
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "x.db"), KeepNotes: 2,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ids := addNotes(t, s, "one apple", "two apples", "three apples")
	if err := s.SetVectors(t.Context(), "m", map[int64][]float32{ids[0]: axis(0), ids[2]: axis(2)}); err != nil {
		t.Fatal(err)
	}
	if got := found(t, s, Query{Text: "apple", Vector: axis(0), Model: "m"}); len(got) != 2 ||
		slices.Contains(got, "one apple") {
		t.Errorf("left: %q", got)
	}
}

// used is how many bytes of the database hold something.
func used(t *testing.T, s *Store) (n int64) {
	t.Helper()
	err := s.db.QueryRowContext(t.Context(),
		`SELECT (p.page_count - f.freelist_count) * 4096 FROM pragma_page_count p, pragma_freelist_count f`).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestTheDatabaseStaysWithinItsBytesAndTheOldestGo(t *testing.T) {
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "x.db"), MaxBytes: minMaxBytes,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.SetFact(t.Context(), Fact{Category: General, Name: "boiler", Text: "in the cellar"}); err != nil {
		t.Fatal(err)
	}
	const rounds = 30
	for i := range rounds {
		var texts []string
		for j := range 20 {
			texts = append(texts, strings.Repeat("bread ", 100)+strconv.Itoa(i*20+j))
		}
		ids := addNotes(t, s, texts...)
		if err := s.SetVectors(t.Context(), "m", map[int64][]float32{ids[0]: axis(i % 16)}); err != nil {
			t.Fatal(err)
		}
		if err := s.AddTurn(t.Context(), Turn{ID: uint64(i + 1), Time: time.Now(),
			Answer: strings.Repeat("x", 4000)}); err != nil {
			t.Fatal(err)
		}
		if n := used(t, s); n > minMaxBytes {
			t.Fatalf("%d bytes after %d rounds", n, i+1)
		}
	}
	notes, err := s.Notes(t.Context(), 0, 10_000)
	if err != nil || len(notes) < 100 || len(notes) > 20*rounds-100 ||
		!strings.HasSuffix(notes[len(notes)-1].Text, " 599") {
		t.Errorf("%d notes are left (%v)", len(notes), err)
	}
	turns, err := s.Turns(t.Context(), 100)
	if err != nil || len(turns) < 10 || len(turns) == rounds || turns[0].ID != rounds {
		t.Errorf("%d turns are left (%v)", len(turns), err)
	}
	if facts, err := s.AllFacts(t.Context()); err != nil || len(facts) != 1 {
		t.Errorf("facts %v (%v)", facts, err)
	}
	for _, id := range s.index.nearest(axis(1), 100) {
		if id < notes[0].ID {
			t.Errorf("note %d is gone, and in the index", id)
		}
	}
}

// TestATurnCostsTheCardFewPages counts the pages that the log takes, each of them
// written once more when the log is written back.
func TestATurnCostsTheCardFewPages(t *testing.T) {
	s := openNew(t)
	if err := s.Checkpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	const turns = 50
	for i := range turns {
		if err := s.AddTurn(t.Context(), Turn{ID: uint64(i + 1), Time: time.Now(), Transcript: "what time is it",
			Answer: "It is noon."}); err != nil {
			t.Fatal(err)
		}
	}
	var busy, log, done int
	if err := s.db.QueryRowContext(t.Context(), "PRAGMA wal_checkpoint").Scan(&busy, &log, &done); err != nil {
		t.Fatal(err)
	}
	// One page of the table per turn, and now and then a new one with its parent.
	if log > turns*2 {
		t.Errorf("%d turns wrote %d pages", turns, log)
	}
}

func TestTheIdOfATurnOutlivesItWhenTheOldestGo(t *testing.T) {
	s := openNew(t)
	s.maxBytes = 1 // nothing fits
	if err := s.AddTurn(t.Context(), Turn{ID: 7, Time: time.Now().Add(-time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddNotes(t.Context(), Note{Text: "newer"}); err != nil {
		t.Fatal(err)
	}
	if turns, err := s.Turns(t.Context(), 1); err != nil || len(turns) != 0 {
		t.Fatalf("turns %v (%v)", turns, err)
	}
	if id, err := s.LastTurn(t.Context()); err != nil || id != 7 {
		t.Errorf("last turn %d (%v)", id, err)
	}
}
