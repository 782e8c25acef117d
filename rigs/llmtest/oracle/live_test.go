package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	theirs "github.com/openai/openai-go/v3/live"

	"hearthd/llm"
	"hearthd/llm/live"
	"hearthd/llm/realtime"
	"hearthd/rigs/llmtest"
)

// liveScript hands over what a person says, and says what it is told to.
func liveScript(turn llmtest.LiveTurn) llmtest.LiveAnswer {
	switch {
	case turn.Heard:
		return llmtest.LiveAnswer{Text: "let me see", Heard: "How high is it?", Delegates: 1}
	case len(turn.Commentary) > 0:
		return llmtest.LiveAnswer{Text: turn.Commentary[0]}
	}
	return llmtest.LiveAnswer{}
}

func TestTheirPythonClientTalksToOurLiveServer(t *testing.T) {
	server := llmtest.NewLive(t, liveScript)
	server.WantKey("sesame")
	runPython(t, nil, "live", server.URL)
	if n := len(server.Violations()); n != 8 { // which are refused on purpose
		t.Errorf("%d events were refused:\n%s", n, strings.Join(server.Violations(), "\n"))
	}
}

func TestTheirTypesReadAllThatWeSendToGPTLive(t *testing.T) {
	server := llmtest.NewLive(t, liveScript)
	talkLive(t, server)
	kinds := map[string]int{}
	for _, raw := range server.Events() {
		var sent map[string]any
		check(t, json.Unmarshal(raw, &sent))
		kinds[sent["type"].(string)]++
		var event theirs.ClientEventUnionParam
		check(t, json.Unmarshal(raw, &event))
		again, err := json.Marshal(event)
		check(t, err)
		var read map[string]any
		check(t, json.Unmarshal(again, &read))
		for _, lost := range missing("", sent, read) {
			t.Errorf("%s is not what they read\nsent %s\nread %s", lost, raw, again)
		}
	}
	for _, kind := range []string{"session.start", "session.input_audio.append", "session.commentary.append",
		"session.thinking.append", "session.instructions.append", "session.close"} {
		if kinds[kind] == 0 {
			t.Errorf("no %s was sent: %v", kind, kinds)
		}
	}
	if v := server.Violations(); len(v) > 0 {
		t.Error(strings.Join(v, "\n"))
	}
	theirPythonReads(t, "live", server.Events())
}

// talkLive lets our client hold a conversation in which each kind of event is sent.
func talkLive(t *testing.T, server *llmtest.Live) {
	t.Helper()
	c, err := realtime.New(realtime.ClientOptions{
		Options: realtime.Options{
			URL: server.URL, Key: "sesame", Model: "gpt-live-1.1", Voice: "marin", Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
			Open: live.Options{Silence: 3 * time.Second, Delegate: func(said string) (string, []byte) {
				return "ask", fmt.Appendf(nil, "%q", said)
			}}.Open,
		},
		Idle: time.Minute, Changed: func(error) {},
		Persona: func(context.Context) realtime.Persona {
			return realtime.Persona{Instructions: "Be short.",
				History: []llm.Message{{Role: llm.User, Content: "hi"}, {Role: llm.Assistant, Content: "hello"}}}
		},
	})
	check(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var ended sync.WaitGroup
	ended.Go(func() {
		if err := c.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	defer ended.Wait()
	defer cancel()
	for i := range 2 {
		turn, err := c.Open(ctx)
		check(t, err)
		loud := make([]int16, 9600)
		for i := range loud {
			loud[i] = int16(8000 * math.Sin(float64(i)/6))
		}
		check(t, turn.Write(loud))
		check(t, turn.Write(make([]int16, 8000)))
		check(t, turn.Commit())
		text, heard := "", 0
		for d, err := range turn.Answer(ctx, limit, limit) {
			check(t, err)
			text, heard = text+d.Text, heard+len(d.Audio)
			if d.Call != nil {
				turn.Result(d.Call.ID, "330 metres.")
			}
			if i == 1 && heard > 4800 { // the person interrupts
				break
			}
		}
		if i == 0 && text != "let me see 330 metres." {
			t.Errorf("%q", text)
		}
		turn.Cut(100 * time.Millisecond)
	}
	c.Note([]llm.Message{{Role: llm.User, Content: "stop"}})
	arrivesAt(t, server.Events, "The person said to the house: stop")
}
