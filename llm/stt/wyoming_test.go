package stt

import (
	"context"
	"errors"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/audio"
	"hearthd/llm"
	"hearthd/rigs/llmtest"
)

// speak opens an utterance of n frames on e; sample i of frame j is 1000*j+i.
func speak(t *testing.T, ctx context.Context, e Engine, n int) (Stream, []int16) {
	t.Helper()
	s, err := e.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	var all []int16
	for j := range n {
		var f audio.Frame
		for i := range f {
			f[i] = int16(1000*j + i)
		}
		if err := s.Write(&f); err != nil {
			t.Fatal(err)
		}
		all = append(all, f[:]...)
		clear(f[:]) // the frame was only borrowed
	}
	return s, all
}

func newWyoming(t *testing.T, o WyomingOptions) *Wyoming {
	t.Helper()
	e, err := NewWyoming(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// patience is short where a test waits for it to end, and otherwise long enough
// for a busy machine.
func patience(want string) time.Duration {
	if strings.Contains(want, "in time") {
		return 50 * time.Millisecond
	}
	return time.Minute
}

func samples(b []byte) []int16 {
	var out []int16
	for i := 0; i+1 < len(b); i += 2 {
		out = append(out, int16(b[i])|int16(b[i+1])<<8)
	}
	return out
}

func TestWyomingSendsTheUtteranceAndGetsItsTranscript(t *testing.T) {
	for name, start := range map[string]func(testing.TB, llmtest.WyomingScript) *llmtest.Wyoming{
		"tcp": llmtest.NewWyoming, "unix": llmtest.NewWyomingUnix,
	} {
		t.Run(name, func(t *testing.T) {
			server := start(t, llmtest.WyomingScript{Transcript: " Set a timer\n for ten minutes. "})
			e := newWyoming(t, WyomingOptions{Address: server.Address, Language: "en", Model: "tiny"})
			s, said := speak(t, t.Context(), e, 60)
			got, err := s.Finish(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(llm.Transcript{Text: "Set a timer for ten minutes."}, got); d != "" {
				t.Error(d)
			}
			r := server.Requests()
			if len(r) != 1 {
				t.Fatalf("%d requests", len(r))
			}
			want := map[string]any{"language": "en", "name": "tiny", "context": map[string]any{"so_far": true}}
			if d := cmp.Diff(want, r[0].Data); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(said, samples(r[0].Audio)); d != "" {
				t.Error("the audio arrived changed:", d)
			}
			if err := s.Write(&audio.Frame{}); err != nil {
				t.Errorf("write after the transcript: %v", err)
			}
		})
	}
}

func TestWyomingTakesStreamedAndEarlyTranscripts(t *testing.T) {
	for name, script := range map[string]llmtest.WyomingScript{
		"pieces and whole": {Pieces: []string{"what ", "time"}, Transcript: "what time is it"},
		"pieces only":      {Pieces: []string{"what ", "time ", "is it"}, NoFinal: true},
		"before the end":   {Early: true, Transcript: "what time is it"},
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.NewWyoming(t, script)
			s, _ := speak(t, t.Context(), newWyoming(t, WyomingOptions{Address: server.Address}), 1)
			got, err := s.Finish(t.Context())
			if err != nil || got.Text != "what time is it" {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestWyomingCutsOffPeersThatMisbehave(t *testing.T) {
	for name, tc := range map[string]struct {
		script llmtest.WyomingScript
		want   string
	}{
		"says nothing":    {llmtest.WyomingScript{Fault: llmtest.WyomingSilent}, "no transcript in time"},
		"reads nothing":   {llmtest.WyomingScript{Fault: llmtest.WyomingDeaf}, "no transcript in time"},
		"chatters":        {llmtest.WyomingScript{Fault: llmtest.WyomingChatters}, "no transcript in time"},
		"closes":          {llmtest.WyomingScript{Fault: llmtest.WyomingCloses}, ""}, // EOF or reset
		"closes midway":   {llmtest.WyomingScript{Fault: llmtest.WyomingClosesMidway}, ""},
		"endless line":    {llmtest.WyomingScript{Fault: llmtest.WyomingEndlessLine}, "longer than"},
		"negative length": {llmtest.WyomingScript{Fault: llmtest.WyomingNegativeLength}, "length -1"},
		"huge length":     {llmtest.WyomingScript{Fault: llmtest.WyomingHugeLength}, "length 1099511627776"},
		"complains":       {llmtest.WyomingScript{Fault: llmtest.WyomingComplains}, "cannot do"},
		"endless text":    {llmtest.WyomingScript{Transcript: strings.Repeat("a", 5000)}, "limit"},
		"endless text bits": {llmtest.WyomingScript{Pieces: []string{strings.Repeat("a", 3000),
			strings.Repeat("b", 3000)}}, "longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.NewWyoming(t, tc.script)
			e := newWyoming(t, WyomingOptions{Address: server.Address})
			e.timeout = patience(tc.want)
			s, err := e.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			got, err := s.Finish(t.Context())
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %+v, %v, want an error with %q", got, err, tc.want)
			}
			if err := s.Write(&audio.Frame{}); err == nil {
				t.Error("a broken utterance takes more audio")
			}
		})
	}
}

func TestWyomingWriteNeverWaitsForAPeerThatDoesNotRead(t *testing.T) {
	server := llmtest.NewWyoming(t, llmtest.WyomingScript{Fault: llmtest.WyomingDeaf})
	s, err := newWyoming(t, WyomingOptions{Address: server.Address}).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var f audio.Frame
	for range 1 << 20 { // more than the network buffers
		if err = s.Write(&f); err != nil {
			break
		}
	}
	if err == nil {
		t.Fatal("the queue has no bound")
	}
	if _, again := s.Finish(t.Context()); again != err {
		t.Errorf("finish: %v, want %v", again, err)
	}
}

func TestWyomingEndsWithEitherContextAndWithClose(t *testing.T) {
	server := llmtest.NewWyoming(t, llmtest.WyomingScript{Fault: llmtest.WyomingSilent})
	e := newWyoming(t, WyomingOptions{Address: server.Address})
	ended, cancel := context.WithCancel(t.Context())
	cancel()

	s, _ := speak(t, t.Context(), e, 1)
	if _, err := s.Finish(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("finish: %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	s, _ = speak(t, ctx, e, 1)
	cancel()
	if _, err := s.Finish(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("utterance: %v", err)
	}

	s, _ = speak(t, t.Context(), e, 1)
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Finish(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("closed: %v", err)
	}
	if _, err := e.Open(ended); err == nil {
		t.Error("an ended context opened an utterance")
	}
}

func TestWyomingNamesAPeerThatIsNotThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	_, err = newWyoming(t, WyomingOptions{Address: l.Addr().String()}).Open(t.Context())
	if err == nil || !strings.Contains(err.Error(), l.Addr().String()) {
		t.Errorf("got %v", err)
	}
	if _, err := NewWyoming(WyomingOptions{Address: "whisper"}); err == nil {
		t.Error("an address without port was accepted")
	}
}

// settled waits until no more goroutines run than before.
func settled(t *testing.T, before int) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		runtime.Gosched()
	}
}

func TestGoroutinesReturnAfterAnUtterance(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, fault := range []llmtest.WyomingFault{llmtest.WyomingGood, llmtest.WyomingSilent, llmtest.WyomingCloses} {
		server := llmtest.NewWyoming(t, llmtest.WyomingScript{Fault: fault})
		e := newWyoming(t, WyomingOptions{Address: server.Address})
		e.timeout = time.Millisecond
		s, err := e.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.Finish(t.Context())
		s.Close()
		server.Close()
	}
	for _, fault := range []llmtest.SpeechFault{llmtest.SpeechGood, llmtest.SpeechStalls, llmtest.SpeechCloses} {
		server := llmtest.NewSpeech(t, llmtest.SpeechScript{Fault: fault})
		e := newOpenAI(t, OpenAIOptions{BaseURL: server.URL, Model: "test"})
		e.timeout = 20 * time.Millisecond
		s, _ := speak(t, t.Context(), e, 1)
		s.Finish(t.Context())
		s.Close()
		server.Close()
	}
	settled(t, before)
}
