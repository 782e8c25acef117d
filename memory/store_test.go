package memory

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func openAt(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Path: path, KeepTurns: 10, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func openNew(t testing.TB) *Store { return openAt(t, filepath.Join(t.TempDir(), "hearthd.db")) }

func TestStoreSyncsEveryCommit(t *testing.T) {
	s := openNew(t)
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "busy_timeout": "5000"} {
		var got string
		if err := s.db.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s = %q (%v), want %q", pragma, got, err, want)
		}
	}
}

func TestStoreFileIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new folder", "a%b?c#d e.db")
	s := openAt(t, path)
	if err := s.SetVolume(t.Context(), 40); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
	}
}

func TestOpenRefusesBadOptions(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	for _, o := range []Options{{}, {Path: "x"}, {Log: log}, {Path: "x", Log: log, KeepTurns: -1}} {
		if _, err := Open(t.Context(), o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

func TestEverythingIsThereAfterReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hearthd.db")
	ends := time.UnixMilli(time.Now().UnixMilli()).Add(time.Minute)
	func() {
		s, err := Open(t.Context(), Options{Path: path, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		pasta := Timer{Kind: "alarm", Label: "pasta", Length: time.Minute, Ends: ends, Left: time.Second,
			Repeat: "FREQ=DAILY", Starts: ends.UTC()}
		_, err1 := s.AddTimers(t.Context(), pasta)
		_, err2 := s.AddItems(t.Context(), "shopping", []string{"milk", "eggs"})
		err3 := s.AddTurn(t.Context(), Turn{ID: 7, Session: 6, Time: ends, Route: "intent", Transcript: "hello",
			Answer: "hi"})
		if err := errors.Join(err1, err2, err3, s.SetVolume(t.Context(), 30),
			s.SetFlag(t.Context(), "muted", true)); err != nil {
			t.Fatal(err)
		}
	}()
	s := openAt(t, path)
	if s.Replaced() != nil {
		t.Fatalf("an intact file was replaced: %v", s.Replaced().Cause)
	}
	timers, err1 := s.Timers(t.Context())
	items, err2 := s.Items(t.Context(), "shopping")
	turns, err3 := s.Turns(t.Context(), 5)
	last, err4 := s.LastTurn(t.Context())
	volume, chosen, err5 := s.Volume(t.Context())
	muted, err6 := s.Flag(t.Context(), "muted")
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Timer{{
		ID: 1, Kind: "alarm", Label: "pasta", Length: time.Minute, Ends: ends, Left: time.Second, Repeat: "FREQ=DAILY",
		Starts: ends.UTC(),
	}}, timers); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"milk", "eggs"}, items); diff != "" {
		t.Error(diff)
	}
	want := []Turn{{ID: 7, Session: 6, Time: ends, Route: "intent", Transcript: "hello", Answer: "hi",
		Stages: []byte("{}")}}
	if diff := cmp.Diff(want, turns); diff != "" {
		t.Error(diff)
	}
	if last != 7 || volume != 30 || !chosen || !muted {
		t.Errorf("last turn %d, volume %d %v, muted %v", last, volume, chosen, muted)
	}
}

func TestUnusableFileIsKeptAside(t *testing.T) {
	foreign := func(t *testing.T, path, statements string) {
		t.Helper()
		db, err := sql.Open("sqlite", dsn(path))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec(statements); err != nil {
			t.Fatal(err)
		}
	}
	cases := []struct {
		name string
		make func(t *testing.T, path string)
		want error
	}{
		{"text", func(t *testing.T, path string) {
			writeFile(t, path, []byte(strings.Repeat("this is not a database\n", 100)))
		}, errDamaged},
		{"overwritten in the middle", func(t *testing.T, path string) {
			filled(t, path)
			data := readFile(t, path)
			copy(data[4096:], bytes.Repeat([]byte{0xA5}, len(data)-4096))
			writeFile(t, path, data)
		}, errDamaged},
		{"cut off", func(t *testing.T, path string) {
			filled(t, path)
			data := readFile(t, path)
			writeFile(t, path, data[:len(data)/2])
		}, errDamaged},
		{"of another program", func(t *testing.T, path string) { foreign(t, path, "CREATE TABLE recipes (name)") },
			errForeign},
		{"of a newer hearthd", func(t *testing.T, path string) {
			filled(t, path)
			foreign(t, path, "PRAGMA user_version = 1000; UPDATE settings SET value = 1000 WHERE key = 'oldest_reader'")
		}, ErrNewer},
		{"of a newer hearthd that does not say who can read it", func(t *testing.T, path string) {
			filled(t, path)
			foreign(t, path, "PRAGMA user_version = 1000; DELETE FROM settings")
		}, ErrNewer},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "hearthd.db")
			c.make(t, path)
			before := readFile(t, path)
			s := openAt(t, path)
			r := s.Replaced()
			if r == nil || !errors.Is(r.Cause, c.want) {
				t.Fatalf("replaced = %+v, want cause %v", r, c.want)
			}
			if after := readFile(t, r.Kept); !bytes.Equal(before, after) {
				t.Error("the kept file differs from what was found")
			}
			if _, err := s.AddTimers(t.Context(), Timer{Label: "tea"}); err != nil {
				t.Errorf("the new database does not work: %v", err)
			}
		})
	}
}

