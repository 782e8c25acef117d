package realtime

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"hearthd/rigs/llmtest"
)

// newListener is a rig whose service tells when a person has ended.
func newListener(t *testing.T, answer func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer) *rig {
	r := &rig{T: t, server: llmtest.NewRealtime(t, answer), detects: "semantic_vad"}
	r.server.Detects()
	r.start("")
	return r
}

// write sends frames that are loud, or silence.
func (r *rig) write(t *Turn, length time.Duration, loud bool) {
	r.Helper()
	frame := make([]int16, 320)
	for i := range frame {
		if loud {
			frame[i] = int16(8000 * (1 - 2*(i/20%2)))
		}
	}
	for range length / (20 * time.Millisecond) {
		if err := t.Write(frame); err != nil {
			r.Fatal(err)
		}
	}
}

// hears waits for what the service hears.
func (r *rig) hears(what string, c <-chan struct{}) {
	r.Helper()
	select {
	case <-c:
	case <-time.After(limit):
		r.Fatalf("the service did not hear %s", what)
	}
}

func TestServiceTellsWhenAPersonBeginsAndEnds(t *testing.T) {
	var got llmtest.RealtimeTurn
	r := newListener(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		got = turn
		return llmtest.RealtimeAnswer{Text: "hello", Heard: "Hi there."}
	})
	turn := r.open()
	begun, ended := turn.Speech()
	r.write(turn, 400*time.Millisecond, false)
	select {
	case <-begun:
		t.Error("silence is taken for speech")
	default:
	}
	r.write(turn, time.Second, true)
	r.hears("the person", begun)
	r.write(turn, 600*time.Millisecond, false)
	r.hears("the end", ended)
	r.write(turn, 100*time.Millisecond, false) // which was on its way
	if n := len(r.sent("response.create")); n != 0 {
		t.Errorf("%d responses before anybody asked", n)
	}
	if err := turn.Commit(); err != nil {
		t.Fatal(err)
	}
	if h := r.hear(turn); h.err != nil || h.text != "hello" || h.person != "Hi there." {
		t.Errorf("%+v", h)
	}
	if got.Audio < rate*19/10 || got.Audio > rate*21/10 {
		t.Errorf("the request is %d samples, not two seconds", got.Audio)
	}
	if n := len(r.sent("input_audio_buffer.commit")); n != 0 {
		t.Errorf("%d commits beside the service's own", n)
	}
	if n := len(r.sent("input_audio_buffer.clear")); n != 1 {
		t.Errorf("what came after the end was cleared %d times", n)
	}
	again := r.open() // and the next turn is one of its own
	r.write(again, time.Second, true)
	if err := again.Commit(); err != nil { // at the cap
		t.Fatal(err)
	}
	if h := r.hear(again); h.err != nil || h.text != "hello" {
		t.Errorf("%+v", h)
	}
	if n := len(r.sent("input_audio_buffer.commit")); n != 1 {
		t.Errorf("%d commits of an utterance that was capped", n)
	}
}

func TestWhatTheServiceCommittedForTheHouseIsDeletedThere(t *testing.T) {
	r := newListener(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		if turn.Audio > rate*3/2 {
			t.Errorf("%d samples, some of which were for the house", turn.Audio)
		}
		return llmtest.RealtimeAnswer{Text: "new"}
	})
	first := r.open()
	r.write(first, time.Second, true)
	r.write(first, 600*time.Millisecond, false)
	_, ended := first.Speech()
	r.hears("the end", ended)
	first.Cut(0)
	r.await("conversation.item.delete", 1)
	second := r.open()
	r.write(second, time.Second, true)
	if err := second.Commit(); err != nil {
		t.Fatal(err)
	}
	if h := r.hear(second); h.err != nil || h.text != "new" {
		t.Errorf("%+v", h)
	}
}

func TestTooLittleIsNotAnsweredThoughTheServiceListens(t *testing.T) {
	r := newListener(t, says("what"))
	turn := r.open()
	r.write(turn, 200*time.Millisecond, true)
	if err := turn.Commit(); !errors.Is(err, errTooShort) {
		t.Errorf("%v", err)
	}
	turn.Cut(0)
	r.await("input_audio_buffer.clear", 1)
}

// What a client would get that leaves create_response and interrupt_response out.
func TestServiceThatWasNotAskedToKeepQuietAnswersByItself(t *testing.T) {
	hold := make(chan struct{})
	r := newListener(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		return llmtest.RealtimeAnswer{Text: "one", Hold: hold}
	})
	first := r.open()
	heard, err := json.Marshal(map[string]any{"type": "session.update", "session": map[string]any{
		"type": "realtime", "audio": map[string]any{
			"input": map[string]any{
				"format": format{"audio/pcm", rate}, "turn_detection": map[string]any{"type": "semantic_vad"},
			},
			"output": map[string]any{"format": format{"audio/pcm", rate}},
		},
	}})
	if err == nil {
		err = first.s.line.Write(t.Context(), heard)
	}
	if err != nil {
		t.Fatal(err)
	}
	r.write(first, time.Second, true)
	r.write(first, 600*time.Millisecond, false)
	close(hold)
	r.await("response.cancel", 1) // nobody has asked for it
}
