package knowledge

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"hearthd/tools"
)

const (
	// every is how often the folder is looked at: a stat of each file, and no watch,
	// of which the kernel has few.
	every = time.Minute
	batch = 16 // passages that are embedded at a time
)

// store keeps what was read, and searches it.
type store interface {
	Documents(ctx context.Context) ([]Document, error)
	// PutDocument replaces what has its path.
	PutDocument(ctx context.Context, d Document, list []Passage) error
	RemoveDocuments(ctx context.Context, paths ...string) error
	// Search gives the passages that fit best, the best first. The vector may be nil.
	Search(ctx context.Context, text string, vector []float32, limit int) ([]Found, error)
	Unvectored(ctx context.Context, limit int) ([]Passage, error)
	SetVectors(ctx context.Context, vectors map[int64][]float32) error
}

// embedder makes vectors of texts.
type embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Found is a passage that may answer a question.
type Found struct {
	Passage
	Path     string
	Distance float64 // 1 less the cosine of the meanings; 2: not known
}

// Status is what is in the folder.
type Status struct {
	Documents int      // that can be searched
	Problems  []string // of files that cannot, the first of them
	Failed    int      // such files
	Missing   bool     // the folder is
	Skipped   int      // files beyond the number that is read or with too long a path, and folders that cannot be
}

// maxProblems is how many are named.
const maxProblems = 10

func (s *Status) add(d Document) {
	if d.Problem == "" {
		s.Documents++
		return
	}
	s.Failed++
	if len(s.Problems) < maxProblems {
		s.Problems = append(s.Problems, d.Path+": "+d.Problem)
	}
}

// Options says what is read and where it is kept.
type Options struct {
	Dir     string
	Store   store
	NoRoom  error        // of the store's PutDocument
	Meaning embedder     // nil: full text alone
	Idle    func() bool  // nobody is talking: there is time to embed
	Changed func(Status) // after each look at the folder
	PDF     string       // pdftotext
	Log     *slog.Logger
}

// Knowledge is the folder and its index.
type Knowledge struct {
	o   Options
	bad map[int64]bool // passages whose vector the store refuses; Run's alone
	// What spares the database while nothing changes; Run's alone.
	current  bool       // the index holds what was seen
	seen     []Document // in the folder, at the last look
	skipped  int        // then
	missing  bool       // the folder, then
	embedded bool       // no passage waits for its vector
}

// maxBad bounds them: a model that makes so many is none.
const maxBad = 200

// New checks the options and opens nothing.
func New(o Options) (*Knowledge, error) {
	if o.Dir == "" || o.Store == nil || o.NoRoom == nil || o.Idle == nil || o.Changed == nil || o.PDF == "" || o.Log == nil {
		return nil, errors.New("make knowledge base: a folder, a store, its error, a program for PDFs, Idle, Changed and a logger are needed")
	}
	return &Knowledge{o: o, bad: map[int64]bool{}}, nil
}

// Run keeps the index up to date until ctx ends. It returns nil.
func (k *Knowledge) Run(ctx context.Context) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for first := true; ; first = false {
		err := k.scan(ctx, first)
		if err == nil {
			err = k.embed(ctx)
		}
		if err != nil && ctx.Err() == nil {
			k.o.Log.Warn("look at knowledge base", "component", "knowledge", "path", k.o.Dir, "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// embed gives vectors to passages that have none, while nobody is talking. Where
// the model is away they wait.
func (k *Knowledge) embed(ctx context.Context) error {
	for k.o.Meaning != nil && ctx.Err() == nil && k.o.Idle() && len(k.bad) < maxBad && !k.embedded {
		waiting, err := k.o.Store.Unvectored(ctx, batch+len(k.bad))
		waiting = slices.DeleteFunc(waiting, func(p Passage) bool { return k.bad[p.ID] })
		if err != nil || len(waiting) == 0 {
			k.embedded = err == nil
			return err
		}
		texts := make([]string, len(waiting))
		for i, p := range waiting {
			texts[i] = p.Name + ", " + p.Section + ": " + p.Text
		}
		made, err := k.o.Meaning.Embed(ctx, texts)
		if err != nil || len(made) != len(waiting) {
			return nil
		}
		vectors := make(map[int64][]float32, len(waiting))
		for i, p := range waiting {
			vectors[p.ID] = made[i]
		}
		if err := k.keep(ctx, vectors); err != nil {
			return err
		}
	}
	return nil
}

// keep stores vectors. Of a batch that the store refuses it keeps those that are
// right, and remembers the others.
func (k *Knowledge) keep(ctx context.Context, vectors map[int64][]float32) error {
	if k.o.Store.SetVectors(ctx, vectors) == nil {
		return nil
	}
	kept := false
	var first error
	for id, v := range vectors {
		if err := k.o.Store.SetVectors(ctx, map[int64][]float32{id: v}); err != nil {
			first = cmp.Or(first, err)
			k.bad[id] = true
		} else {
			kept = true
		}
	}
	if kept {
		k.o.Log.Warn("passages without a vector", "component", "knowledge", "count", len(k.bad), "error", first)
		return nil
	}
	for id := range vectors { // it is the store that does not work
		delete(k.bad, id)
	}
	return first
}

// Tool is knowledge_search.
func (k *Knowledge) Tool() tools.Tool {
	return tools.Query(ToolName, "Searches the household's own documents: manuals, recipes, notes.", k.search)
}

// ToolName is what the tool is called.
const ToolName = "knowledge_search"
