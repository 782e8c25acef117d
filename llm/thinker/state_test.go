package thinker

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"hearthd/llm"
)

func TestStatesMoveLegally(t *testing.T) {
	var log strings.Builder
	m := answers(calls(`{"m":1}`), text("Done."))
	th, err := New(Options{Chat: m, Tools: &box{}, Location: time.UTC, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	var states []State
	states = append(states, th.State())
	for d := range th.Think(t.Context(), llm.Ask{Text: "timer"}) {
		if d.Text != "" || d.Call != nil || d.Result != nil || d.Usage != nil {
			states = append(states, th.State())
		}
	}
	states = append(states, th.State())
	equal(t, []State{Idle, ToolCalling, ToolCalling, Generating, Complete, Complete}, states)
	if strings.Contains(log.String(), "illegal") {
		t.Error(log.String())
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range th.Think(ctx, llm.Ask{Text: "again"}) {
		cancel()
	}
	if th.State() != Aborted {
		t.Errorf("after a cancel: %s", th.State())
	}
}
