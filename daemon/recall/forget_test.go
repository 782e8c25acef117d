package recall

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/api"
	"hearthd/memory"
	"hearthd/rigs/memorytest"
	"hearthd/tools/phrase"
)

func TestWhatIsKnownOfPeopleIsExportedAndImported(t *testing.T) {
	from, to := memorytest.Open(t), memorytest.Open(t)
	defer to.Close()
	want := memory.Person{
		Name: "anna", Profile: memory.Profile{Called: "Anna", Place: "Graz", Units: "metric",
			Tickers: []string{"NVDA"}},
		Summary: "Talks about bread.", Topics: []string{"rye", "trains"},
		LastActive: time.UnixMilli(1_800_000_000_000), Sessions: 3,
	}
	if err := from.ChangePerson(t.Context(), "anna", func(p *memory.Person) { *p = want }); err != nil {
		t.Fatal(err)
	}
	var entries []api.Memory
	for e, err := range NewArchive(NewOwner(recalling(t, from, alphabet{}), phrase.English(), nil)).Export(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	other := NewArchive(NewOwner(recalling(t, to, alphabet{}), phrase.English(), nil))
	if n, err := other.Import(t.Context(), entries); err != nil || n != 1 {
		t.Fatalf("%d entries (%v)", n, err)
	}
	got, err := to.Person(t.Context(), "anna")
	if err != nil || !cmp.Equal(want, got) {
		t.Errorf("(%v) %s", err, cmp.Diff(want, got))
	}
	if list, err := other.Remembered(t.Context(), "", 10); err != nil || len(list) != 1 || list[0].Kind != "person" ||
		list[0].Sessions != 3 {
		t.Errorf("listed %+v (%v)", list, err)
	}
	known, err := other.Known(t.Context(), "", "")
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
		store := memorytest.Open(t)
		r := New(Options{Store: store, Log: slog.New(slog.DiscardHandler)})
		o := NewOwner(r, phrase.English(), func() { r.Forget() })
		turns := uint64(0)
		say := func(words string) {
			time.Sleep(time.Second)
			turns++
			if !transcripts {
				words = ""
			}
			if err := store.AddTurn(t.Context(), memory.Turn{ID: turns, Time: time.Now(),
				Transcript: words}); err != nil {
				t.Fatal(err)
			}
		}
		name := func(name string) {
			if err := o.Name(t.Context(), "", name); err != nil {
				t.Fatal(err)
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
			if _, _, err := o.ForgetLast(t.Context(), 0); err != nil {
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
		lives := func() string {
			where, _, err := NewProfile(r).Home(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			return where
		}
		for _, where := range []string{"Bern", "Graz, Austria"} {
			if err := NewProfile(r).SetHome(t.Context(), "", where, ""); err != nil {
				t.Fatal(err)
			}
			say("i live in " + strings.ToLower(where))
		}
		forget()
		if got := lives(); got != "Bern" || called() != "Eva" {
			t.Errorf("lives in %q, want the place from before; called %q", got, called())
		}
	})
}

func TestANameThatIsForgottenIsGoneFromTheFiles(t *testing.T) {
	dir := t.TempDir()
	log := slog.New(slog.DiscardHandler)
	store, err := memory.Open(t.Context(), memory.Options{Path: filepath.Join(dir, "hearthd.db"), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	o := NewOwner(New(Options{Store: store, Log: log}), phrase.English(), func() {})
	if err := o.Name(t.Context(), "", "Xanthippe"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} {
		if gone, err := o.ForgetName(t.Context(), ""); err != nil || gone != want {
			t.Errorf("%d names are gone, %v", gone, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if text, err := os.ReadFile(f); err != nil || bytes.Contains(text, []byte("Xanthippe")) {
			t.Errorf("the name is in %s, %v", f, err)
		}
	}
}

func TestForgetThatIsAboutTheTurnOfWhoeverSaysIt(t *testing.T) {
	turns := []memory.Turn{{ID: 9, Session: 4, Route: "announcement"}, {ID: 8, Session: 7}, {ID: 6, Session: 4},
		{ID: 5, Session: 4}}
	for session, want := range map[uint64]uint64{4: 6, 7: 8, 3: 8, 0: 8} { // of others where there is none of one's own
		if got := lastSaid(turns, session); len(got) == 0 || got[0].ID != want {
			t.Errorf("session %d: %+v, want turn %d first", session, got, want)
		}
	}
	if got := lastSaid(turns[:1], 4); len(got) != 0 {
		t.Errorf("an announcement is forgotten: %+v", got)
	}
}
