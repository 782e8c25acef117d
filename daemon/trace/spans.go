package trace

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	api "go.opentelemetry.io/otel/trace"

	"hearthd/daemon/timeline"
)

// turn is one with the moments that its spans begin and end at.
type turn struct {
	*timeline.Turn
	origin time.Time // the end of the person's speech, or the arrival of a text
	begun  time.Time // the transcript was there
	end    time.Time
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

func newTurn(t *timeline.Turn) *turn {
	origin := t.Time.Add(-ms(t.Stages.Total))
	return &turn{t, origin, origin.Add(ms(t.Stages.Endpoint + t.Stages.STT)), t.Time}
}

// endSession makes the span of the session that is over.
func (x *Exporter) endSession(ctx context.Context) {
	if x.session.id == 0 {
		return
	}
	ctx = x.numbered(ctx, sessionSpan(x.session.id))
	_, span := x.tracer.Start(ctx, "session", api.WithNewRoot(), api.WithTimestamp(x.session.begin), api.WithAttributes(
		whole("hearthd.session", x.session.id), attribute.Int("hearthd.turns", x.session.turns)))
	span.End(api.WithTimestamp(x.session.end))
	x.session = session{}
}

// spans makes those of one turn, below its session.
func (x *Exporter) spans(ctx context.Context, t *turn) {
	parent := api.NewSpanContext(api.SpanContextConfig{
		TraceID: x.trace(), SpanID: sessionSpan(x.session.id), TraceFlags: api.FlagsSampled, Remote: true,
	})
	ctx = x.numbered(api.ContextWithRemoteSpanContext(ctx, parent), turnSpan(t.Header.Turn))
	ctx, span := x.tracer.Start(ctx, "turn", api.WithTimestamp(t.origin), api.WithAttributes(t.attributes(x.session.id)...))
	for _, m := range t.Marks {
		span.AddEvent(m.Kind, api.WithTimestamp(t.Begun.Add(ms(m.At))))
	}
	if t.Outcome == "failed" {
		span.SetStatus(codes.Error, t.Reason)
	}
	ctx = x.unnumbered(ctx)
	x.stages(ctx, t)
	span.End(api.WithTimestamp(t.end))
}

// attributes are what the journal's line of the turn has, without words.
func (t *turn) attributes(session uint64) []attribute.KeyValue {
	list := []attribute.KeyValue{
		whole("hearthd.session", session), whole("hearthd.turn", t.Header.Turn),
		attribute.String("hearthd.source", t.Source), attribute.String("hearthd.woken_by", t.WokenBy),
		attribute.String("hearthd.route", t.Route), attribute.String("hearthd.outcome", t.Outcome),
	}
	for key, value := range map[string]string{"hearthd.intent": t.Intent, "hearthd.reason": t.Reason} {
		if value != "" {
			list = append(list, attribute.String(key, value))
		}
	}
	return list
}

// stages makes the spans of what came one after the other, and of the thinker and
// the tools within the one that found the answer.
func (x *Exporter) stages(ctx context.Context, t *turn) {
	st := &t.Stages
	x.stage(ctx, "endpoint", t.origin, ms(st.Endpoint))
	x.stage(ctx, "stt", t.origin.Add(ms(st.Endpoint)), ms(st.STT))

	inner, route := x.tracer.Start(ctx, "route", api.WithTimestamp(t.begun), api.WithAttributes(attribute.String("hearthd.route", t.Route)))
	answered := t.begun.Add(ms(st.Route))
	if t.Thinker == "" {
		x.tools(inner, t)
	} else {
		within, thinker := x.tracer.Start(inner, "thinker "+t.Thinker, api.WithTimestamp(t.begun), api.WithAttributes(
			attribute.Bool("hearthd.cached", t.Cached), attribute.Int("hearthd.recalled", t.Recalled),
			attribute.Int("gen_ai.usage.input_tokens", t.PromptTokens), attribute.Int("hearthd.evaluated_tokens", t.EvaluatedTokens),
			attribute.Int("gen_ai.usage.output_tokens", t.OutputTokens), attribute.Int64("hearthd.first_token_ms", t.FirstTokenMS),
		))
		thinker.End(api.WithTimestamp(later(answered, x.tools(within, t))))
	}
	route.End(api.WithTimestamp(answered))

	if st.FirstSound > 0 {
		sound := t.origin.Add(ms(st.FirstSound))
		x.stage(ctx, "tts", sound.Add(-ms(st.Play+st.TTS)), ms(st.TTS))
		x.stage(ctx, "play", sound.Add(-ms(st.Play)), ms(st.Play))
		x.stage(ctx, "speak", sound, t.end.Sub(sound))
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (x *Exporter) stage(ctx context.Context, name string, begin time.Time, took time.Duration) {
	if took > 0 {
		_, span := x.tracer.Start(ctx, name, api.WithTimestamp(begin))
		span.End(api.WithTimestamp(begin.Add(took)))
	}
}

// tools makes the spans of tool calls and returns when the last one ended.
func (x *Exporter) tools(ctx context.Context, t *turn) (last time.Time) {
	for _, c := range t.Calls {
		begin := t.Begun.Add(ms(c.At))
		_, span := x.tracer.Start(ctx, "tool "+c.Tool, api.WithTimestamp(begin), api.WithAttributes(attribute.String("hearthd.outcome", c.Outcome)))
		if c.Outcome != "ok" {
			span.SetStatus(codes.Error, c.Outcome)
		}
		end := begin.Add(ms(c.TookMS))
		span.End(api.WithTimestamp(end))
		last = later(last, end)
	}
	return last
}

func whole(key string, n uint64) attribute.KeyValue { return attribute.Int64(key, int64(n)) }
