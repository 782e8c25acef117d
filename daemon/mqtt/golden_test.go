package mqtt

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/refusal"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// lines is what the outbox would send: topic, retained or not, payload.
func lines(o *outbox) string {
	var b strings.Builder
	for {
		m, ok := o.next()
		if !ok {
			return b.String()
		}
		kind := "once    "
		if m.retained {
			kind = "retained"
		}
		fmt.Fprintf(&b, "%s %s %s\n", m.topic, kind, m.payload)
		o.sent(m)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := "testdata/" + name + ".golden"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: %s", path, diff)
	}
}

// evening is when everything in the golden files happened.
var evening = time.Date(2026, 11, 20, 18, 30, 0, 0, time.UTC)

func dinner() *event.Turn {
	return &event.Turn{
		Header: event.Header{Type: "turn", Seq: 40, Time: evening, Session: 6, Turn: 7},
		Source: "voice", WokenBy: "phrase", Route: "intent", Intent: "timer_set", Outcome: "answered",
		Transcript: "set a timer for ten minutes", Answer: "Ten minutes, starting now.",
		Tools: []event.ToolUse{{Tool: "timer_set", Outcome: "ok", TookMS: 3}},
		Stages: event.StageMS{Endpoint: 700, STT: 90, Route: 1, Tool: 3, TTS: 20, Play: 15, FirstSound: 829,
			Total: 2900},
	}
}

func TestMessagesAreWhatTheContractSays(t *testing.T) {
	for name, events := range map[string][]event.Event{
		"connected": nil, // what is retained from the start
		"state":     {&event.StateChanged{From: event.Idle, To: event.ToolCalling}},
		"awake":     {&event.Woken{By: "hey jarvis", Score: 0.9}, &event.SpeechStarted{Utterance: 1}},
		"asleep":    {&event.SpeechEnded{Utterance: 1}, &event.StateChanged{To: event.Idle}},
		"told":      {&event.Woken{By: "text"}, &event.Woken{By: "announcement"}},
		"listening": {&event.StateChanged{To: event.Listening}},
		"set": {
			&event.MuteChanged{Muted: true}, &event.DNDChanged{On: true}, &event.VolumeChanged{Percent: 40},
			&event.WakeWordChanged{Word: "hey jarvis"}, &event.PolicyChanged{Policy: "local"},
		},
		"announcement": {&event.Turn{Source: "announcement", Route: "announcement", Outcome: "answered"}},
		"turn":         {dinner()},
		"media": {&event.MediaChanged{Media: event.Media{State: "playing", Station: "FM4", Title: "Song", Percent: 60,
			Until: evening}}},
		"timers": {&event.TimersChanged{Timers: []event.Timer{
			{ID: 3, Kind: "timer", Label: "pasta", Ends: evening.Add(10 * time.Minute)},
			{ID: 1, Kind: "alarm", Ends: evening.Add(time.Hour), Repeat: "FREQ=DAILY"},
		}}},
		"event": {
			&event.TimerFired{Header: event.Header{Type: "timer_fired", Seq: 7, Time: evening},
				Timer: event.Timer{ID: 3, Kind: "timer", Ends: evening}, Missed: true},
			&event.RingResumed{Header: event.Header{Type: "ring_resumed", Seq: 9, Time: evening},
				Timers: []event.Timer{{ID: 3, Kind: "timer", Ends: evening}}},
			&event.RingEnded{Header: event.Header{Type: "ring_ended", Seq: 8, Time: evening}, Timers: []int64{3},
				Reason: "stopped"},
		},
		"no_timers": {&event.TimersChanged{}},
		"others":    {&event.Heard{Text: "not for the broker"}},
		"health":    {&event.ConditionChanged{Condition: event.Condition{Code: "broker"}}},
	} {
		x := newBox(t, Options{Broker: contract.Embedded, Listen: "127.0.0.1:1883"})
		if name == "health" {
			x.conditions.Set("microphone", health.Error, "It is gone.")
		}
		if events != nil {
			drain(x.out)
		}
		for _, e := range events {
			x.publish(e)
		}
		got := lines(x.out)
		for _, c := range x.conditions.List() {
			got = strings.ReplaceAll(got, c.Since.Format(time.RFC3339Nano), evening.Format(time.RFC3339Nano))
		}
		golden(t, name, got)
	}
}

func TestAnswersAreWhatTheContractSays(t *testing.T) {
	x := newBox(t, Options{Broker: contract.Embedded, Listen: "127.0.0.1:1883"})
	drain(x.out)
	id := arguments{ID: "7"}
	x.answer(call{name: contract.Mute}, x.outcome(call{}, result{}, nil))
	x.answer(call{name: contract.Ask, args: id, reply: "hearth/kitchen/result/phone"},
		x.outcome(call{}, result{Turn: dinner()}, nil))
	x.answer(call{name: contract.Say}, x.outcome(call{}, result{}, refusal.Error("text is empty")))
	x.answer(call{name: contract.Ask}, x.outcome(call{}, result{}, fmt.Errorf("ask: %w", context.DeadlineExceeded)))
	x.answer(call{name: contract.Ask}, x.outcome(call{}, result{}, context.Canceled))
	x.answer(call{name: contract.Stop, args: id}, x.outcome(call{name: contract.Stop}, result{}, os.ErrPermission))
	golden(t, "result", lines(x.out))
}

func TestAMessageThatIsTooLongIsNotSent(t *testing.T) {
	x := newBox(t, Options{Broker: contract.Embedded, Listen: "127.0.0.1:1883"})
	drain(x.out)
	x.publish(&event.Turn{Answer: strings.Repeat("a", maxMessage)})
	if got := lines(x.out); strings.Contains(got, "aaaa") {
		t.Errorf("%d bytes would be sent", len(got))
	}
}
