package journal

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/memory"
	"hearthd/rigs/memorytest"
	"hearthd/systemd"
)

// written runs a journal over events and returns its lines without the time.
func written(t *testing.T, level slog.Level, store *memory.Store, events ...event.Event) (lines []string,
	c *health.Conditions) {
	t.Helper()
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{
		Level: level,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "error" {
				return slog.Attr{}
			}
			return a
		},
	}))
	bus := event.NewBus()
	c = health.New(bus)
	j := New(bus.Subscribe("journal", Queue), store, c, log)
	for _, e := range events {
		bus.Publish(e)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := j.Run(ended); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n"), c
}

func dinner() *event.Turn {
	return &event.Turn{
		Header: event.Header{Session: 6, Turn: 7}, Source: "voice", WokenBy: "phrase", Route: "intent",
		Intent: "timer_set", Outcome: "answered", Tools: []event.ToolUse{{Tool: "timer_set", Outcome: "ok", TookMS: 2}},
		Stages: event.StageMS{Endpoint: 700, STT: 300, Tool: 2, FirstSound: 1010, Total: 2500},
	}
}

func TestJournalHasOneLineForATurnAndKeepsIt(t *testing.T) {
	s := memorytest.Open(t)
	lines, conditions := written(t, slog.LevelInfo, s, dinner())
	want := []string{`level=INFO msg="turn ended" turn=7 outcome=answered route=intent intent=timer_set tool="timer_set ok"` +
		` endpoint_ms=700 stt_ms=300 tool_ms=2 first_sound_ms=1010 took_ms=2500 source=voice woken_by=phrase session=6 component=dialogue` +
		` message_id=` + systemd.MessageTurn}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	kept, err := s.Turns(t.Context(), 10)
	if err != nil || len(kept) != 1 || kept[0].ID != 7 {
		t.Errorf("kept %+v, %v", kept, err)
	}
	if c := conditions.List(); len(c) != 0 {
		t.Errorf("conditions %+v", c)
	}
}

func TestJournalTellsWhoAnsweredAndWhatTheMemoryDid(t *testing.T) {
	s := memorytest.Open(t)
	doc := dinner()
	doc.Route, doc.Intent, doc.Tools, doc.Thinker, doc.Cached, doc.Recalled = "local", "", nil, "weather", true, 3
	lines, _ := written(t, slog.LevelInfo, s, doc)
	if want := " route=local thinker=weather cached=true recalled=3 "; len(lines) != 1 ||
		!strings.Contains(lines[0], want) {
		t.Errorf("%q lacks %q", lines, want)
	}
}

func TestJournalSaysWhatWasHeardWhereThatIsAllowed(t *testing.T) {
	s := memorytest.Open(t)
	doc := dinner()
	doc.Transcript, doc.Answer = "set a pasta timer", "10 minutes." // else the dialogue leaves them out
	lines, _ := written(t, slog.LevelInfo, s, doc)
	if want := ` outcome=answered heard="set a pasta timer" route=intent intent=timer_set tool="timer_set ok" answer="10 minutes." `; !strings.Contains(lines[0], want) {
		t.Errorf("%q lacks %q", lines, want)
	}
}

func TestWordsOfATurnThatForgetsAreNotKept(t *testing.T) {
	s := memorytest.Open(t)
	doc := dinner()
	doc.Transcript, doc.Answer = "forget everything about xanthippe", "Forgotten."
	doc.Tools = []event.ToolUse{{Tool: "memory_forget", Outcome: "ok"}}
	lines, _ := written(t, slog.LevelDebug, s, doc)
	kept, err := s.Turns(t.Context(), 10)
	if err != nil || len(kept) != 1 || kept[0].Transcript != "" || kept[0].Answer != "" ||
		strings.Contains(strings.Join(lines, ""), "xanthippe") {
		t.Errorf("kept %+v, logged %q (%v)", kept, lines, err)
	}
}

func TestJournalShowsTheStagesThatTookTime(t *testing.T) {
	s := memorytest.Open(t)
	lines, _ := written(t, slog.LevelDebug, s, dinner())
	var stages []string
	for _, l := range lines {
		if _, stage, ok := strings.Cut(l, "stage="); ok {
			stages = append(stages, stage)
		}
	}
	if diff := cmp.Diff([]string{"endpoint took_ms=700", "stt took_ms=300", "tool took_ms=2"}, stages); diff != "" {
		t.Error(diff)
	}
}

func TestDiskThatCannotBeWrittenIsACondition(t *testing.T) {
	s := memorytest.Open(t)
	s.Close()
	lines, conditions := written(t, slog.LevelWarn, s, dinner())
	if lines[0] != `level=WARN msg="keep turn" component=memory turn=7` {
		t.Errorf("lines %q", lines)
	}
	if c := conditions.List(); len(c) != 1 || c[0].Code != "disk" {
		t.Errorf("conditions %+v", c)
	}
}

func TestJournalTellsConditionsAndMissedTimers(t *testing.T) {
	lines, _ := written(t, slog.LevelInfo, nil,
		&event.ConditionChanged{Condition: event.Condition{Code: "microphone", Severity: "error", Text: "gone"}, Active: true},
		&event.ConditionChanged{Condition: event.Condition{Code: "other", Severity: "warning", Text: "slow"}, Active: true},
		&event.ConditionChanged{Condition: event.Condition{Code: "microphone", Severity: "error", Text: "gone"}},
		&event.TimerFired{Timer: event.Timer{ID: 3, Ends: time.Unix(0, 0)}},
		&event.TimerFired{Timer: event.Timer{ID: 4, Ends: time.Unix(0, 0)}, Missed: true},
	)
	want := []string{
		`level=ERROR msg="condition began" component=microphone condition=gone message_id=` + systemd.MessageMicrophone,
		`level=WARN msg="condition began" component=other condition=slow message_id=` + systemd.MessageCondition,
		`level=INFO msg="condition is over" component=microphone condition=gone message_id=` + systemd.MessageRecovered,
		`level=WARN msg="timer ended while hearthd was off" component=timer timer=4 message_id=` +
			systemd.MessageTimerMissed,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

func TestEveryConditionHasACatalogEntryOfItsOwn(t *testing.T) {
	files, err := filepath.Glob("../*.go")
	more, worse := filepath.Glob("../*/*.go")
	if err := errors.Join(err, worse); err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(append(files, more...), func(f string) bool { return strings.HasSuffix(f, "_test.go") })
	set := regexp.MustCompile(`(?i)conditions\.Set\("([a-z_]+)"`)
	codes := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range set.FindAllStringSubmatch(string(text), -1) {
			codes++
			if messageOf(m[1]) == systemd.MessageCondition {
				t.Errorf("%s: condition %q has none", file, m[1])
			}
		}
	}
	if codes < 20 {
		t.Errorf("found only %d places that set a condition", codes)
	}
}
