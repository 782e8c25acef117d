package server

import (
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"hearthd/llm/wyoming"
)

func TestWordsComeAtAPauseAndAtTheEnd(t *testing.T) {
	for _, streaming := range []bool{false, true} {
		e := &engines{streaming: streaming}
		address, _ := start(t, e, DefaultLimits())
		s := utterance(t, address, "kitchen light", " odd:/words ", strings.Repeat("x", 200), "")
		write(t, s, 2)
		if got := peek(t, s); got != "turn on" {
			t.Errorf("so far %q", got)
		}
		write(t, s, 2)
		if got := peek(t, s); got != "turn on the light" {
			t.Errorf("then %q", got)
		}
		write(t, s, 1)
		if got, err := s.Finish(t.Context()); got.Text != "turn on the light in" || err != nil {
			t.Errorf("at last %q, %v", got.Text, err)
		}
		e.mu.Lock()
		if want := []string{"kitchen light", "odd words"}; !slices.Equal(e.words, want) {
			t.Errorf("hot words %q", e.words)
		}
		e.mu.Unlock()
	}
}

func TestPartialWordsAreStreamedOnceTheyStand(t *testing.T) {
	address, _ := start(t, &engines{streaming: true}, DefaultLimits())
	c := dial(t, address)
	send(t, c, wyoming.Transcribe, wyoming.Request{})
	send(t, c, wyoming.AudioStart, wyoming.FrameFormat())
	second(t, c, 3)
	send(t, c, wyoming.AudioStop, nil)
	var got []string
	for range 5 {
		e, text := next(t, c)
		got = append(got, e.Type+" "+text)
	}
	want := []string{"transcript-start ", "transcript-chunk turn", "transcript-chunk  on", "transcript-chunk  the",
		"transcript turn on the"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestWhatIsRefusedIsToldOnceAndTheConnectionGoesOn(t *testing.T) {
	e := &engines{}
	address, _ := start(t, e, DefaultLimits())
	c := dial(t, address)
	for name, tc := range map[string]struct {
		start wyoming.Request
		audio func()
		want  string
	}{
		"no such model": {wyoming.Request{Name: "nose"}, func() { second(t, c, 2) }, "no-model"},
		"too long":      {wyoming.Request{}, func() { second(t, c, 31) }, "too-long"},
		"format": {wyoming.Request{}, func() {
			chunk(t, c, wyoming.Format{Rate: 44100, Width: 2, Channels: 2}, nil)
		}, "format"},
	} {
		send(t, c, wyoming.Transcribe, tc.start)
		send(t, c, wyoming.AudioStart, wyoming.FrameFormat())
		tc.audio()
		send(t, c, wyoming.AudioStop, nil)
		var told []string
		send(t, c, "ping", nil)
		for {
			ev, _ := next(t, c)
			if ev.Type == "pong" {
				break
			}
			var d wyoming.Complaint
			if err := ev.Decode(&d); err != nil {
				t.Fatal(err)
			}
			if ev.Type == wyoming.Error {
				told = append(told, d.Code)
			}
		}
		if !slices.Equal(told, []string{tc.want}) {
			t.Errorf("%s: told %q", name, told)
		}
	}
	send(t, c, wyoming.Transcribe, wyoming.Request{})
	second(t, c, 2)
	send(t, c, wyoming.AudioStop, nil)
	for {
		if ev, text := next(t, c); ev.Type == wyoming.Transcript {
			if text != "turn on" {
				t.Errorf("afterwards %q", text)
			}
			break
		}
	}
}

func TestGarbageEndsItsOwnConnectionOnly(t *testing.T) {
	address, _ := start(t, &engines{}, DefaultLimits())
	for _, junk := range []string{"GET / HTTP/1.1\r\n\r\n", strings.Repeat("x", 100<<10),
		`{"type":"audio-chunk","payload_length":1e18}` + "\n",
		`{"type":"transcribe","data":{"language":7}}` + "\n"} {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		// What is sent after the server has closed is lost, as it should be.
		_, _ = c.Write([]byte(junk))
		c.Close()
	}
	s := utterance(t, address)
	write(t, s, 2)
	if got, err := s.Finish(t.Context()); got.Text != "turn on" || err != nil {
		t.Errorf("afterwards %q, %v", got.Text, err)
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	limits := DefaultLimits()
	limits.Connections = 2
	address, _ := start(t, &engines{}, limits)
	var held []*wyoming.Conn
	for range 2 {
		c := dial(t, address)
		send(t, c, "ping", nil)
		if e, _ := next(t, c); e.Type != "pong" {
			t.Fatalf("got %s", e.Type)
		}
		held = append(held, c)
	}
	c := dial(t, address)
	if e, text := next(t, c); e.Type != wyoming.Error || text != errFull.text {
		t.Errorf("got %s %q", e.Type, text)
	}
	held[0].Close()
	for { // the server learns of it by and by
		c := dial(t, address)
		send(t, c, "ping", nil)
		if e, _ := next(t, c); e.Type == "pong" {
			break
		}
	}
}

func TestEngineThatFailsIsToldWithoutItsWords(t *testing.T) {
	e := &engines{fails: errors.New("secret of the engine")}
	address, _ := start(t, e, DefaultLimits())
	s := utterance(t, address)
	write(t, s, 1)
	_, err := s.Finish(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the engine failed") || strings.Contains(err.Error(), "secret") {
		t.Errorf("told %v", err)
	}
}

func TestEngineThatHangsEndsTheServer(t *testing.T) {
	limits := DefaultLimits()
	limits.Engine = 50 * time.Millisecond
	e := &engines{hangs: make(chan struct{})}
	address, ended := start(t, e, limits)
	s := utterance(t, address)
	write(t, s, 1)
	if _, err := s.Finish(t.Context()); err == nil {
		t.Error("a transcript of an engine that hangs")
	}
	if err := <-ended; !errors.Is(err, ErrHung) {
		t.Errorf("Run ended with %v", err)
	}
	close(e.hangs)
}

func TestServerEndsWhenNobodyNeedsIt(t *testing.T) {
	limits := DefaultLimits()
	limits.Idle = time.Millisecond
	_, ended := start(t, &engines{}, limits)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestDescribeTellsWhatIsInstalled(t *testing.T) {
	address, _ := start(t, &engines{}, DefaultLimits())
	c := dial(t, address)
	send(t, c, wyoming.Describe, nil)
	e, _ := next(t, c)
	var got info
	if err := e.Decode(&got); err != nil || e.Type != wyoming.Info {
		t.Fatal(e.Type, err)
	}
	if len(got.ASR) != 1 || got.ASR[0].Models[0].Name != "ear" || !*got.ASR[0].TranscriptStreaming ||
		!got.ASR[0].Installed {
		t.Errorf("asr %+v", got.ASR)
	}
	if len(got.Prints) != 1 || got.Prints[0].Models[0].Name != "eye" {
		t.Errorf("prints %+v", got.Prints)
	}
	if len(got.TTS) != 1 || !slices.Equal(got.TTS[0].Voices[0].Speakers, []speaker{{"a"}, {"b"}}) {
		t.Errorf("tts %+v", got.TTS)
	}
}

// BenchmarkDelay tells how long after the last frame of three seconds the words are there, with an engine
// that takes no time: what the server and the protocol add.
func BenchmarkDelay(b *testing.B) {
	address, _ := start(b, &engines{}, DefaultLimits())
	var took []time.Duration
	for b.Loop() {
		s := utterance(b, address)
		write(b, s, 3)
		began := time.Now()
		if _, err := s.Finish(b.Context()); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
		s.Close()
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
}
