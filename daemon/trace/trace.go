// Package trace sends what happened in each turn to a collector of OpenTelemetry, by
// OTLP over HTTP: session, turn, stages, thinker and tools, and no word that was heard
// or said. A trace is a session; the numbers of session and turn are those of the
// journal. The library's batcher is the only goroutine, which Run ends; what the
// collector does not take is dropped. It must import nothing of hearthd but the
// timeline.
package trace

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"

	"hearthd/daemon/timeline"
)

const (
	// queued bounds the spans that wait for the collector; a turn has about ten.
	queued = 512
	// exportLimit bounds one delivery, and flushLimit the last one.
	exportLimit = 10 * time.Second
	flushLimit  = 2 * time.Second
)

// Options are where the spans go.
type Options struct {
	URL     string // of the collector, such as http://192.168.1.20:4318/v1/traces
	Key     string // for a header Authorization: Bearer; empty: there is none
	Node    string
	Version string
	Begun   time.Time // of the daemon: traces of two runs differ by it
	// Changed is told after a delivery whether it arrived.
	Changed func(err error)
	Log     *slog.Logger
}

// Exporter makes spans of turns.
type Exporter struct {
	opt      Options
	provider *sdk.TracerProvider
	tracer   api.Tracer
	flush    time.Duration // for what is left at the end

	mu      sync.Mutex
	session session
}

// session is the turns that are of one conversation.
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
	x := &Exporter{opt: opt, flush: flushLimit}
	x.provider = sdk.NewTracerProvider(
		sdk.WithBatcher(&told{newClient(opt.URL, opt.Key), opt.Changed}, sdk.WithMaxQueueSize(queued), sdk.WithMaxExportBatchSize(queued/2)),
		sdk.WithIDGenerator(&numbers{}), sdk.WithSampler(sdk.AlwaysSample()),
		sdk.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "hearthd"), attribute.String("service.version", opt.Version),
			attribute.String("service.instance.id", opt.Node), attribute.String("host.name", opt.Node),
		)),
	)
	x.tracer = x.provider.Tracer("hearthd")
	return x, nil
}

// Run waits for the end of ctx, and sends what is left then.
func (x *Exporter) Run(ctx context.Context) error {
	<-ctx.Done()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), x.flush)
	defer cancel()
	x.mu.Lock()
	x.endSession(ctx)
	x.mu.Unlock()
	if err := x.provider.Shutdown(ctx); err != nil {
		x.opt.Log.Warn("send last traces", "component", "trace", "error", err)
	}
	return nil
}

// Turn makes the spans of a turn that is over. It does not wait for the collector.
func (x *Exporter) Turn(t *timeline.Turn) {
	ctx := context.Background() // spans have no deadline; they are made at once
	x.mu.Lock()
	defer x.mu.Unlock()
	o := newTurn(t)
	id := cmp.Or(t.Session, t.Header.Turn)
	if x.session.id != id {
		x.endSession(ctx)
		x.session = session{id: id, begin: o.origin}
	}
	x.session.end = o.end
	x.session.turns++
	x.spans(ctx, o)
}
