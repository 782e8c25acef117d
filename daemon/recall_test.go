package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hearthd/memory"
)

// alphabet embeds a text by the letters in it.
type alphabet struct{}

func (alphabet) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v := make([]float32, 32)
		for _, r := range strings.ToLower(text) {
			v[int(r)%32]++
		}
		out[i] = v
	}
	return out, nil
}

func TestWhatIsRecalledGathersVectorsAndUses(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	store, err := memory.Open(t.Context(), memory.Options{Path: filepath.Join(t.TempDir(), "x.db"), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	r := &recollection{
		store: store, embed: alphabet{}, model: "alphabet", log: log, idle: func() bool { return true },
		used: make(map[int64]time.Time), home: memory.Profile{Place: "Graz", Units: "metric"},
	}
	var notes []string
	for i := range 3 * vectorBatch {
		notes = append(notes, fmt.Sprintf("note %d about pears", i))
	}
	if err := r.AddNotes(t.Context(), "", append(notes, "Anna likes xylophones.")); err != nil {
		t.Fatal(err)
	}
	if err := r.tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, err := store.Unvectored(t.Context(), "alphabet", 10); err != nil || len(left) != 0 {
		t.Errorf("%d notes have no vector (%v)", len(left), err)
	}
	block := r.Recall(t.Context(), "", "who plays the xylophone")
	if !strings.Contains(block, "Anna likes xylophones.") || !strings.Contains(block, "home: Graz") || len(r.used) == 0 {
		t.Errorf("recalled %q, %d uses to count", block, len(r.used))
	}
	if err := r.tidy(t.Context()); err != nil || len(r.used) != 0 {
		t.Errorf("%d uses left (%v)", len(r.used), err)
	}
	hits, err := store.Search(t.Context(), memory.Query{Text: "xylophones"})
	if err != nil || len(hits) != 1 || hits[0].Uses != 1 {
		t.Errorf("%+v (%v)", hits, err)
	}
}
