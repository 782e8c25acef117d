package journal

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/memory"
	"hearthd/systemd"
)

// Queue is how many events may wait for the disk.
const Queue = 256

// Journal writes what happens into the log, one line per turn, and the turns
// into the store. It only observes.
type Journal struct {
	sub        *event.Subscription
	store      *memory.Store
	conditions *health.Conditions
	log        *slog.Logger
}

// New follows sub, which was made before the store was opened, so that no event of the
// start is missed.
func New(sub *event.Subscription, store *memory.Store, conditions *health.Conditions, log *slog.Logger) *Journal {
	return &Journal{sub: sub, store: store, conditions: conditions, log: log}
}

// Run follows the events until ctx ends, and then handles those that are still queued.
func (j *Journal) Run(ctx context.Context) error {
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
		if n := j.sub.Lost(); n > 0 {
			j.log.Warn("events were missed", "component", "journal", "count", n)
		}
	}
}

func (j *Journal) write(ctx context.Context, e event.Event) {
	switch e := e.(type) {
	case *event.Turn:
		j.turn(ctx, e)
	case *event.ConditionChanged:
		j.condition(e)
	case *event.TimerFired:
		if e.Missed {
			j.log.Warn("timer ended while hearthd was off", "component", "timer",
				"timer", e.Timer.ID, "message_id", systemd.MessageTimerMissed)
		}
	case *event.ToolFinished:
		j.log.Debug("tool finished", "component", "tools", "session", e.Session, "turn", e.Turn,
			"stage", "tool", "tool", e.Tool, "outcome", e.Outcome, "took_ms", e.TookMS)
	case *event.Yielded:
		j.log.Info("left to another box", "component", "dialogue", "box", e.Box, "reason", e.Reason)
	case *event.Ignored:
		j.log.Debug("utterance ignored", "component", "dialogue", "reason", e.Reason)
	}
}

func (j *Journal) turn(ctx context.Context, t *event.Turn) {
	for _, s := range t.Stages.Parts() {
		j.log.Debug("stage ended", "component", "dialogue", "session", t.Session, "turn", t.Turn,
			"stage", s.Name, "took_ms", s.Took)
	}
	heard, answer := t.Transcript, t.Answer
	if t.Forgets() {
		heard, answer = "", ""
	}
	j.log.Info("turn ended", line(t, heard, answer)...)
	stages, err := json.Marshal(t.Stages)
	if err == nil {
		err = j.store.AddTurn(ctx, memory.Turn{
			ID: t.Turn, Session: t.Session, Time: t.Time, Route: t.Route,
			Transcript: heard, Answer: answer, Stages: stages,
		})
	}
	if err != nil {
		j.log.Warn("keep turn", "component", "memory", "turn", t.Turn, "error", err)
		text := "Nothing can be written to the memory; timers and lists cannot be changed."
		if errors.Is(err, memory.ErrFull) {
			text = "The disk is full: nothing can be written to the memory, and timers and lists cannot be changed."
		}
		j.conditions.Set("disk", health.Error, text)
		return
	}
	j.conditions.Clear("disk")
}

// line is what is logged of a turn, in the order in which a person asks: the outcome, what
// was understood, what was done, and where the time went.
func line(t *event.Turn, heard, answer string) []any {
	attrs := []any{"turn", t.Turn, "outcome", t.Outcome}
	say := func(key, value string) {
		if value != "" {
			attrs = append(attrs, key, value)
		}
	}
	say("reason", t.Reason)
	say("heard", heard)
	attrs = append(attrs, "route", t.Route)
	say("intent", t.Intent)
	say("thinker", t.Thinker)
	for _, u := range t.Tools {
		say("tool", u.Tool+" "+u.Outcome)
	}
	say("answer", answer)
	if t.Cached {
		attrs = append(attrs, "cached", true)
	}
	if t.Recalled > 0 {
		attrs = append(attrs, "recalled", t.Recalled)
	}
	for _, s := range t.Stages.Parts() {
		attrs = append(attrs, s.Name+"_ms", s.Took)
	}
	if t.Stages.FirstSound > 0 { // otherwise nothing was heard
		attrs = append(attrs, "first_sound_ms", t.Stages.FirstSound)
	}
	attrs = append(attrs, "took_ms", t.Stages.Total, "source", t.Source)
	say("woken_by", t.WokenBy)
	say("heard_by", t.HeardBy)
	return append(attrs, "session", t.Session, "component", "dialogue", "message_id", systemd.MessageTurn)
}

// condition logs the beginning and the end of a condition.
func (j *Journal) condition(c *event.ConditionChanged) {
	if !c.Active {
		j.log.Info("condition is over", "component", c.Code, "condition", c.Text,
			"message_id", systemd.MessageRecovered)
		return
	}
	attrs := []any{"component", c.Code, "condition", c.Text, "message_id", messageOf(c.Code)}
	if c.Severity == "error" {
		j.log.Error("condition began", attrs...)
		return
	}
	j.log.Warn("condition began", attrs...)
}

// messages are the entries of the journal catalog for conditions, by code.
var messages = map[string]string{
	"microphone":        systemd.MessageMicrophone,
	"microphone_silent": systemd.MessageLevel, "microphone_clipping": systemd.MessageLevel,
	"speaker":       systemd.MessageSpeaker,
	"broker":        systemd.MessageBroker,
	"broker_access": systemd.MessageAccess,
	"thinker":       systemd.MessageThinker, "thinker_think": systemd.MessageThinker,
	"responder": systemd.MessageResponder, "transcriber": systemd.MessageResponder,
	"prices": systemd.MessageResponder, "budget": systemd.MessageResponder,
	"recogniser": systemd.MessageSpeech, "voice": systemd.MessageSpeech, "detector": systemd.MessageSpeech,
	"wake": systemd.MessageSpeech, "wake_server": systemd.MessageSpeech,
	"memory": systemd.MessageMemory, "disk": systemd.MessageMemory,
	"configuration": systemd.MessageMistake,
	"restart":       systemd.MessageRestart,
	"console":       systemd.MessageConsole,
	"trace":         systemd.MessageTrace,
	"lights":        systemd.MessageLight,
	"tools":         systemd.MessageTool, "intents": systemd.MessageTool, "answers": systemd.MessageTool,
	"thinkers":  systemd.MessageTool,
	"knowledge": systemd.MessageTool, "devices": systemd.MessageTool,
	"secrets": systemd.MessageSecret, "satellite": systemd.MessageSecret,
	"clock":         systemd.MessageClock,
	"homeassistant": systemd.MessageServer,
}

// messageOf is the catalog entry of a condition.
func messageOf(code string) string {
	switch m, ok := messages[code]; {
	case ok:
		return m
	case strings.HasPrefix(code, "provider_"):
		return systemd.MessageThinker
	case strings.HasPrefix(code, "mcp_"):
		return systemd.MessageServer
	}
	return systemd.MessageCondition
}
