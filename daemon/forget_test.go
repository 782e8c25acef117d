package daemon

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/config"
	"hearthd/daemon/api"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
	"hearthd/daemon/recall"
	"hearthd/daemon/supervise"
	"hearthd/daemon/thinkers"
	"hearthd/llm"
	"hearthd/llm/thinker"
	"hearthd/rigs/memorytest"
	"hearthd/rigs/thinkertest"
	"hearthd/tools/phrase"
)

// parrot is a model that says again what it is told: as notes and topics where
// those are asked for.
type parrot struct{}

func (parrot) Chat(_ context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		last := req.Messages[len(req.Messages)-1].Content
		if len(req.Schema) > 0 {
			last = fmt.Sprintf(`{"notes": [%q], "topics": ["xanthippe"]}`, last)
		}
		yield(llm.Delta{Text: last}, nil)
	}
}

// files is all that stands in the files of a folder, in small letters.
func files(t *testing.T, dir string) []byte {
	t.Helper()
	var all []byte
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return bytes.ToLower(all)
}

// TestForgettingReachesWhatTheProcessHolds forgets while turns wait to be reflected
// on, and looks into the files for an hour.
func TestForgettingReachesWhatTheProcessHolds(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.DiscardHandler)
		store := memorytest.OpenAt(t, filepath.Join(dir, "hearthd.db"))
		ctx, cancel := context.WithCancel(t.Context())
		defer synctest.Wait() // until what runs has ended
		defer cancel()
		means, err := thinker.NewMeanings(alphabet{}, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		r := recall.New(recall.Options{Store: store, Meanings: means, Model: "test", Log: log,
			Quiet: func() bool { return true }})
		cfg := config.Default()
		cfg.Memory.ReflectAfter = 20 * time.Second
		m, err := thinkers.New(thinkers.Options{
			Book:   phrase.English(),
			Config: &cfg,
			Files: thinkers.Files{Domains: []thinker.Domain{{Name: thinker.Fallback, Cache: time.Hour, Steps: 2,
				Time: time.Minute}}},
			Thinker: thinker.Options{Chat: parrot{}, Tools: thinkertest.NoTools{}, Memory: r, Answers: r,
				Meanings: means, Log: log},
			Reflector: thinker.ReflectorOptions{Journal: r, Busy: func() bool { return false }},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range append(m.Parts(), supervise.Part{Run: r.Run}) {
			go func() {
				if err := p.Run(ctx); err != nil {
					t.Error(err)
				}
			}()
		}
		all := &guests{base: &base{}}
		toolbox := answer.NewToolbox(event.NewBus(), nil, phrase.English(), false)
		var holders recall.Holders
		holders.Add(toolbox.Forget, r.Forget, m.Forget, all.forget)
		remember := remembering{r, m}.Remember
		ask := llm.Ask{Text: "who is my friend Xanthippe"}
		say := func() {
			for _, err := range m.Think(ctx, ask) {
				if err != nil {
					t.Error(err)
				}
			}
			remember(ask, "She is Xanthippe.")
		}
		say()
		time.Sleep(time.Minute) // it is noted, embedded and backed up
		synctest.Wait()
		for _, name := range []string{"hearthd.db", "hearthd.db.backup"} {
			if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil ||
				!bytes.Contains(bytes.ToLower(slicesOf(b, dir)), []byte("xanthippe")) {
				t.Fatalf("the secret never was in %s (%v)", name, err)
			}
		}
		say() // and this waits
		g := &guest{thinkers: m.Beside(nil)}
		defer all.join(g)()
		g.thinkers.Note(ask, "She is Xanthippe.")
		synctest.Wait()
		a := recall.NewArchive(recall.NewOwner(r, phrase.English(), holders.Forget))
		// a note, the answer, and what was said twice
		if n, err := a.Forget(ctx, api.Forget{About: "xanthippe"}); err != nil || n.Entries != 4 {
			t.Errorf("%+v entries forgotten (%v)", n, err)
		}
		if said := g.thinkers.History(); len(said) != 0 {
			t.Errorf("a guest's conversation is %v", said)
		}
		m.Note(llm.Ask{Text: "forget everything about xanthippe"}, "Forgotten.")
		for range 60 {
			synctest.Wait()
			if b := files(t, dir); bytes.Contains(b, []byte("xanthipp")) {
				t.Fatal("the secret is in the files")
			}
			time.Sleep(time.Minute)
		}
		if said := fmt.Sprint(m.History()); strings.Contains(strings.ToLower(said), "xanthippe") {
			t.Errorf("the conversation is %s", said)
		}
		if !store.BackedUp() {
			t.Error("there is no backup after an hour")
		}
	})
}

// slicesOf is b with the log of the database, in which the newest pages stand.
func slicesOf(b []byte, dir string) []byte {
	log, err := os.ReadFile(filepath.Join(dir, "hearthd.db-wal"))
	if err != nil {
		return b
	}
	return append(b, log...)
}

// alphabet embeds a text by the letters in it.
type alphabet struct{}

func (alphabet) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v := make([]float32, 26)
		for _, r := range strings.ToLower(text) {
			if r >= 'a' && r <= 'z' {
				v[r-'a']++
			}
		}
		out[i] = v
	}
	return out, nil
}
