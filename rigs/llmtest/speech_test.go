package llmtest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"hearthd/llm/wyoming"
	"hearthd/rigs/llmtest"
)

func TestWyomingServerAnswersWhatTheProtocolSays(t *testing.T) {
	server := llmtest.NewWyoming(t, llmtest.WyomingScript{})
	format := wyoming.FrameFormat()
	for name, tc := range map[string]struct {
		events []wyoming.Event
		want   string // type of the answer, empty for a closed connection
	}{
		"describe":                 {[]wyoming.Event{{Type: "describe"}}, "info"},
		"ping":                     {[]wyoming.Event{{Type: "ping"}}, "pong"},
		"unknown type":             {[]wyoming.Event{{Type: "sing"}}, "error"},
		"synthesize without text":  {[]wyoming.Event{{Type: "synthesize"}}, "error"},
		"audio without transcribe": {[]wyoming.Event{format.Event(wyoming.AudioStart, nil)}, "error"},
		"chunk without start":      {[]wyoming.Event{{Type: "transcribe"}, format.Event(wyoming.AudioChunk, []byte{1, 0})}, "error"},
		"start without format":     {[]wyoming.Event{{Type: "transcribe"}, {Type: wyoming.AudioStart}}, "error"},
		"stop without start":       {[]wyoming.Event{{Type: "transcribe"}, {Type: wyoming.AudioStop}}, "error"},
		"data that is no JSON":     {[]wyoming.Event{{Type: "transcribe", Data: []byte("x")}}, ""},
	} {
		c, err := wyoming.Dial(t.Context(), server.Address, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Send(t.Context(), tc.events...); err != nil {
			t.Fatal(err)
		}
		if e, err := c.Receive(t.Context()); e.Type != tc.want || (err != nil) != (tc.want == "") {
			t.Errorf("%s: got %q, %v, want %q", name, e.Type, err, tc.want)
		}
		c.Close()
	}
}

func TestSpeechServerRefusesWhatOpenAIRefuses(t *testing.T) {
	server := llmtest.NewSpeech(t, llmtest.SpeechScript{Key: "k3y"})
	form := func(parts ...string) string {
		return "--x\r\n" + strings.Join(parts, "\r\n--x\r\n") + "\r\n--x--\r\n"
	}
	model := "Content-Disposition: form-data; name=model\r\n\r\ntest"
	file := "Content-Disposition: form-data; name=file; filename=a.wav\r\n\r\n"
	wav := file + "RIFF....WAVE" + strings.Repeat(".", 40)
	for name, tc := range map[string]struct {
		path, kind, key, body string
		want                  int
	}{
		"no key":            {"/audio/speech", "application/json", "", `{}`, 401},
		"speech":            {"/audio/speech", "application/json", "k3y", `{"model":"test","voice":"anna","input":"x","response_format":"pcm"}`, 200},
		"no model":          {"/audio/speech", "application/json", "k3y", `{"voice":"anna","input":"x","response_format":"pcm"}`, 400},
		"no input":          {"/audio/speech", "application/json", "k3y", `{"model":"test","voice":"anna","response_format":"pcm"}`, 400},
		"no JSON":           {"/audio/speech", "application/json", "k3y", `x`, 400},
		"transcription":     {"/audio/transcriptions", "multipart/form-data; boundary=x", "k3y", form(model, wav), 200},
		"no file":           {"/audio/transcriptions", "multipart/form-data; boundary=x", "k3y", form(model), 400},
		"file that is none": {"/audio/transcriptions", "multipart/form-data; boundary=x", "k3y", form(model, file+"abc"), 400},
		"file, no model":    {"/audio/transcriptions", "multipart/form-data; boundary=x", "k3y", form(wav), 400},
		"no form":           {"/audio/transcriptions", "text/plain", "k3y", "x", 400},
		"no such path":      {"/audio/songs", "text/plain", "k3y", "x", 404},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+tc.path, strings.NewReader(tc.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", tc.kind)
		if tc.key != "" {
			req.Header.Set("Authorization", "Bearer "+tc.key)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != tc.want {
			t.Errorf("%s: status %d, want %d: %s", name, resp.StatusCode, tc.want, body)
		}
	}
}
