package knowledge

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/llm"
	"hearthd/memory"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

func TestRunLooksEveryMinuteAndWakesTheStoreWhenTheFolderHasChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, store := t.TempDir(), new(asked)
		k, err := New(Options{
			Book: phrase.English(),
			Dir:  dir, Store: store, NoRoom: memory.ErrNoRoom, Idle: func() bool { return true },
			Changed: func(Status, tools.Tool) {}, PDF: "x", Meaning: new(meanings), Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- k.Run(ctx) }()
		for i, want := range []counts{{1, 0, 1}, {1, 0, 1}, {2, 1, 2}, {2, 1, 2}} {
			synctest.Wait()
			if got := store.count(counts{}); got != want {
				t.Errorf("after %d minutes: %+v, want %+v", i, got, want)
			}
			if i == 1 {
				if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte(manual), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(time.Minute)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// asked is a store that keeps nothing and counts what is asked of it.
type asked struct {
	mu sync.Mutex
	n  counts
}

type counts struct{ documents, put, unvectored int }

// count adds more, and gives what was counted.
func (a *asked) count(more counts) counts {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n = counts{a.n.documents + more.documents, a.n.put + more.put, a.n.unvectored + more.unvectored}
	return a.n
}

func (a *asked) Documents(context.Context) ([]llm.Document, error) {
	a.count(counts{documents: 1})
	return nil, nil
}

func (a *asked) PutDocument(context.Context, llm.Document, []llm.Passage) error {
	a.count(counts{put: 1})
	return nil
}

func (a *asked) UnvectoredPassages(context.Context, string, int) ([]llm.Passage, error) {
	a.count(counts{unvectored: 1})
	return nil, nil
}

func (*asked) RemoveDocuments(context.Context, ...string) error { return nil }

func (*asked) SearchDocuments(context.Context, string, []float32, string, int) ([]llm.Found, error) {
	return nil, nil
}

func (*asked) SetPassageVectors(context.Context, string, map[int64][]float32) error { return nil }
