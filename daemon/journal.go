package daemon

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/memory"
	"hearthd/systemd"
)

// journalQueue is how far the disk may be behind the events.
const journalQueue = 256

// journal writes what happens into the log, one line per turn, and the turns
// into the store. It only observes.
type journal struct {
	log        *slog.Logger
	sub        *event.Subscription
	conditions *health.Conditions
	store      *memory.Store
}

// newJournal subscribes at once, so that nothing of the start is missed.
func newJournal(bus *event.Bus, conditions *health.Conditions, log *slog.Logger) *journal {
	return &journal{log: log, sub: bus.Subscribe("journal", journalQueue), conditions: conditions}
}

// Run follows the events until ctx ends, and takes those that are queued then.
func (j *journal) Run(ctx context.Context) error {
	var missed uint64
	for {
		select {
		case e := <-j.sub.C():
			j.write(context.WithoutCancel(ctx), e)
		case <-ctx.Done():
			for {
				select {
				case e := <-j.sub.C():
					j.write(context.WithoutCancel(ctx), e)
				default:
					return nil
				}
			}
		}
		if n := j.sub.Dropped(); n != missed {
			j.log.Warn("events were missed", "component", "journal", "count", n-missed)
			missed = n
		}
	}
}

func (j *journal) write(ctx context.Context, e event.Event) {
	switch e := e.(type) {
	case *event.Turn:
		j.turn(ctx, e)
	case *event.Condition:
		j.condition(e)
	case *event.TimerFired:
		if e.Missed {
			j.log.Warn("timer ended while hearthd was off", "component", "timer",
				"timer", e.Timer.ID, "message_id", systemd.MessageTimerMissed)
		}
	case *event.ToolFinished:
		j.log.Debug("tool finished", "component", "tools", "session", e.Session, "turn", e.Turn,
			"stage", "tool", "tool", e.Tool, "outcome", e.Outcome, "took_ms", e.TookMS)
	case *event.Ignored:
		j.log.Debug("utterance ignored", "component", "dialogue", "reason", e.Reason)
	}
}

// forgets reports whether a turn made something forgotten. Its words name it, so
// they are not kept.
func forgets(t *event.Turn) bool {
	return slices.ContainsFunc(t.Tools, func(u event.ToolUse) bool { return strings.HasPrefix(u.Tool, "memory_forget") })
}

func (j *journal) turn(ctx context.Context, t *event.Turn) {
	j.stages(t)
	heard, answer := t.Transcript, t.Answer
	if forgets(t) {
		heard, answer = "", ""
	}
	attrs := []any{
		"component", "dialogue", "session", t.Session, "turn", t.Turn, "message_id", systemd.MessageTurn,
		"source", t.Source, "route", t.Route, "outcome", t.Outcome,
		"first_sound_ms", t.Stages.FirstSound, "took_ms", t.Stages.Total,
	}
	for _, a := range []struct{ key, value string }{
		{"intent", t.Intent}, {"reason", t.Reason}, {"heard", heard}, {"answer", answer}, {"thinker", t.Thinker},
	} {
		if a.value != "" {
			attrs = append(attrs, a.key, a.value)
		}
	}
	if t.Cached {
		attrs = append(attrs, "cached", true)
	}
	if t.Recalled > 0 {
		attrs = append(attrs, "recalled", t.Recalled)
	}
	for _, u := range t.Tools {
		attrs = append(attrs, "tool", u.Tool+" "+u.Outcome)
	}
	j.log.Info("turn ended", attrs...)
	stages, err := json.Marshal(t.Stages)
	if err == nil {
		err = j.store.AddTurn(ctx, memory.Turn{
			ID: t.Turn, Session: t.Session, Time: t.Time, Route: t.Route,
			Transcript: heard, Answer: answer, Stages: stages,
		})
	}
	if err != nil {
		j.log.Warn("keep turn", "component", "memory", "turn", t.Turn, "error", err)
		j.conditions.Set("disk", health.Error, "Nothing can be written to the memory; timers and lists cannot be changed.")
		return
	}
	j.conditions.Clear("disk")
}

// stages writes a debug line for each stage that took time.
func (j *journal) stages(t *event.Turn) {
	for _, s := range []struct {
		name string
		took int64
	}{
		{"endpoint", t.Stages.Endpoint}, {"stt", t.Stages.STT}, {"route", t.Stages.Route},
		{"tool", t.Stages.Tool}, {"tts", t.Stages.TTS}, {"play", t.Stages.Play},
	} {
		if s.took == 0 {
			continue // it did not take place, or took no time worth a line
		}
		j.log.Debug("stage ended", "component", "dialogue", "session", t.Session, "turn", t.Turn,
			"stage", s.name, "took_ms", s.took)
	}
}

// condition writes the beginning and the end of a condition.
func (j *journal) condition(c *event.Condition) {
	if !c.Active {
		j.log.Info("condition is over", "component", c.Code, "condition", c.Text, "message_id", systemd.MessageRecovered)
		return
	}
	attrs := []any{"component", c.Code, "condition", c.Text}
	if id, ok := messageOf[c.Code]; ok {
		attrs = append(attrs, "message_id", id)
	}
	if c.Severity == "error" {
		j.log.Error("condition began", attrs...)
		return
	}
	j.log.Warn("condition began", attrs...)
}

// messageOf gives the catalog entry of each condition.
var messageOf = map[string]string{
	"microphone":        systemd.MessageMicrophone,
	"speaker":           systemd.MessageSpeaker,
	"broker":            systemd.MessageBroker,
	"thinker":           systemd.MessageThinker,
	"microphone_silent": systemd.MessageMicrophone,
	"recogniser":        systemd.MessageSpeech,
	"voice":             systemd.MessageSpeech,
	"wake":              systemd.MessageSpeech,
	"wake_server":       systemd.MessageSpeech,
	"memory":            systemd.MessageMemory,
	"disk":              systemd.MessageMemory,
	"tools":             systemd.MessageTool,
}
