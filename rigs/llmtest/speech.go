package llmtest

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// SpeechFault is a way to misbehave at a request that is in order.
type SpeechFault int

// The faults.
const (
	SpeechGood    SpeechFault = iota
	SpeechSilent              // answer nothing until the client leaves
	SpeechStalls              // begin to answer, then send nothing more
	SpeechCloses              // close the connection inside the answer
	SpeechEndless             // answer without end
	SpeechBroken              // status 500 with a page that repeats the request
	SpeechMoves               // redirect to another place
)

// SpeechScript is what a server does.
type SpeechScript struct {
	Fault SpeechFault
	Key   string // required as bearer token unless empty

	Transcript string
	PlainText  bool // answer the transcript as text whatever was asked for

	Rate   int      // of the speech
	Speech [][]byte // PCM as it is sent, piece by piece
}

// Speech is a server with OpenAI's /v1/audio/transcriptions and
// /v1/audio/speech. It knows the model "test" and the voice "anna". It refuses
// what OpenAI refuses, with the same status and shape of error; of the audio
// formats it has pcm and wav.
type Speech struct {
	URL string // up to and with /v1

	script SpeechScript
	server *httptest.Server
	mu     sync.Mutex
	asked  []SpeechRequest
}

// SpeechRequest is a request that was in order.
type SpeechRequest struct {
	Path     string
	Language string
	Prompt   string
	Format   string
	File     []byte // of a transcription
	Input    string // of speech
}

// NewSpeech starts a server that is closed when the test ends.
func NewSpeech(tb testing.TB, script SpeechScript) *Speech {
	s := &Speech{script: script}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/audio/transcriptions", s.guarded(s.transcribe))
	mux.HandleFunc("POST /v1/audio/speech", s.guarded(s.speak))
	s.server = httptest.NewServer(mux)
	tb.Cleanup(s.Close)
	s.URL = s.server.URL + "/v1"
	return s
}

// Close ends the server and waits for its requests.
func (s *Speech) Close() { s.server.Close() }

// Requests returns those that were in order so far.
func (s *Speech) Requests() []SpeechRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func (s *Speech) record(r SpeechRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r)
}

func refuse(w http.ResponseWriter, status int, code any, message string, args ...any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
		"message": fmt.Sprintf(message, args...), "type": "invalid_request_error", "param": nil, "code": code,
	}})
}

// guarded refuses a wrong key; like OpenAI, it repeats it.
func (s *Speech) guarded(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); s.script.Key != "" && got != "Bearer "+s.script.Key {
			refuse(w, http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided: %s.", got)
			return
		}
		next(w, r)
	}
}

func (s *Speech) transcribe(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseMultipartForm(8 << 20); err != nil {
		refuse(w, http.StatusBadRequest, nil, "Could not parse multipart form")
		return
	}
	defer r.MultipartForm.RemoveAll()
	file, _, err := r.FormFile("file")
	if err != nil {
		refuse(w, http.StatusBadRequest, nil, "Missing required parameter: 'file'.")
		return
	}
	wav, err := io.ReadAll(file)
	if err != nil || len(wav) < 44 || string(wav[:4]) != "RIFF" || string(wav[8:12]) != "WAVE" {
		refuse(w, http.StatusBadRequest, nil, "Invalid file format.")
		return
	}
	if !s.model(w, r.FormValue("model")) {
		return
	}
	s.record(SpeechRequest{
		Path: r.URL.Path, Language: r.FormValue("language"), Prompt: r.FormValue("prompt"),
		Format: r.FormValue("response_format"), File: wav,
	})
	if s.misbehave(w, r, []byte(`{"text":"`), []byte("more and more "), s.script.Transcript) {
		return
	}
	if s.script.PlainText || r.FormValue("response_format") == "text" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, s.script.Transcript+"\n")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]string{"text": s.script.Transcript})
}

func (s *Speech) model(w http.ResponseWriter, name string) bool {
	switch name {
	case "test":
		return true
	case "":
		refuse(w, http.StatusBadRequest, nil, "you must provide a model parameter")
	default:
		refuse(w, http.StatusNotFound, "model_not_found", "The model `%s` does not exist or you do not have access to it.",
			name)
	}
	return false
}

func (s *Speech) speak(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Model, Input, Voice string
		Format              string `json:"response_format"`
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		refuse(w, http.StatusBadRequest, nil, "We could not parse the JSON body of your request.")
		return
	}
	if !s.model(w, q.Model) {
		return
	}
	switch {
	case q.Input == "" || len(q.Input) > 4096:
		refuse(w, http.StatusBadRequest, nil, "input: string should have 1 to 4096 characters")
		return
	case q.Voice != "anna":
		refuse(w, http.StatusBadRequest, nil, "no voice %q to say %q", q.Voice, q.Input)
		return
	case q.Format != "pcm" && q.Format != "wav":
		refuse(w, http.StatusBadRequest, nil, "response_format: %q", q.Format)
		return
	}
	s.record(SpeechRequest{Path: r.URL.Path, Format: q.Format, Input: q.Input})
	begin := []byte{}
	if q.Format == "wav" {
		begin = streamedWAVHeader(s.script.Rate)
	}
	if s.misbehave(w, r, append(slices.Clone(begin), 1, 0, 2), make([]byte, 4096), q.Input) {
		return
	}
	w.Header().Set("Content-Type", "audio/"+q.Format)
	w.Write(begin)
	for _, b := range s.script.Speech {
		w.Write(b)
		w.(http.Flusher).Flush()
	}
}

// misbehave does what the script's fault says and tells if it did. An answer
// that goes wrong starts with begin; an endless one goes on with more.
func (s *Speech) misbehave(w http.ResponseWriter, r *http.Request, begin, more []byte, said string) bool {
	switch s.script.Fault {
	case SpeechGood:
		return false
	case SpeechBroken:
		http.Error(w, "<html>internal error at "+said+r.Header.Get("Authorization"), http.StatusInternalServerError)
		return true
	case SpeechMoves:
		http.Redirect(w, r, "http://127.0.0.1:9/elsewhere", http.StatusTemporaryRedirect)
		return true
	case SpeechSilent:
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		return true
	}
	w.Write(begin)
	w.(http.Flusher).Flush()
	switch s.script.Fault {
	case SpeechStalls:
		<-r.Context().Done()
	case SpeechCloses:
		panic(http.ErrAbortHandler)
	case SpeechEndless:
		for {
			if _, err := w.Write(more); err != nil {
				break
			}
		}
	}
	return true
}

// streamedWAVHeader is what OpenAI sends before it knows the length.
func streamedWAVHeader(rate int) []byte {
	b := []byte("RIFF\xff\xff\xff\xffWAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00")
	b = binary.LittleEndian.AppendUint32(b, uint32(rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(2*rate))
	return append(b, "\x02\x00\x10\x00data\xff\xff\xff\xff"...)
}
