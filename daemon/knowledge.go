package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hearthd/daemon/health"
	"hearthd/daemon/recall"
	"hearthd/daemon/supervise"
	"hearthd/memory"
	"hearthd/tools"
	"hearthd/tools/knowledge"
)

// documents is the store as the knowledge base sees it.
type documents struct {
	store *memory.Store
	model string // of the vectors
}

func (d documents) Documents(ctx context.Context) ([]knowledge.Document, error) {
	kept, err := d.store.Documents(ctx)
	list := make([]knowledge.Document, len(kept))
	for i, k := range kept {
		list[i] = knowledge.Document{Path: k.Path, Size: k.Size, Modified: k.Modified, Problem: k.Problem}
	}
	return list, err
}

func (d documents) PutDocument(ctx context.Context, doc knowledge.Document, list []knowledge.Passage) error {
	passages := make([]memory.Passage, len(list))
	for i, p := range list {
		passages[i] = memory.Passage(p)
	}
	return d.store.PutDocument(ctx, memory.Document{Path: doc.Path, Size: doc.Size, Modified: doc.Modified, Problem: doc.Problem}, passages)
}

func (d documents) RemoveDocuments(ctx context.Context, paths ...string) error {
	return d.store.RemoveDocuments(ctx, paths...)
}

func (d documents) Search(ctx context.Context, text string, vector []float32, limit int) ([]knowledge.Found, error) {
	hits, err := d.store.SearchDocuments(ctx, text, vector, d.model, limit)
	found := make([]knowledge.Found, len(hits))
	for i, h := range hits {
		found[i] = knowledge.Found{Passage: knowledge.Passage(h.Passage), Path: h.Path, Distance: h.Distance}
	}
	return found, err
}

func (d documents) Unvectored(ctx context.Context, limit int) ([]knowledge.Passage, error) {
	kept, err := d.store.UnvectoredPassages(ctx, d.model, limit)
	list := make([]knowledge.Passage, len(kept))
	for i, p := range kept {
		list[i] = knowledge.Passage(p)
	}
	return list, err
}

func (d documents) SetVectors(ctx context.Context, vectors map[int64][]float32) error {
	return d.store.SetPassageVectors(ctx, d.model, vectors)
}

// buildKnowledge makes the knowledge base, whose tool is in r while there is a
// document.
func (d *base) buildKnowledge(r *tools.Registry, store *memory.Store, known *recall.Recollection, quiet func() bool) ([]supervise.Part, error) {
	o := knowledge.Options{
		Dir: d.cfg.Tools.Knowledge.Dir, Store: documents{store, known.Model()}, NoRoom: memory.ErrNoRoom,
		Idle: quiet, PDF: d.cfg.Tools.Knowledge.PDF, Log: d.log,
	}
	if m := known.Meanings(); m != nil {
		o.Meaning = m
	}
	if o.Dir == "" {
		o.Dir = filepath.Join(d.opt.StateDir, "knowledge")
		if err := os.Mkdir(o.Dir, 0o750); err != nil && !errors.Is(err, fs.ErrExist) {
			d.log.Warn("make folder of documents", "component", "knowledge", "path", o.Dir, "error", err)
		}
	}
	var k *knowledge.Knowledge
	o.Changed = func(s knowledge.Status) {
		if has := r.Has(knowledge.ToolName); s.Documents > 0 && !has {
			if err := r.Register(k.Tool()); err != nil {
				d.log.Warn("offer tool", "component", "knowledge", "tool", knowledge.ToolName, "error", err)
			}
		} else if s.Documents == 0 && has {
			r.Withdraw(knowledge.ToolName)
		}
		d.documentsUnread(s)
	}
	k, err := knowledge.New(o)
	if err != nil {
		return nil, err
	}
	return []supervise.Part{{Name: "knowledge", Policy: supervise.Restart, Run: k.Run}}, nil
}

// documentsUnread says which files of the knowledge base cannot be searched.
func (d *base) documentsUnread(s knowledge.Status) {
	switch {
	case s.Missing:
		d.conditions.Set("knowledge", health.Warning, "The folder of documents is not there; see tools.knowledge.dir.")
	case s.Failed > 0:
		d.conditions.Set("knowledge", health.Warning, fmt.Sprintf("Documents that cannot be read: %d; the first: %s.", s.Failed, strings.TrimRight(s.Problems[0], ".")))
	case s.Skipped > 0:
		d.conditions.Set("knowledge", health.Warning, fmt.Sprintf("Documents that were left out, because there are too many or their folder cannot be read: %d.", s.Skipped))
	default:
		d.conditions.Clear("knowledge")
	}
}
