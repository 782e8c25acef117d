package realtime

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"hearthd/llm"
	"hearthd/rigs/llmtest"
)

// FuzzEvents gives a turn the events that a service sends, one in each line. Whatever
// they are, what is kept is bounded, no response is asked for beside another, and each
// call has its output once the turn is over.
func FuzzEvents(f *testing.F) {
	const call = `{"id":"i","type":"function_call","status":"completed","call_id":"c","name":"look","arguments":"{}"}`
	for _, lines := range [][]string{
		{`{"type":"input_audio_buffer.committed","item_id":"p"}`, `{"type":"response.created","response":{"id":"r"}}`,
			`{"type":"conversation.item.input_audio_transcription.completed","item_id":"p","transcript":"Why?","usage":{"type":"duration","seconds":1}}`,
			`{"type":"response.output_audio_transcript.delta","response_id":"r","item_id":"i","delta":"So."}`,
			`{"type":"response.output_audio.delta","response_id":"r","item_id":"i","content_index":0,"delta":"AAAA"}`,
			`{"type":"response.done","response":{"id":"r","status":"completed","output":[],"usage":{"output_token_details":{"audio_tokens":9}}}}`},
		{`{"type":"response.created","response":{"id":"r"}}`,
			`{"type":"response.output_item.done","response_id":"r","item":` + call + `}`,
			`{"type":"response.function_call_arguments.done","response_id":"r","call_id":"d","name":"look","arguments":"{"}`,
			`{"type":"response.done","response":{"id":"r","status":"completed","output":[` + call + `]}}`},
		{`{"type":"response.created","response":{}}`, `{"type":"response.created","response":{"id":"s"}}`,
			`{"type":"response.done","response":{"status":"failed"}}`,
			`{"type":"input_audio_buffer.speech_started"}`, `{"type":"rate_limits.updated"}`, `{"type":"new"}`},
		{
			`{"type":"error","error":{"type":"server_error","code":"conversation_already_has_active_response","event_id":"create"}}`,
			`{"type":"error","error":{"code":"input_audio_buffer_commit_empty","event_id":"commit"}}`,
			`{"type":"error","error":{"code":"session_expired"}}`},
	} {
		f.Add([]byte(strings.Join(lines, "\n")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &Session{
			opt: &Options{verdict: func(error) {}}, log: slog.New(slog.DiscardHandler),
			out: make(chan outgoing, 1<<16), ended: make(chan struct{}),
		}
		l := newLoop(s)
		defer l.patience.Stop()
		turn := &Turn{s: s, more: make(chan struct{}, 1), begun: func() {}, ceased: func() {}, appended: true,
			committed: true}
		l.begin(turn)
		l.commits = append(l.commits, turn)
		l.want(&create{turn: turn})
		for line := range bytes.Lines(data) {
			e, err := decode(line)
			if err != nil {
				break // which ends the session
			}
			if l.event(e); l.failed != nil {
				break
			}
			if l.active != nil && l.creating != nil {
				t.Fatal("a response is asked for while another runs")
			}
		}
		if len(l.known) > maxKnown || len(l.items) > maxKnown || len(l.unknown) > maxKnown ||
			len(turn.spoken) > maxKnown || turn.written > maxWords+maxEvent {
			t.Fatalf("%d responses, %d items, %d types and %d pieces of sound are kept, %d bytes were written",
				len(l.known), len(l.items), len(l.unknown), len(turn.spoken), turn.written)
		}
		l.begin(&Turn{s: s, more: make(chan struct{}, 1)})
		for _, r := range l.known {
			if r.owes() || len(r.called) > maxKnown {
				t.Fatalf("of %d calls some have no output", len(r.called))
			}
		}
	})
}

func TestWhatNoServiceSendsEndsTheSession(t *testing.T) {
	long := strings.Repeat("x", maxID+1)
	for name, e := range map[string]map[string]any{
		"id": {"type": "response.created", "response": map[string]any{"id": long}},
		"name": {"type": "response.output_item.done", "response_id": "r",
			"item": map[string]any{"type": typeCall, "call_id": "c", "name": long}},
		"transcript": {"type": "conversation.item.input_audio_transcription.completed",
			"transcript": strings.Repeat("x", maxTranscript+1)},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
				return llmtest.RealtimeAnswer{Text: "yes", Extra: []map[string]any{e}}
			})
			turn := r.open()
			r.speak(turn, time.Second)
			if h := r.hear(turn); h.err == nil || !strings.Contains(h.err.Error(), "limit") {
				t.Errorf("%+v", h)
			}
		})
	}
}

func TestAnswerAndStormWithoutEndAreEnded(t *testing.T) {
	storm := make([]llmtest.RealtimeCall, maxKnown+1)
	for i := range storm {
		storm[i] = llmtest.RealtimeCall{ID: fmt.Sprint("c", i), Name: "look", Arguments: "{}"}
	}
	onCable(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		if turn.N == 1 {
			return llmtest.RealtimeAnswer{Calls: storm}
		}
		return llmtest.RealtimeAnswer{Text: "yes"}
	}, func(r *rig, c *llmtest.Cable) {
		r.call = func(llm.ToolCall) string { return "more" }
		turn := r.open()
		r.speak(turn, time.Second)
		if h := r.hear(turn); h.err != errRounds || len(h.calls) != maxCalls {
			r.Errorf("%d calls, %v", len(h.calls), h.err)
		}
		wordy := r.open()
		wordy.s.ask(func(l *loop) {
			for range maxWords/1024 + 1 {
				wordy.words("i", strings.Repeat("a", 1024))
			}
		})
		h := r.hear(wordy)
		if h.err != errLong || len(h.text) > maxWords {
			r.Errorf("%d bytes of words, %v", len(h.text), h.err)
		}
	})
}

// Nobody hears more than five minutes of a turn, and a service that sends more is not
// to fill the memory of a small box.
func TestAudioOfOneTurnIsBounded(t *testing.T) {
	turn := &Turn{more: make(chan struct{}, 1)}
	minute := make([]int16, time.Minute*rate/time.Second)
	total := 0
	for range 60 {
		turn.push(llm.Delta{Audio: minute})
		batch, _, _, _ := turn.take() // as the dialogue does, into its own queue
		for _, d := range batch {
			total += len(d.Audio)
		}
	}
	if total > int(maxAudio) {
		t.Errorf("%v of audio were taken of one turn", time.Duration(total)*time.Second/rate)
	}
}
