package metrics

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
)

func newTest(t *testing.T, bus *event.Bus) *Metrics {
	t.Helper()
	m, err := New(Options{
		Bus: bus, Version: "1.2", Breakers: []string{"thinker", "voice"}, Log: slog.New(slog.DiscardHandler),
		Now: func() Now {
			return Now{
				Frames: 100, Dropped: 320, Unknown: 4, EventsMissed: map[string]uint64{"journal": 2},
				Conditions: []event.Condition{{Code: "thinker", Severity: health.Error, Text: "a text"}},
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// scrape is what Prometheus would read.
func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// counted publishes events and returns the scrape after them.
func counted(t *testing.T, events ...event.Event) (text string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		bus := event.NewBus()
		m := newTest(t, bus)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- m.Run(ctx) }()
		for _, e := range events {
			bus.Publish(e)
		}
		synctest.Wait()
		text = scrape(t, m)
		cancel()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	})
	return text
}

func TestATurnIsCountedByItsRouteStagesAndTokens(t *testing.T) {
	text := counted(t,
		&event.Woken{By: "hey_jarvis"},
		&event.SpeechEnded{Reason: "silence"},
		&event.ToolFinished{Tool: "timer_set", Outcome: "ok", TookMS: 12},
		&event.BargeIn{PlayedMS: 300},
		&event.Hushed{By: "stop"},
		&event.TimerFired{Timer: event.Timer{Kind: "timer"}},
		&event.Ignored{Reason: "not_addressed"},
		&event.Turn{
			Source: "voice", Route: "local", Outcome: "answered", Transcript: "the secret words", Answer: "more words",
			Stages: event.StageMS{STT: 250, Total: 4000}, Thinker: "weather", Cached: true,
			PromptTokens: 600, EvaluatedTokens: 40, OutputTokens: 30, Cost: 0.25,
		})
	for _, want := range []string{
		`hearthd_wakes_total{by="hey_jarvis"} 1`,
		`hearthd_utterances_total{reason="silence"} 1`,
		`hearthd_tool_calls_total{outcome="ok",tool="timer_set"} 1`,
		`hearthd_tool_seconds_sum 0.012`,
		`hearthd_barge_ins_total 1`,
		`hearthd_stop_words_total 1`,
		`hearthd_rings_total{kind="timer"} 1`,
		`hearthd_utterances_ignored_total{reason="not_addressed"} 1`,
		`hearthd_turns_total{outcome="answered",route="local",source="voice"} 1`,
		`hearthd_turn_stage_seconds_sum{stage="stt"} 0.25`,
		`hearthd_turn_stage_seconds_count{stage="total"} 1`,
		`hearthd_thinker_answers_total{cached="yes",thinker="weather"} 1`,
		`hearthd_tokens_total{kind="evaluated"} 40`,
		`hearthd_cost_total 0.25`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(text, `stage="tts"`) {
		t.Error("a stage that the turn has not is counted")
	}
	if strings.Contains(text, "secret words") || strings.Contains(text, "more words") {
		t.Error("what was said is shown")
	}
}

func TestTheStateIsReadWhenItIsScraped(t *testing.T) {
	text := counted(t)
	for _, want := range []string{
		`hearthd_build_info{version="1.2"} 1`,
		`hearthd_frames_total 100`,
		`hearthd_samples_dropped_total 320`,
		`hearthd_unknown_thinkers_total 4`,
		`hearthd_condition{code="thinker",severity="error"} 1`,
		`hearthd_breaker_open{part="thinker"} 1`,
		`hearthd_breaker_open{part="voice"} 0`,
		`hearthd_events_missed_total{observer="journal"} 2`,
		`go_goroutines `,
		`process_resident_memory_bytes `,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
}

// The dashboard asks for nothing that is not counted.
func TestTheDashboardAsksForWhatThereIs(t *testing.T) {
	data, err := os.ReadFile("../../packaging/grafana/hearthd.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string `json:"title"`
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}
	if err := json.Unmarshal(data, &board); err != nil {
		t.Fatal(err)
	}
	text := counted(t,
		&event.Woken{By: "x"}, &event.SpeechEnded{Reason: "x"}, &event.Ignored{Reason: "x"},
		&event.ToolFinished{Tool: "x", Outcome: "ok"}, &event.TimerFired{},
		&event.Turn{Stages: event.StageMS{Total: 1}, Thinker: "x"})
	name := regexp.MustCompile(`\b(hearthd|go|process)_[a-z_]+`)
	asked := 0
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			for _, n := range name.FindAllString(target.Expr, -1) {
				asked++
				if !strings.Contains(text, "\n"+n+"{") && !strings.Contains(text, "\n"+n+" ") {
					t.Errorf("%s asks for %s, which is not counted", p.Title, n)
				}
			}
		}
	}
	if asked == 0 {
		t.Error("the dashboard asks for nothing")
	}
}
