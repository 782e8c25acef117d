package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func addNotes(t *testing.T, s *Store, texts ...string) []int64 {
	t.Helper()
	notes := make([]Note, len(texts))
	for i, text := range texts {
		notes[i].Text = text
	}
	ids, err := s.AddNotes(t.Context(), notes...)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// found is the texts that a question finds, the best first.
func found(t *testing.T, s *Store, q Query) []string {
	t.Helper()
	hits, err := s.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, h := range hits {
		texts = append(texts, h.Text)
	}
	return texts
}

// axis is a vector that points along one dimension.
func axis(i int) []float32 {
	v := make([]float32, 16)
	v[i] = 1
	return v
}

func TestFullTextFindsOtherFormsOfAWord(t *testing.T) {
	s := openNew(t)
	addNotes(t, s, "Anna bakes bread on Sundays.", "The boiler is in the cellar.", "Ändere nie den Müllplan.")
	for question, want := range map[string]string{
		"who was baking bread?":   "Anna bakes bread on Sundays.",
		"where is the boiler":     "The boiler is in the cellar.",
		"was steht im Mullplan?":  "Ändere nie den Müllplan.",
		`"bread" OR ) NEAR(* ^`:   "Anna bakes bread on Sundays.",
		"what about the and is":   "",
		"":                        "",
		"nothing of that matches": "",
	} {
		if got := strings.Join(found(t, s, Query{Text: question}), "|"); got != want {
			t.Errorf("%q found %q, want %q", question, got, want)
		}
	}
}

// FuzzTerms reads any question: what goes to FTS5 are words in quotes, which are no
// syntax there. SQLite itself is too slow under the fuzzer.
func FuzzTerms(f *testing.F) {
	for _, seed := range []string{"who was baking bread?", `"bread" OR ) NEAR(* ^`, "col:bread AND NOT -x", "brød 面包 \x00\xff", strings.Repeat("a b ", 900)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all := terms(text)
		if len(all) > maxTerms {
			t.Errorf("%d terms", len(all))
		}
		for _, term := range all {
			word := strings.TrimSuffix(strings.TrimPrefix(term, `"`), `"`)
			if len(term) != len(word)+2 || word == "" || strings.ContainsAny(word, "\"\x00") || !utf8.ValidString(word) {
				t.Errorf("%q", term)
			}
		}
	})
}

func TestVectorsFindWhatHasNoWordInCommon(t *testing.T) {
	s := openNew(t)
	ids := addNotes(t, s, "Anna bakes bread.", "The boiler is in the cellar.", "No vector yet.")
	err := s.SetVectors(t.Context(), "m", map[int64][]float32{ids[0]: axis(0), ids[1]: axis(1), 999: axis(2)})
	if err != nil {
		t.Fatal(err)
	}
	q := Query{Text: "heating", Vector: axis(1), Model: "m", Limit: 1}
	if got := found(t, s, q); !slices.Equal(got, []string{"The boiler is in the cellar."}) {
		t.Errorf("found %q", got)
	}
	left, err := s.Unvectored(t.Context(), "m", 10)
	if err != nil || len(left) != 1 || left[0].ID != ids[2] {
		t.Errorf("without a vector: %v (%v)", left, err)
	}
	// Another model does not see the vectors of the first, nor another length.
	q.Model = "other"
	if got := found(t, s, q); len(got) != 0 {
		t.Errorf("another model found %q", got)
	}
	q.Model, q.Vector = "m", make([]float32, 8)
	q.Vector[0] = 1
	if got := found(t, s, q); len(got) != 0 {
		t.Errorf("another length found %q", got)
	}
	for _, bad := range [][]float32{nil, make([]float32, 16), make([]float32, 7), make([]float32, 5000)} {
		if err := s.SetVectors(t.Context(), "m", map[int64][]float32{ids[0]: bad}); err == nil {
			t.Errorf("a vector of %d was stored", len(bad))
		}
	}
}

func TestACommonWordDoesNotHideWhatMeansTheSame(t *testing.T) {
	s := openNew(t)
	var texts []string
	for i := range 200 {
		texts = append(texts, "Somewhere there is thing "+strconv.Itoa(i))
	}
	ids := addNotes(t, s, texts...)
	vectors := make(map[int64][]float32)
	for i, id := range ids {
		vectors[id] = axis(i % 8)
		vectors[id][8+i%8] = 0.1 * float32(i%5)
	}
	vectors[ids[190]] = axis(15)
	if err := s.SetVectors(t.Context(), "m", vectors); err != nil {
		t.Fatal(err)
	}
	v := axis(15)
	v[0] = 0.6 // not quite the same
	if got := found(t, s, Query{Text: "where is it somewhere, the gizmo", Vector: v, Model: "m", Limit: 3}); !slices.Contains(got, texts[190]) {
		t.Errorf("found %q", got)
	}
}

