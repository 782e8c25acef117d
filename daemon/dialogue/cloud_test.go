package dialogue

import (
	"context"
	"errors"
	"iter"
	"sync"
	"testing"
	"time"

	"hearthd/audio"
	"hearthd/daemon/dialogue/spoken"
	"hearthd/llm"
)

// cloud is a responder that does what a test says.
type cloud struct {
	mu      sync.Mutex
	off     bool
	fail    map[string]error // "open", "write", "commit"
	deltas  []llm.Delta
	pause   time.Duration // before each delta
	err     error         // after the deltas
	waits   bool          // for the results of calls, before the next delta
	turns   []*cloudTurn
	readied int
	excuse  string   // is said once
	noted   []string // what others have answered
	talks   bool     // it converses
	remarks []string
	left    int

	begun, ended chan struct{} // what it hears of the person, if it listens
	answers      chan struct{} // a cut waits for it, unless nil
}

var errCloud = errors.New("the connection was lost")

func (c *cloud) Wanted() bool { return !c.off }
func (c *cloud) Prepare()     { c.readied++ }

func (c *cloud) Converses() bool { return c.talks }
func (c *cloud) Leave()          { c.left++ }

func (c *cloud) Remark(ctx context.Context, text string) (spoken.Turn, error) {
	c.remarks = append(c.remarks, text)
	return c.Open(ctx, "")
}

func (c *cloud) Excuse() string {
	defer func() { c.excuse = "" }()
	return c.excuse
}

func (c *cloud) Note(ask llm.Ask, answer string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noted = append(c.noted, ask.Text+" / "+answer)
}

func (c *cloud) Open(_ context.Context, by string) (spoken.Turn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.fail["open"]; err != nil {
		return nil, err
	}
	t := &cloudTurn{c: c, by: by, result: make(chan string, 10), cut: -1}
	c.turns = append(c.turns, t)
	return t, nil
}

// cloudTurn is what the cloud was told in a turn.
type cloudTurn struct {
	c         *cloud
	by        string
	frames    int
	committed bool
	results   []string
	result    chan string
	cut       time.Duration // -1: not cut
}

func (t *cloudTurn) Write(p []int16) error {
	t.frames += len(p) / audio.FrameSamples
	return t.c.fail["write"]
}
func (t *cloudTurn) Speech() (begun, ended <-chan struct{}) { return t.c.begun, t.c.ended }

func (t *cloudTurn) Commit() error { t.committed = true; return t.c.fail["commit"] }

func (t *cloudTurn) Result(call, output string) {
	t.c.mu.Lock()
	t.results = append(t.results, call+" "+output)
	t.c.mu.Unlock()
	t.result <- output
}

func (t *cloudTurn) Cut(heard time.Duration) {
	t.c.mu.Lock()
	if t.cut < 0 {
		t.cut = heard
	}
	t.c.mu.Unlock()
	if t.c.answers != nil {
		<-t.c.answers
	}
}

func (t *cloudTurn) Answer(ctx context.Context, _, _ time.Duration) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		for _, d := range t.c.deltas {
			select {
			case <-time.After(t.c.pause):
			case <-ctx.Done():
				return
			}
			if !yield(d, nil) {
				return
			}
			if d.Call != nil && t.c.waits {
				select {
				case <-t.result:
				case <-ctx.Done():
					return
				}
			}
		}
		if t.c.err != nil {
			yield(llm.Delta{}, t.c.err)
		}
	}
}

// sounds is a second of speech that says text.
func sounds(text string) llm.Delta {
	p := make([]int16, spoken.Rate)
	for i := range p {
		p[i] = 2000
	}
	return llm.Delta{Text: text, Audio: p}
}

// withCloud is with, with a responder.
func withCloud(t *testing.T, c *cloud, change func(*rig), test func(*testing.T, *rig)) {
	with(t, func(r *rig) {
		r.ans.Responder, r.ans.FirstAudio = c, 5*time.Second
		r.rules.reads = func(tool string) bool { return tool == "look" }
		if change != nil {
			change(r)
		}
	}, test)
}
