package trace

import (
	"fmt"
	"math/rand/v2"
	"time"

	"hearthd/daemon/timeline"
)

// turn is a turn with the moments at which its spans begin and end.
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

// spanID derives the id of a span: a turn's is its number, a session's has the highest bit set, and
// any other the second highest.
func spanID(n uint64) string { return fmt.Sprintf("%016x", n) }

// sessionSpan is the id of the session's span; the number of a session is that of its first turn.
func (x *Exporter) sessionSpan() string { return spanID(x.session.id | 1<<63) }

// span makes a span of the session.
func (x *Exporter) span(parent, name string, begin, end time.Time, attributes ...keyValue) span {
	return span{
		TraceID: fmt.Sprintf("%016x%016x", x.run, x.session.id), SpanID: spanID(rand.Uint64()&^(1<<63) | 1<<62),
		ParentSpanID: parent, Flags: flagSampled | flagKnowsRemote, Name: name, Kind: kindInternal,
		Start: begin.UnixNano(), End: end.UnixNano(), Attributes: attributes,
	}
}

// endSession makes the span of the session that is over.
func (x *Exporter) endSession() {
	if x.session.id == 0 {
		return
	}
	s := x.span("", "session", x.session.begin, x.session.end,
		whole("hearthd.session", x.session.id), whole("hearthd.turns", x.session.turns))
	s.SpanID = x.sessionSpan()
	x.put(s)
	x.session = session{}
}

// spans makes the spans of one turn, below the session's: those of the stages, and those of the
// thinker and the tools below the stage that found the answer.
func (x *Exporter) spans(t *turn) []span {
	top := x.span(x.sessionSpan(), "turn", t.origin, t.end, t.attributes(x.session.id)...)
	top.SpanID, top.Flags = spanID(t.Header.Turn), top.Flags|flagRemote
	for _, m := range t.Marks {
		top.Events = append(top.Events, spanEvent{t.Begun.Add(ms(m.At)).UnixNano(), m.Kind})
	}
	if t.Outcome == "failed" {
		top.Status = &status{statusError, t.Reason}
	}
	list := []span{top}
	stage := func(name string, begin time.Time, took time.Duration) {
		if took > 0 {
			list = append(list, x.span(top.SpanID, name, begin, begin.Add(took)))
		}
	}
	st := &t.Stages
	stage("endpoint", t.origin, ms(st.Endpoint))
	stage("stt", t.origin.Add(ms(st.Endpoint)), ms(st.STT))
	list = append(list, x.route(top.SpanID, t)...)
	if st.FirstSound > 0 {
		sound := t.origin.Add(ms(st.FirstSound))
		stage("tts", sound.Add(-ms(st.Play+st.TTS)), ms(st.TTS))
		stage("play", sound.Add(-ms(st.Play)), ms(st.Play))
		stage("speak", sound, t.end.Sub(sound))
	}
	return list
}

// route makes the spans of the part that found the answer.
func (x *Exporter) route(parent string, t *turn) []span {
	answered := t.begun.Add(ms(t.Stages.Route))
	list := []span{x.span(parent, "route", t.begun, answered, text("hearthd.route", t.Route))}
	var thinker *span
	parent = list[0].SpanID
	if t.Thinker != "" {
		s := x.span(parent, "thinker "+t.Thinker, t.begun, answered,
			yes("hearthd.cached", t.Cached), whole("hearthd.recalled", t.Recalled),
			whole("gen_ai.usage.input_tokens", t.PromptTokens), whole("hearthd.evaluated_tokens", t.EvaluatedTokens),
			whole("gen_ai.usage.output_tokens", t.OutputTokens), whole("hearthd.first_token_ms", t.FirstTokenMS),
		)
		thinker, parent = &s, s.SpanID
	}
	for _, c := range t.Calls {
		begin := t.Begun.Add(ms(c.At))
		s := x.span(parent, "tool "+c.Tool, begin, begin.Add(ms(c.TookMS)), text("hearthd.outcome", c.Outcome))
		if c.Outcome != "ok" {
			s.Status = &status{statusError, c.Outcome}
		}
		if thinker != nil {
			thinker.End = max(thinker.End, s.End)
		}
		list = append(list, s)
	}
	if thinker != nil {
		list = append(list, *thinker)
	}
	return list
}

// attributes are what the journal's line of the turn has, without words.
func (t *turn) attributes(session uint64) []keyValue {
	list := []keyValue{
		whole("hearthd.session", session), whole("hearthd.turn", t.Header.Turn),
		text("hearthd.source", t.Source), text("hearthd.woken_by", t.WokenBy),
		text("hearthd.route", t.Route), text("hearthd.outcome", t.Outcome),
	}
	for key, value := range map[string]string{"hearthd.intent": t.Intent, "hearthd.reason": t.Reason} {
		if value != "" {
			list = append(list, text(key, value))
		}
	}
	return list
}