func TestSearchPrefersWhatIsRecentAndOfUse(t *testing.T) {
	s := openNew(t)
	now := time.UnixMilli(1_800_000_000_000)
	ids, err := s.AddNotes(t.Context(),
		Note{Text: "The spare key hangs in the hall.", Created: now.AddDate(-3, 0, 0)},
		Note{Text: "The spare key lies in the shed.", Created: now})
	if err != nil {
		t.Fatal(err)
	}
	q := Query{Text: "spare key", Now: now}
	if got := found(t, s, q); len(got) != 2 || !strings.Contains(got[0], "shed") {
		t.Errorf("recent: %q", got)
	}
	for range 100 {
		if err := s.UseNotes(t.Context(), now, ids[0]); err != nil {
			t.Fatal(err)
		}
	}
	q.Now = now.AddDate(3, 0, 0) // both are old now
	if got := found(t, s, q); len(got) != 2 || !strings.Contains(got[0], "hall") {
		t.Errorf("often used: %q", got)
	}
}

func TestNotesBelongToPeople(t *testing.T) {
	s := openNew(t)
	_, err := s.AddNotes(t.Context(), Note{Person: "anna", Text: "likes tea"}, Note{Person: "ben", Text: "likes coffee"}, Note{Text: "everybody likes cake"})
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
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "x.db"), KeepNotes: 2, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ids := addNotes(t, s, "one apple", "two apples", "three apples")
	if err := s.SetVectors(t.Context(), "m", map[int64][]float32{ids[0]: axis(0), ids[2]: axis(2)}); err != nil {
		t.Fatal(err)
	}
	if got := found(t, s, Query{Text: "apple", Vector: axis(0), Model: "m"}); len(got) != 2 || slices.Contains(got, "one apple") {
		t.Errorf("left: %q", got)
	}
}

