// Package oracle tests llm/realtime, llm/live and their test servers against what nobody here
// wrote: the types of OpenAI's own Go and Python libraries read all that we send, their clients talk
// to the servers, and our client to other servers. It is a module of its own, so that
// hearthd does not depend on the library; `make oracle` runs it. It must not be imported.
package oracle

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	sdk "github.com/openai/openai-go/v3/realtime"

	"hearthd/llm"
	"hearthd/llm/realtime"
	"hearthd/rigs/llmtest"
)

const limit = 20 * time.Second

// script calls a tool for the first response, and then says what it answered.
func script(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
	switch {
	case len(turn.Outputs) > 0:
		return llmtest.RealtimeAnswer{Text: "it is " + turn.Outputs[0]}
	case turn.N == 1:
		return llmtest.RealtimeAnswer{Text: "let me see", Heard: "How late is it?", Calls: []llmtest.RealtimeCall{{ID: "call_1", Name: "time_now", Arguments: "{}"}}}
	}
	return llmtest.RealtimeAnswer{Text: "yes, and then it goes on and on", Paced: true}
}

// talk lets our client hold a conversation in which each kind of event is sent.
func talk(t *testing.T, server *llmtest.Realtime) {
	t.Helper()
	var mu sync.Mutex
	instructions := "Be short."
	c, err := realtime.New(realtime.ClientOptions{
		Options: realtime.Options{
			URL: server.URL, Key: "sesame", Model: "gpt-realtime", Voice: "marin", Transcriber: "whisper-1", Language: "en",
			Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		},
		Idle: time.Minute, Changed: func(error) {},
		Persona: func(context.Context) realtime.Persona {
			mu.Lock()
			defer mu.Unlock()
			return realtime.Persona{
				Instructions: instructions,
				Tools:        []llm.ToolSpec{{Name: "time_now", Description: "Tells the time.", Parameters: json.RawMessage(`{"type":"object","properties":{"place":{"type":"string"}}}`)}},
				History:      []llm.Message{{Role: llm.User, Content: "hi"}, {Role: llm.Assistant, Content: "hello"}},
			}
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
	for i := range 4 {
		turn, err := c.Open(ctx)
		check(t, err)
		check(t, turn.Write(make([]int16, 16000)))
		if i == 3 { // it is an intent, and stays here
			turn.Cut(0)
			arrives(t, server, `"input_audio_buffer.clear"`)
			break
		}
		check(t, turn.Commit())
		heard := false
		for d, err := range turn.Answer(ctx, limit, limit) {
			check(t, err)
			heard = heard || len(d.Audio) > 0
			if d.Call != nil {
				turn.Result(d.Call.ID, "noon")
			}
			if heard && i == 2 { // the person interrupts
				break
			}
		}
		if !heard {
			t.Error("an answer without a sound")
		}
		turn.Cut(20 * time.Millisecond)
		c.Note([]llm.Message{{Role: llm.User, Content: "stop"}})
		mu.Lock()
		instructions += " Her name is Ada."
		mu.Unlock()
	}
}

// arrives waits until the server has got an event with some text in it.
func arrives(t *testing.T, server *llmtest.Realtime, text string) {
	t.Helper()
	arrivesAt(t, server.Events, text)
}

func arrivesAt(t *testing.T, events func() []json.RawMessage, text string) {
	t.Helper()
	for end := time.Now().Add(limit); time.Now().Before(end); <-time.After(time.Millisecond) {
		for _, raw := range events() {
			if strings.Contains(string(raw), text) {
				return
			}
		}
	}
	t.Fatalf("%s did not arrive", text)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestTheirTypesReadAllThatWeSend(t *testing.T) {
	server := llmtest.NewRealtime(t, script)
	talk(t, server)
	theyRead(t, server, "session.update", "input_audio_buffer.append", "input_audio_buffer.commit", "input_audio_buffer.clear",
		"conversation.item.create", "conversation.item.truncate", "response.create", "response.cancel")
}

// TestTheirTypesReadWhatWeSendToAServiceThatListens has a request that is for the house
// after all, and one that is not.
func TestTheirTypesReadWhatWeSendToAServiceThatListens(t *testing.T) {
	server := llmtest.NewRealtime(t, script)
	server.Detects()
	c := connect(t, server.URL, "sesame", func(o *realtime.Options) { o.Detection = "semantic_vad" })
	loud := make([]int16, 16000)
	for i := range loud {
		loud[i] = int16(8000 * (1 - 2*(i/20%2)))
	}
	speak := func() *realtime.Turn {
		turn, err := c.Open(t.Context())
		check(t, err)
		check(t, turn.Write(loud))
		check(t, turn.Write(make([]int16, 16000)))
		_, ended := turn.Speech()
		select {
		case <-ended:
		case <-time.After(limit):
			t.Fatal("the service does not hear the end")
		}
		return turn
	}
	speak().Cut(0)
	turn := speak()
	check(t, turn.Commit())
	for d, err := range turn.Answer(t.Context(), limit, limit) {
		check(t, err)
		if d.Call != nil {
			turn.Result(d.Call.ID, "noon")
		}
	}
	theyRead(t, server, "session.update", "input_audio_buffer.append", "input_audio_buffer.clear", "conversation.item.delete", "response.create")
}

// theyRead checks that their types read all that a server was sent, of all kinds, and that
// it has nothing to object.
func theyRead(t *testing.T, server *llmtest.Realtime, all ...string) {
	t.Helper()
	kinds := map[string]int{}
	for _, raw := range server.Events() {
		var sent map[string]any
		check(t, json.Unmarshal(raw, &sent))
		kind := sent["type"].(string)
		kinds[kind]++
		var event sdk.RealtimeClientEventUnionParam
		if err := json.Unmarshal(raw, &event); err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		again, err := json.Marshal(event)
		check(t, err)
		var read map[string]any
		check(t, json.Unmarshal(again, &read))
		for _, lost := range missing("", sent, read) {
			t.Errorf("%s: %s is not what they read\nsent %s\nread %s", kind, lost, raw, again)
		}
	}
	for _, kind := range all {
		if kinds[kind] == 0 {
			t.Errorf("no %s was sent", kind)
		}
	}
	t.Log(kinds)
	if v := server.Violations(); len(v) > 0 {
		t.Error(strings.Join(v, "\n"))
	}
	theirPythonReads(t, "realtime", server.Events())
}

// missing names what of sent is not the same in read.
func missing(at string, sent, read any) (list []string) {
	switch s := sent.(type) {
	case map[string]any:
		r, _ := read.(map[string]any)
		for key, v := range s {
			list = append(list, missing(at+"."+key, v, r[key])...)
		}
	case []any:
		r, _ := read.([]any)
		for i, v := range s {
			var other any
			if i < len(r) {
				other = r[i]
			}
			list = append(list, missing(fmt.Sprintf("%s[%d]", at, i), v, other)...)
		}
	default:
		if !reflect.DeepEqual(sent, read) {
			list = append(list, at)
		}
	}
	return list
}

func TestTheirPythonClientTalksToOurServer(t *testing.T) {
	server := llmtest.NewRealtime(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		if turn.N == 2 {
			return llmtest.RealtimeAnswer{Text: strings.Join(turn.Outputs, " and ")}
		}
		return llmtest.RealtimeAnswer{Text: "let me see", Heard: "What is there?", Remote: true, Calls: []llmtest.RealtimeCall{
			{ID: "call_1", Name: "look", Arguments: "{}"}, {ID: "call_2", Name: "listen", Arguments: "{}"}}}
	})
	server.WantKey("sesame")
	runPython(t, nil, "realtime", server.URL)
	if v := server.Violations(); len(v) > 0 {
		t.Error(strings.Join(v, "\n"))
	}
}

// TestTheirTypesReadWhatWeSendToAModelThatReasons has several calls at once, and one of a tool elsewhere.
func TestTheirTypesReadWhatWeSendToAModelThatReasons(t *testing.T) {
	server := llmtest.NewRealtime(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		if turn.N == 2 {
			return llmtest.RealtimeAnswer{Text: strings.Join(turn.Outputs, " and ")}
		}
		return llmtest.RealtimeAnswer{Remote: true, Calls: []llmtest.RealtimeCall{
			{ID: "call_1", Name: "look", Arguments: "{}"}, {ID: "call_2", Name: "look", Arguments: "{}"}}}
	})
	c := connect(t, server.URL, "sesame", func(o *realtime.Options) { o.Reasoning = "low" })
	if h := c.ask(t, ""); h.err != nil || h.text != "rain and rain" || len(h.calls) != 2 {
		t.Errorf("%+v", h)
	}
	theyRead(t, server, "session.update", "conversation.item.create", "response.create")
}

func TestTheirClientTalksToOurServer(t *testing.T) {
	server := llmtest.NewRealtime(t, script)
	server.WantKey("sesame")
	client := openai.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("sesame"), option.WithQuery("model", "gpt-realtime"))
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	conn, err := client.Realtime.Connect(ctx, sdk.RealtimeConnectionOptions{})
	check(t, err)
	defer conn.Close()
	kinds := map[string]int{}
	// until takes events to the first of a kind.
	until := func(kind string) sdk.RealtimeServerEventUnion {
		t.Helper()
		for {
			e, err := conn.Recv(ctx)
			check(t, err)
			kinds[e.Type]++
			if e.AsAny() == nil {
				t.Errorf("they do not know %s", e.RawJSON())
			}
			switch e.Type {
			case kind:
				return e
			case "error":
				t.Fatalf("%s", e.RawJSON())
			}
		}
	}
	send := func(text string) {
		t.Helper()
		var e sdk.RealtimeClientEventUnionParam
		check(t, json.Unmarshal([]byte(text), &e))
		check(t, conn.Send(ctx, e))
	}
	until("session.created")
	// Their type leaves out what is null.
	check(t, conn.SendRaw(ctx, json.RawMessage(`{"type":"session.update","session":{"type":"realtime","instructions":"Be short.","output_modalities":["audio"],
		"audio":{"input":{"format":{"type":"audio/pcm","rate":24000},"turn_detection":null},"output":{"format":{"type":"audio/pcm","rate":24000},"voice":"marin"}}}}`)))
	until("session.updated")
	send(`{"type":"input_audio_buffer.append","audio":"` + base64.StdEncoding.EncodeToString(make([]byte, 48000)) + `"}`)
	send(`{"type":"input_audio_buffer.commit"}`)
	until("input_audio_buffer.committed")
	send(`{"type":"response.create"}`)
	if e := until("response.output_audio.delta"); e.AsResponseAudioDeltaEvent().Delta == "" {
		t.Errorf("audio that they cannot read: %s", e.RawJSON())
	}
	call := until("response.function_call_arguments.done").AsResponseFunctionCallArgumentsDoneEvent()
	if call.CallID != "call_1" || call.Name != "time_now" {
		t.Errorf("%+v", call)
	}
	done := until("response.done").AsResponseDoneEvent().Response
	if done.Status != "completed" || len(done.Output) != 2 || done.Usage.OutputTokens != 50 {
		t.Errorf("%s", done.RawJSON())
	}
	send(`{"type":"conversation.item.create","item":{"type":"function_call_output","call_id":"call_1","output":"noon"}}`)
	send(`{"type":"response.create"}`)
	if text := until("response.output_audio_transcript.done").AsResponseAudioTranscriptDoneEvent().Transcript; text != "it is noon" {
		t.Errorf("%q", text)
	}
	until("response.done")
	t.Log(kinds)
	if v := server.Violations(); len(v) > 0 {
		t.Error(strings.Join(v, "\n"))
	}
}
