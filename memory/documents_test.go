package memory

import (
	"context"
	"errors"
	"fmt"
	"hearthd/llm"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func openDocuments(t *testing.T, o Options) *Store {
	t.Helper()
	o.Path, o.Log = filepath.Join(t.TempDir(), "d.db"), slog.New(slog.DiscardHandler)
	s, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func put(t *testing.T, s *Store, path string, texts ...string) {
	t.Helper()
	var passages []llm.Passage
	for i, text := range texts {
		passages = append(passages, llm.Passage{Name: strings.TrimSuffix(path, ".md"), Section: fmt.Sprint("Part ", i+1),
			Text: text})
	}
	if err := s.PutDocument(context.Background(), llm.Document{Path: path, Size: 1, Modified: time.UnixMilli(5)},
		passages); err != nil {
		t.Fatal(err)
	}
}

func search(t *testing.T, s *Store, text string, vector []float32) []string {
	t.Helper()
	found, err := s.SearchDocuments(context.Background(), text, vector, "m", 3)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range found {
		out = append(out, f.Path+": "+f.Text)
	}
	return out
}

func TestADocumentIsFoundByItsWordsItsSectionsAndItsName(t *testing.T) {
	s := openDocuments(t, Options{})
	put(t, s, "coffee machine.md", "Fill the tank with water.", "Run the descaling programme every month.")
	put(t, s, "dishwasher.md", "Salt goes into the container at the bottom.", "Clean the sieve every month.")
	for query, want := range map[string]string{
		"how do i descale":          "coffee machine.md: Run the descaling programme every month.",
		"dishwasher salt":           "dishwasher.md: Salt goes into the container at the bottom.",
		"coffee machine, the tank?": "coffee machine.md: Fill the tank with water.",
	} {
		if got := search(t, s, query, nil); len(got) == 0 || got[0] != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
	if got := search(t, s, "helicopter", nil); got != nil {
		t.Errorf("helicopter: %q", got)
	}
}

func TestADocumentThatIsGoneLeavesIndexVectorsAndFile(t *testing.T) {
	ctx := context.Background()
	s := openDocuments(t, Options{})
	put(t, s, "a.md", "Elderberry syrup needs quinquenary patience.")
	put(t, s, "b.md", "Bread needs salt.")
	vector := func(seed uint64) []float32 {
		r := rand.New(rand.NewPCG(seed, 1))
		v := make([]float32, 64)
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		return v
	}
	waiting, err := s.UnvectoredPassages(ctx, "m", 10)
	if err != nil || len(waiting) != 2 {
		t.Fatalf("%v %v", waiting, err)
	}
	vectors := map[int64][]float32{waiting[0].ID: vector(1), waiting[1].ID: vector(2), 99: vector(3)}
	if err := s.SetPassageVectors(ctx, "m", vectors); err != nil {
		t.Fatal(err)
	}
	if got := search(t, s, "nothing of this", vector(1)); len(got) == 0 || got[0] != "a.md: Elderberry syrup needs "+
		"quinquenary patience." {
		t.Errorf("by meaning: %q", got)
	}
	// Changed: its old words are gone. Then gone altogether.
	put(t, s, "a.md", "Rhubarb.")
	if got := search(t, s, "quinquenary", nil); got != nil {
		t.Errorf("old words: %q", got)
	}
	if err := s.RemoveDocuments(ctx, "a.md", "never.md"); err != nil {
		t.Fatal(err)
	}
	if got := search(t, s, "rhubarb", vector(1)); len(got) != 1 || got[0] != "b.md: Bread needs salt." {
		t.Errorf("after removal: %q", got)
	}
	docs, err := s.Documents(ctx)
	if err != nil || len(docs) != 1 || docs[0].Path != "b.md" || !docs[0].Modified.Equal(time.UnixMilli(5)) {
		t.Errorf("%+v %v", docs, err)
	}
	var left int
	if err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM passage_vectors").Scan(&left); err != nil || left != 1 {
		t.Errorf("%d vectors, %v", left, err)
	}
	if err := s.Checkpoint(ctx); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(s.path)
	if err != nil || strings.Contains(string(file), "uinquenary") {
		t.Errorf("the words are still in the file: %v", err)
	}
}

func TestDocumentsDoNotCrowdOutTheMemory(t *testing.T) {
	s := openDocuments(t, Options{MaxBytes: 1 << 20})
	text := strings.Repeat("word ", 800)
	passages := make([]llm.Passage, 1<<20/documentsShare/len(text))
	for i := range passages {
		passages[i] = llm.Passage{Text: text}
	}
	if err := s.PutDocument(context.Background(), llm.Document{Path: "fits"}, passages); err != nil {
		t.Fatal(err)
	}
	err := s.PutDocument(context.Background(), llm.Document{Path: "more"}, passages)
	if !errors.Is(err, ErrNoRoom) {
		t.Errorf("%v, want %v", err, ErrNoRoom)
	}
	if err := s.PutDocument(context.Background(), llm.Document{Path: "more", Problem: "no room"}, nil); err != nil {
		t.Error(err)
	}
}

func TestRoomIsCountedInBytesAndADocumentWithoutPassagesNeedsNone(t *testing.T) {
	s := openDocuments(t, Options{MaxBytes: 1 << 20})
	text := strings.Repeat("ключ", 500) // 4000 bytes, 2000 characters
	passages := make([]llm.Passage, 1<<20/documentsShare/len(text))
	for i := range passages {
		passages[i] = llm.Passage{Text: text}
	}
	if err := s.PutDocument(t.Context(), llm.Document{Path: "fits"}, passages); err != nil {
		t.Fatal(err)
	}
	if err := s.PutDocument(t.Context(), llm.Document{Path: "more"}, passages[:len(passages)/2]); !errors.Is(err,
		ErrNoRoom) {
		t.Errorf("%v, want %v", err, ErrNoRoom)
	}
	s.maxBytes /= 2 // as after a change of memory.max_mb
	if err := s.PutDocument(t.Context(), llm.Document{Path: "scan", Problem: "it is a scan"}, nil); err != nil {
		t.Error(err)
	}
}
