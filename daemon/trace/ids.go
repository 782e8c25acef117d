package trace

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"
)

// trace is the id of the session's: its second half is the session's number, its
// first one differs between runs and boxes.
func (x *Exporter) trace() api.TraceID {
	h := fnv.New64a()
	// A hash takes all.
	_, _ = h.Write([]byte(x.opt.Node + x.opt.Begun.Format(time.RFC3339Nano)))
	var id api.TraceID
	binary.BigEndian.PutUint64(id[:8], h.Sum64())
	binary.BigEndian.PutUint64(id[8:], x.session.id)
	return id
}

// turnSpan is the number of the turn, and sessionSpan that of the session, which is
// its first turn's, with the highest bit.
func turnSpan(n uint64) api.SpanID { return spanID(n) }

func sessionSpan(n uint64) api.SpanID { return spanID(n | 1<<63) }

func spanID(n uint64) (id api.SpanID) {
	binary.BigEndian.PutUint64(id[:], n)
	return id
}

// numberKey is where the ids of the next span stand in a context.
type numberKey struct{}

type number struct {
	trace api.TraceID
	span  api.SpanID
}

func (x *Exporter) numbered(ctx context.Context, span api.SpanID) context.Context {
	return context.WithValue(ctx, numberKey{}, &number{x.trace(), span})
}

// unnumbered lets the spans below have any id.
func (x *Exporter) unnumbered(ctx context.Context) context.Context {
	return context.WithValue(ctx, numberKey{}, (*number)(nil))
}

// numbers gives the ids that the context names, else random ones.
type numbers struct{}

var _ sdk.IDGenerator = (*numbers)(nil)

func (g *numbers) NewIDs(ctx context.Context) (api.TraceID, api.SpanID) {
	if n, _ := ctx.Value(numberKey{}).(*number); n != nil {
		return n.trace, n.span
	}
	var id api.TraceID
	binary.BigEndian.PutUint64(id[:8], rand.Uint64())
	binary.BigEndian.PutUint64(id[8:], rand.Uint64()|1)
	return id, g.NewSpanID(ctx, id)
}

func (g *numbers) NewSpanID(ctx context.Context, _ api.TraceID) api.SpanID {
	if n, _ := ctx.Value(numberKey{}).(*number); n != nil {
		return n.span
	}
	// The numbers of turns are small, and those of sessions have the highest bit.
	return spanID(rand.Uint64()&^(1<<63) | 1<<62)
}

// told is an exporter that says whether spans arrived, and keeps that from the
// library, which would tell it to all the process.
type told struct {
	sdk.SpanExporter
	changed func(error)
}

func (t *told) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	t.changed(t.SpanExporter.ExportSpans(ctx, spans))
	return nil
}
