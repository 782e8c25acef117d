package knowledge

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

const (
	// every is how often the folder is scanned. That is a stat of each file; it is not watched,
	// because the kernel allows few watches.
	every = time.Minute
	batch = 16 // passages that are embedded at a time
)

// store keeps the passages and searches them.
type store interface {
	Documents(ctx context.Context) ([]llm.Document, error)
	// PutDocument replaces the document with the same path.
	PutDocument(ctx context.Context, d llm.Document, list []llm.Passage) error
	RemoveDocuments(ctx context.Context, paths ...string) error
	// SearchDocuments returns the passages that fit best, the best first. The vector may be nil.
	SearchDocuments(ctx context.Context, text string, vector []float32, model string, limit int) ([]llm.Found, error)
	UnvectoredPassages(ctx context.Context, model string, limit int) ([]llm.Passage, error)
	SetPassageVectors(ctx context.Context, model string, vectors map[int64][]float32) error
}

// embedder makes vectors of texts.
type embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Status is what is in the folder.
type Status struct {
	Documents int      // that can be searched
	Failed    int      // files that cannot be read
	Problems  []string // with the first of them
	Missing   bool     // the folder is missing
	Skipped   int      // files that are too many or have too long a path, and unreadable folders
}

// maxProblems is how many problems are listed.
const maxProblems = 10

func (s *Status) add(d llm.Document) {
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
	Book    *phrase.Book // what is said
	Dir     string
	Store   store
	NoRoom  error       // what PutDocument returns if the store is full
	Meaning embedder    // nil: full text alone
	Model   string      // of the vectors that Meaning makes
	Idle    func() bool // nobody is talking, so there is time to embed
	// Changed is called after each scan that found changes, with the tool that searches what there is.
	Changed func(Status, tools.Tool)
	PDF     string // pdftotext
	Log     *slog.Logger
}

// Knowledge is the folder and its index.
type Knowledge struct {
	o Options
	// These belong to Run:
	bad map[int64]bool // passages whose vector the store refuses
	// While nothing changes, these spare the database:
	current  bool           // the index holds what was seen
	seen     []llm.Document // files at the last scan
	skipped  int            // at the last scan
	missing  bool           // the folder was missing at the last scan
	embedded bool           // no passage waits for its vector
}

// maxBad is how many bad vectors show that the model is of no use.
const maxBad = 200

// New checks the options and opens nothing.
func New(o Options) (*Knowledge, error) {
	if o.Dir == "" || o.Store == nil || o.NoRoom == nil || o.Idle == nil ||
		o.Changed == nil || o.PDF == "" || o.Log == nil {
		return nil, errors.New("make knowledge base: a part is missing")
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

// embed makes vectors for passages that have none, while nobody is talking. If the model is
// not reachable, they wait.
func (k *Knowledge) embed(ctx context.Context) error {
	for k.o.Meaning != nil && ctx.Err() == nil && k.o.Idle() && len(k.bad) < maxBad && !k.embedded {
		waiting, err := k.o.Store.UnvectoredPassages(ctx, k.o.Model, batch+len(k.bad))
		waiting = slices.DeleteFunc(waiting, func(p llm.Passage) bool { return k.bad[p.ID] })
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

// keep stores vectors. If the store refuses a batch, it stores them one by one, and remembers
// those that are refused.
func (k *Knowledge) keep(ctx context.Context, vectors map[int64][]float32) error {
	if k.o.Store.SetPassageVectors(ctx, k.o.Model, vectors) == nil {
		return nil
	}
	kept := false
	var first error
	for id, v := range vectors {
		if err := k.o.Store.SetPassageVectors(ctx, k.o.Model, map[int64][]float32{id: v}); err != nil {
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
	for id := range vectors { // the store itself does not work
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
