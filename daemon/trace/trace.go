// Package trace sends what happened in each turn to a collector of OpenTelemetry, by OTLP over
// HTTP: session, turn, stages, thinker and tools, and no word that was heard or said. A trace is a
// session; the numbers of session and turn are those of the journal. It delivers on the caller's
// goroutine of Run, from a bounded queue; what the collector does not take is dropped. It must
// import nothing of hearthd but daemon/timeline and daemon/queue.
package trace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"hearthd/daemon/queue"
	"hearthd/daemon/timeline"
)

const (
	// queued bounds the spans that wait for the collector; a turn has about ten. Half as
	// many are delivered at once, and any number every deliverEvery.
	queued       = 512
	deliverEvery = 5 * time.Second
	// exportLimit bounds one delivery, and flushLimit the last one.
	exportLimit = 10 * time.Second
	flushLimit  = 2 * time.Second
)

// Options say where the spans are sent.
type Options struct {
	URL     string // of the collector, such as http://192.168.1.20:4318/v1/traces
	Key     string // for a header Authorization: Bearer; empty: there is none
	Node    string
	Version string
	Begun   time.Time // start of the daemon: the traces of two runs differ by it
	// Changed is called after a delivery with whether it arrived.
	Changed func(err error)
	Log     *slog.Logger
}

// Exporter makes spans of turns.
type Exporter struct {
	opt   Options
	run   uint64 // differs between runs and boxes
	http  *http.Client
	queue chan span
	flush time.Duration // time for what is left at the end

	mu      sync.Mutex
	session session
}

// session is the turns of one conversation.
type session struct {
	id         uint64 // 0: there was none yet
	begin, end time.Time
	turns      int
}

// New opens nothing.
func New(opt Options) (*Exporter, error) {
	if opt.URL == "" || opt.Changed == nil || opt.Log == nil {
		return nil, errors.New("new trace: address, log and callback are needed")
	}
	h := fnv.New64a()
	fmt.Fprint(h, opt.Node, opt.Begun.Format(time.RFC3339Nano))
	return &Exporter{
		opt: opt, run: h.Sum64(), http: newHTTP(), queue: make(chan span, queued), flush: flushLimit,
	}, nil
}

// Run delivers until the end of ctx, and then what is left.
func (x *Exporter) Run(ctx context.Context) error {
	tick := time.NewTicker(deliverEvery)
	defer tick.Stop()
	defer x.http.CloseIdleConnections()
	var batch []span
	for {
		select {
		case s := <-x.queue:
			if batch = append(batch, s); len(batch) < queued/2 {
				continue
			}
		case <-tick.C:
		case <-ctx.Done():
			x.mu.Lock()
			x.endSession()
			x.mu.Unlock()
			for len(x.queue) > 0 {
				batch = append(batch, <-x.queue)
			}
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), x.flush)
			defer cancel()
			if err := x.deliver(ctx, batch); err != nil {
				x.opt.Log.Warn("send last traces", "component", "trace", "error", err)
			}
			return nil
		}
		_ = x.deliver(ctx, batch) // told
		batch = batch[:0]
	}
}

// Turn makes the spans of a turn that is over. It does not wait for the collector.
func (x *Exporter) Turn(t *timeline.Turn) {
	x.mu.Lock()
	defer x.mu.Unlock()
	o := newTurn(t)
	id := cmp.Or(t.Session, t.Header.Turn)
	if x.session.id != id {
		x.endSession()
		x.session = session{id: id, begin: o.origin}
	}
	x.session.end = o.end
	x.session.turns++
	x.put(x.spans(o)...)
}

// put queues spans, if there is room.
func (x *Exporter) put(spans ...span) {
	for _, s := range spans {
		queue.Offer(x.queue, s)
	}
}
