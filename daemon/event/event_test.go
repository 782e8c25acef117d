package event_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/event"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const golden = "testdata/events.jsonl"

// each is one of every event, every field set.
func each() []event.Event {
	at := time.Date(2026, 11, 20, 18, 30, 0, 0, time.UTC)
	head := event.Header{Session: 7, Turn: 9}
	pasta := event.Timer{ID: 3, Kind: "timer", Label: "pasta", Ends: at.Add(10 * time.Minute), LeftS: 600,
		Repeat: "FREQ=DAILY"}
	return []event.Event{
		&event.StateChanged{Header: head, From: event.Idle, To: event.Listening},
		&event.Woken{Header: head, By: "hey jarvis", Score: 0.98, WaitedMS: 31},
		&event.Hushed{Header: head, By: "stop", Score: 0.95},
		&event.SpeechStarted{Header: head, Utterance: 12},
		&event.SpeechEnded{Header: head, Utterance: 12, Reason: "silence", Seconds: 1.42},
		&event.Heard{Header: head, Text: "set a timer for ten minutes"},
		&event.Ignored{Header: head, Utterance: 13, Reason: "not_addressed"},
		&event.Yielded{Header: head, Box: "bedroom", Reason: event.AnotherAnswered, WaitedMS: 31},
		&event.Routed{Header: head, Route: "intent", Intent: "timer_set"},
		&event.ToolStarted{Header: head, Call: "c1", Tool: "timer_set", Arguments: `{"duration_s":600}`},
		&event.ToolFinished{Header: head, Call: "c1", Tool: "timer_set", Outcome: "ok", TookMS: 4,
			Text: "Ten minutes, starting now."},
		&event.Said{Header: head, Text: "Ten minutes, starting now."},
		&event.BargeIn{Header: head, PlayedMS: 640},
		&event.Turn{
			Header: head, Source: "voice", WokenBy: "phrase", HeardBy: "wyoming", Route: "intent", Intent: "timer_set",
			Outcome: "answered", Reason: "none", Transcript: "set a timer for ten minutes",
			Answer: "Ten minutes, starting now.", Asks: true, Question: "Open the gate?",
			Tools: []event.ToolUse{{Tool: "timer_set", Outcome: "ok", TookMS: 4}},
			Stages: event.StageMS{
				Endpoint: 700, STT: 120, Route: 1, Tool: 4, TTS: 30, Play: 21, FirstSound: 876, Total: 2400,
			},
			Sources: []event.Source{{Title: "Bread", URL: "https://example.org/bread"}}, Thinker: "knowledge",
			Cached: true, Recalled: 3, EvaluatedTokens: 40, FirstTokenMS: 120, Cost: 0.05,
			PromptTokens: 211, OutputTokens: 18,
		},
		&event.ConditionChanged{Header: head, Active: true, Condition: event.Condition{
			Code: "microphone", Severity: "error", Text: "It is gone.", Since: at,
		}},
		&event.TimersChanged{Header: head, Timers: []event.Timer{pasta}},
		&event.TimerFired{Header: head, Timer: pasta, Missed: true},
		&event.RingResumed{Header: head, Timers: []event.Timer{pasta}},
		&event.RingEnded{Header: head, Timers: []int64{3}, Reason: "stopped"},
		&event.VolumeChanged{Header: head, Percent: 40},
		&event.MediaChanged{Header: head, Media: event.Media{State: "playing", Station: "Radio One", Title: "Song",
			Artist: "Band", Album: "Record", Percent: 60, Until: at}},
		&event.MuteChanged{Header: head, Muted: true},
		&event.DNDChanged{Header: head, On: true},
		&event.PolicyChanged{Header: head, Policy: "local"},
		&event.WakeWordChanged{Header: head, Word: "hey jarvis"},
	}
}

// bare is what an observer sees of the events whose fields are left out when
// they are empty.
func bare() []event.Event {
	return []event.Event{
		&event.Woken{By: "phrase"}, &event.Hushed{By: "stop"},
		&event.Heard{}, &event.Routed{Route: "local"}, &event.Said{},
		&event.Turn{Source: "text", WokenBy: "text", Route: "none", Outcome: "failed"},
		&event.ConditionChanged{}, &event.TimersChanged{Timers: []event.Timer{}},
		&event.MediaChanged{Media: event.Media{State: "stopped"}},
		&event.TimerFired{Timer: event.Timer{ID: 4, Kind: "alarm"}},
	}
}

func TestEventsKeepTheirJSON(t *testing.T) {
	bus := event.NewBus()
	all := append(each(), bare()...)
	sub := bus.Subscribe("test", len(all))
	var got bytes.Buffer
	for _, e := range all {
		bus.Publish(e)
		data, err := json.Marshal(<-sub.C())
		if err != nil {
			t.Fatal(err)
		}
		stamp, err := json.Marshal(event.Head(e).Time)
		if err != nil {
			t.Fatal(err)
		}
		got.Write(bytes.Replace(data, stamp, []byte(`"2026-11-20T18:30:01Z"`), 1))
		got.WriteByte('\n')
	}
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); d != "" {
		t.Errorf("the JSON of an event changed (-want +got); it is a contract, -update rewrites it:\n%s", d)
	}
}

// An event that is added without a golden line, or with the kind of another one,
// would reach observers unseen.
func TestEveryEventHasItsOwnKindAndAGoldenLine(t *testing.T) {
	syntax, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared, listed, kinds []string
	for _, d := range syntax.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "kind" {
			declared = append(declared, f.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name)
		}
	}
	bus := event.NewBus()
	for _, e := range each() {
		bus.Publish(e)
		kinds = append(kinds, event.Head(e).Type)
		v := reflect.ValueOf(e).Elem()
		listed = append(listed, v.Type().Name())
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				t.Errorf("%s.%s is not set, so the golden line does not show it", v.Type().Name(),
					v.Type().Field(i).Name)
			}
		}
	}
	if d := cmp.Diff(declared, listed); d != "" {
		t.Errorf("events of the package and of the golden list differ (-package +list):\n%s", d)
	}
	slices.Sort(kinds)
	if n := len(slices.Compact(slices.Clone(kinds))); n != len(kinds) || kinds[0] == "" {
		t.Errorf("kinds are not distinct: %q", kinds)
	}
}
