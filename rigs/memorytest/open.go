// Package memorytest opens memories for tests.
package memorytest

import (
	"log/slog"
	"path/filepath"
	"testing"

	"hearthd/memory"
)

// Open opens a memory of its own, until the test ends.
func Open(tb testing.TB) *memory.Store {
	tb.Helper()
	return OpenAt(tb, filepath.Join(tb.TempDir(), "hearthd.db"))
}

// OpenAt opens the memory in a file, until the test ends or closes it.
func OpenAt(tb testing.TB, path string) *memory.Store {
	tb.Helper()
	s, err := memory.Open(tb.Context(), memory.Options{Path: path, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}
