package memory

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

const writerEnv = "HEARTHD_TEST_WRITER"

// TestMain lets the test binary be the process that is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv(writerEnv); path != "" {
		if err := writeUntilKilled(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeUntilKilled adds timers, items and turns, and prints each one once it is
// confirmed.
func writeUntilKilled(path string) error {
	ctx := context.Background()
	s, err := Open(ctx, Options{Path: path, KeepTurns: 1_000_000, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	turn, err := s.LastTurn(ctx)
	if err != nil {
		return err
	}
	for {
		ids, err := s.AddTimers(ctx, Timer{Label: "pasta", Ends: time.Now().Add(time.Hour)})
		if err == nil {
			fmt.Println("timer", ids[0])
		} else if !errors.Is(err, ErrTooMany) {
			return err
		}
		turn++
		if err := s.AddTurn(ctx, Turn{ID: turn, Time: time.Now()}); err != nil {
			return err
		}
		fmt.Println("turn", turn)
		note := fmt.Sprint("note ", turn)
		if _, err := s.AddNotes(ctx, Note{Text: note}); err != nil {
			return err
		}
		fmt.Println(note)
		fact := fmt.Sprint("fact ", turn)
		if err := s.SetFact(ctx, Fact{Category: General, Name: fact, Text: "so"}); err == nil {
			fmt.Println(fact)
		} else if !errors.Is(err, ErrTooMany) {
			return err
		}
		if turn%16 == 0 {
			if _, err := s.Backup(ctx); err != nil {
				return err
			}
			if err := s.Checkpoint(ctx); err != nil {
				return err
			}
		}
		item := fmt.Sprint("item ", turn)
		if _, err := s.AddItems(ctx, "shopping", []string{item}); err == nil {
			fmt.Println(item)
		} else if !errors.Is(err, ErrTooMany) {
			return err
		}
	}
}

// TestConfirmedSurvivesKill kills a writer 20 times, or, with HEARTHD_TEST_FULL=1,
// 200 times.
func TestConfirmedSurvivesKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hearthd.db")
	rounds := 20
	if os.Getenv("HEARTHD_TEST_FULL") != "" {
		rounds = 200
	}
	var confirmed []string
	for round := range rounds {
		confirmed = append(confirmed, killedWriter(t, path, 1+rand.IntN(60))...)
		stored := everything(t, path)
		for _, line := range confirmed {
			if !stored[line] {
				t.Fatalf("round %d: %q was confirmed and is gone", round, line)
			}
		}
	}
	t.Logf("%d confirmed writes over %d kills", len(confirmed), rounds)
}

// killedWriter runs a writer, kills it after n confirmations, and gives all
// that it confirmed before it died.
func killedWriter(t *testing.T, path string, n int) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), writerEnv+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for in := bufio.NewScanner(out); in.Scan(); {
		if lines = append(lines, in.Text()); len(lines) == n {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || len(lines) < n {
		t.Fatalf("the writer ended by itself after %d lines: %v", len(lines), err)
	}
	return lines
}

// everything opens the database, which repairs it, and closes it again.
func everything(t *testing.T, path string) map[string]bool {
	t.Helper()
	s, err := Open(t.Context(), Options{Path: path, KeepTurns: 1_000_000, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if r := s.Replaced(); r != nil {
		t.Fatalf("the database was replaced: %v", r.Cause)
	}
	timers, err1 := s.Timers(t.Context())
	turns, err2 := s.Turns(t.Context(), 1_000_000)
	items, err3 := s.Items(t.Context(), "shopping")
	notes, err4 := s.Notes(t.Context(), 0, 1_000_000)
	facts, err5 := s.AllFacts(t.Context())
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	lines := make(map[string]bool)
	for _, item := range items {
		lines[item] = true
	}
	for _, timer := range timers {
		lines[fmt.Sprint("timer ", timer.ID)] = true
	}
	for _, turn := range turns {
		lines[fmt.Sprint("turn ", turn.ID)] = true
	}
	for _, n := range notes {
		lines[n.Text] = true
	}
	for _, f := range facts {
		lines[f.Name] = true
	}
	return lines
}