// used is how many bytes of the database hold something.
func used(t *testing.T, s *Store) (n int64) {
	t.Helper()
	err := s.db.QueryRowContext(t.Context(), `SELECT (p.page_count - f.freelist_count) * 4096 FROM pragma_page_count p, pragma_freelist_count f`).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestTheDatabaseStaysWithinItsBytesAndTheOldestGo(t *testing.T) {
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "x.db"), MaxBytes: minMaxBytes, Log: slog.New(slog.DiscardHandler)})
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
		if err := s.AddTurn(t.Context(), Turn{ID: uint64(i + 1), Time: time.Now(), Answer: strings.Repeat("x", 4000)}); err != nil {
			t.Fatal(err)
		}
		if n := used(t, s); n > minMaxBytes {
			t.Fatalf("%d bytes after %d rounds", n, i+1)
		}
	}
	notes, err := s.Notes(t.Context(), 0, 10_000)
	if err != nil || len(notes) < 100 || len(notes) > 20*rounds-100 || !strings.HasSuffix(notes[len(notes)-1].Text, " 599") {
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
		if err := s.AddTurn(t.Context(), Turn{ID: uint64(i + 1), Time: time.Now(), Transcript: "what time is it", Answer: "It is noon."}); err != nil {
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

func TestImmutableFactsStay(t *testing.T) {
	s := openNew(t)
	birthday := Fact{Person: "anna", Category: Personal, Name: "Birthday", Text: "May 4th"}
	if err := s.SetFact(t.Context(), birthday); err != nil {
		t.Fatal(err)
	}
	birthday.Name, birthday.Text = "birthday ", "may 4th"
	if err := s.SetFact(t.Context(), birthday); err != nil {
		t.Errorf("saying the same again: %v", err)
	}
	birthday.Text = "May 5th"
	if err := s.SetFact(t.Context(), birthday); !errors.Is(err, ErrImmutable) {
		t.Errorf("changing it: %v", err)
	}
	for _, text := range []string{"black", "with milk"} {
		if err := s.SetFact(t.Context(), Fact{Category: Preference, Name: "coffee", Text: text, Mutable: true}); err != nil {
			t.Fatal(err)
		}
	}
	facts, err := s.Facts(t.Context(), "anna", 10)
	if err != nil || len(facts) != 2 || facts[0].Text != "with milk" || facts[1].Text != "May 4th" {
		t.Errorf("facts %+v (%v)", facts, err)
	}
	if facts, err := s.Facts(t.Context(), "ben", 10); err != nil || len(facts) != 1 {
		t.Errorf("ben sees %+v (%v)", facts, err)
	}
	if err := s.SetFact(t.Context(), Fact{Category: "weather", Name: "x", Text: "y"}); err == nil {
		t.Error("an unknown category was stored")
	}
}

func TestAPersonIsKeptAndBounded(t *testing.T) {
	s := openNew(t)
	want := Person{
		Name: "anna", Profile: Profile{Called: "Anna", Place: "Graz", Units: "metric", Tickers: []string{"NVDA"}},
		Summary: "Talks about bread.", Topics: []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"},
		LastActive: time.UnixMilli(1_800_000_000_000), Sessions: 3,
	}
	err := s.ChangePerson(t.Context(), "anna", func(p *Person) {
		*p = want
		p.Topics = append(slices.Clone(want.Topics), "too old")
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Person(t.Context(), "anna")
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("(%v) %s", err, cmp.Diff(want, got))
	}
	err = s.ChangePerson(t.Context(), "anna", func(p *Person) { p.Summary = strings.Repeat("x", maxSummary+1) })
	if !errors.Is(err, ErrTooLong) {
		t.Errorf("long summary: %v", err)
	}
}

func TestAnswersExpire(t *testing.T) {
	s := openNew(t)
	now := time.UnixMilli(1_800_000_000_000)
	station := []Source{{Title: "Weather station", URL: "https://example.org/graz"}}
	for _, text := range []string{"Rain.", "Sun."} {
		a := Answer{Key: "weather graz", Thinker: "weather", Text: text, Sources: station, Made: now, Expires: now.Add(time.Minute)}
		if err := s.KeepAnswer(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	for at, want := range map[time.Duration]bool{0: true, 59 * time.Second: true, time.Minute: false, -time.Second: false} {
		a, ok, err := s.Answer(t.Context(), "weather graz", now.Add(at))
		if err != nil || ok != want || ok && (a.Text != "Sun." || !slices.Equal(a.Sources, station)) {
			t.Errorf("after %v: %+v %v (%v)", at, a, ok, err)
		}
	}
	long := Answer{Key: "x", Text: "y", Sources: []Source{{Title: strings.Repeat("x", maxSources)}}}
	if err := s.KeepAnswer(t.Context(), long); !errors.Is(err, ErrTooLong) {
		t.Errorf("endless sources: %v", err)
	}
}

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
		s.KeepAnswer(ctx, Answer{Key: "who is she", Text: "A friend.", Sources: []Source{{Title: "Xanthippe"}}, Made: now, Expires: now.Add(time.Hour)}),
		s.ChangePerson(ctx, "", func(p *Person) { p.Summary = "Spoke of Xanthippe." }),
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
	if made, err := s.Backup(t.Context()); err != nil || !made {
		t.Fatalf("backup: %v %v", made, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "hearthd.db.kept-20260101T000000.000Z"), []byte("xanthippe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(raw(t, dir), []byte("xanthippe")) {
		t.Fatal("the secret never was in the files")
	}
	f, err := s.ForgetAbout(t.Context(), " xanthippe")
	if err != nil {
		t.Fatal(err)
	}
	if want := (Forgotten{Notes: 1, Facts: 1, Turns: 1, Answers: 1, Summaries: 1}); f != want {
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
	if _, err := s.AddNotes(t.Context(), Note{Text: "note of the turn before", Created: now.Add(-2500 * time.Millisecond)}); err != nil {
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
		if _, err := s.AddNotes(t.Context(), Note{Text: fmt.Sprint("The pin is 1234, at ", at), Created: at}); err != nil {
			t.Fatal(err)
		}
	}
	if f, err := s.ForgetTurns(t.Context(), 2); err != nil || f.Notes != 2 || f.Turns != 1 {
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

func TestBackupIsWrittenWhenSomethingChanged(t *testing.T) {
	s := openNew(t)
	for i, want := range []bool{true, false, true, false} {
		if i == 2 {
			addNotes(t, s, "new")
		}
		if made, err := s.Backup(t.Context()); err != nil || made != want {
			t.Errorf("backup %d: %v (%v), want %v", i, made, err, want)
		}
	}
	info, err := os.Stat(s.path + backupSuffix)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("backup %v (%v)", info, err)
	}
}

func TestDamagedDatabaseIsReplacedByItsBackup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hearthd.db")
	func() {
		s, err := Open(t.Context(), Options{Path: path, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		addNotes(t, s, "kept in the backup")
		if _, err := s.Backup(t.Context()); err != nil {
			t.Fatal(err)
		}
		addNotes(t, s, "written later")
	}()
	damage(t, path)
	s := openAt(t, path)
	if r := s.Replaced(); r == nil || !errors.Is(r.Cause, ErrDamaged) || r.Restored.IsZero() {
		t.Fatalf("replaced %+v", r)
	}
	if got := found(t, s, Query{Text: "kept written"}); !slices.Equal(got, []string{"kept in the backup"}) {
		t.Errorf("found %q", got)
	}
}

func TestDamagedBackupIsNotUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hearthd.db")
	func() {
		s, err := Open(t.Context(), Options{Path: path, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if _, err := s.Backup(t.Context()); err != nil {
			t.Fatal(err)
		}
	}()
	damage(t, path)
	damage(t, path+backupSuffix)
	s := openAt(t, path)
	if r := s.Replaced(); r == nil || !r.Restored.IsZero() {
		t.Errorf("replaced %+v", r)
	}
	addNotes(t, s, "it works")
}

// damage writes over the middle of a database.
func damage(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096; i < len(b); i++ {
		b[i] ^= 0x5a
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