// As after a downgrade: what was added to the schema since is left alone, and is there
// after the next upgrade.
func TestMemoryOfANewerHearthdIsUsedWhereItCanBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hearthd.db")
	filled(t, path)
	newer, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		t.Fatal(err)
	}
	_, err = newer.Exec("CREATE TABLE later (a); ALTER TABLE timers ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'; " +
		"PRAGMA user_version = 1000")
	if err := errors.Join(err, newer.Close()); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, path)
	if r := s.Replaced(); r != nil {
		t.Fatalf("replaced: %v", r.Cause)
	}
	if _, err := s.AddTimers(t.Context(), Timer{Label: "tea"}); err != nil {
		t.Error(err)
	}
	if turns, err := s.Turns(t.Context(), 100); err != nil || len(turns) != 60 {
		t.Errorf("%d turns, %v", len(turns), err)
	}
	var version int
	if err := s.db.QueryRow("PRAGMA user_version").Scan(&version); err != nil || version != 1000 {
		t.Errorf("version %d, %v", version, err)
	}
}

// filled makes a database of some hundred kilobytes, all of it in the main file.
func filled(t *testing.T, path string) {
	t.Helper()
	s, err := Open(t.Context(), Options{Path: path, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for id := range uint64(60) {
		if err := s.AddTurn(t.Context(), Turn{ID: id + 1, Answer: strings.Repeat("word ", 1000)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestUnwritablePlaceIsAnErrorAndNoReplacement(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a-folder.db")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Options{Path: path, Log: slog.New(slog.DiscardHandler)})
	if !errors.Is(err, errReadOnly) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}

func TestFullDiskIsTyped(t *testing.T) {
	s := openNew(t)
	var pages int
	if err := s.db.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
		t.Fatal(err)
	}
	err := s.AddTurn(t.Context(), Turn{ID: 1, Answer: strings.Repeat("x", maxAnswer)})
	if !errors.Is(err, ErrFull) || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v", err)
	}
	if err := s.SetVolume(t.Context(), 10); err != nil {
		t.Errorf("the store is stuck after a full disk: %v", err)
	}
}

func TestCancelledWriteChangesNothing(t *testing.T) {
	s := openNew(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.AddTimers(ctx, Timer{Label: "tea"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if timers, err := s.Timers(t.Context()); err != nil || len(timers) != 0 {
		t.Errorf("timers %v, %v", timers, err)
	}
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func BenchmarkAddTimer(b *testing.B) {
	s, err := Open(b.Context(), Options{Path: filepath.Join(b.TempDir(), "hearthd.db"),
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for b.Loop() {
		ids, err := s.AddTimers(b.Context(), Timer{Label: "pasta"})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.ChangeTimers(b.Context(), nil, ids); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenFull(b *testing.B) {
	o := Options{Path: filepath.Join(b.TempDir(), "hearthd.db"), Log: slog.New(slog.DiscardHandler)}
	s, err := Open(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	for id := range uint64(defaultKeepTurns) {
		if err := s.AddTurn(b.Context(), Turn{ID: id + 1, Transcript: strings.Repeat("word ", 10),
			Answer: strings.Repeat("word ", 30)}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		if s, err = Open(b.Context(), o); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}
