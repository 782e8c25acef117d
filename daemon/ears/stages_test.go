package ears

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/audio"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
)

// everyStage is the way of a frame in a box that has as much on it as a configuration
// can ask for, but for an enrolled word.
const everyStage = `capture from "hw:1"
monitor of the level
canceller of echo up to 500ms late
leveller to -26 dBFS
microWakeWord for ["loud_0"]
wake server 127.0.0.1:9 for ["distant"]
guard of the built-in detector
gate from 0.5 to 0.35
pre-roll of 400ms
endpointer after 700ms
dialogue`

func TestLogTellsEveryStageFromTheMicrophoneToTheDialogue(t *testing.T) {
	var text bytes.Buffer
	log, conditions := slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug})),
		health.New(event.NewBus())
	m, err := NewMicrophone(MicrophoneOptions{Device: "hw:1", Conditions: conditions, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	k := newKeeper(t)
	s := usual(t)
	s.State = k.state
	s.Words = append(loudWords(t, k, 1), Word{Model: "distant", Name: "far", Server: "127.0.0.1:9"})
	e, err := New(Options{
		Setup: s, Microphone: m, Sense: NewSense(&s), Far: audio.NewMixer(70).Reference(),
		Speaking: func() bool { return false },
		Turns:    dialogue.NewInbox(nil), Conditions: conditions, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(everyStage, strings.ReplaceAll(e.String(), " → ", "\n")); d != "" {
		t.Error(d)
	}
	if !strings.Contains(text.String(), " → dialogue") {
		t.Errorf("the log has %s", &text)
	}
}
