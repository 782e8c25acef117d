package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hearthd/audio"
	"hearthd/llm/stt"
	"hearthd/llm/tts"
	"hearthd/llm/wyoming"
	"hearthd/speech/model"
	"hearthd/speech/shelf"
)

// engines is a shelf whose recogniser hears one word for each second, and whose voice makes one sample for
// each letter.
type engines struct {
	streaming bool
	fails     error
	hangs     chan struct{} // unless nil, what Finish waits for

	mu    sync.Mutex
	words []string // hot words of the last utterance
	taken int      // what is not released
	said  []string
}

func (e *engines) Models() ([]*model.Manifest, error) {
	return []*model.Manifest{
		{Name: "ear", Kind: model.Zipformer, Languages: []string{"en"}},
		{Name: "mouth", Kind: model.Piper, Languages: []string{"en"}, Speakers: map[string]int{"b": 1, "a": 0}},
	}, nil
}

func (e *engines) take() func() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.taken++
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.taken--
	}
}

func (e *engines) Recogniser(name, _ string) (shelf.Recogniser, func(), error) {
	if name != "" && name != "ear" {
		return nil, nil, fmt.Errorf("%s: %w", name, shelf.ErrNone)
	}
	return ear{e}, e.take(), nil
}

func (e *engines) Voice(name, _ string) (shelf.Voice, int, func(), error) {
	return mouth{e}, strings.Count(name, "/b"), e.take(), nil
}

type ear struct{ *engines }

func (r ear) Streaming() bool { return r.streaming }
func (r ear) Close()          {}
func (r ear) Open(words []string) (shelf.Utterance, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.words = words
	return &heard{e: r.engines}, nil
}

type heard struct {
	e *engines
	n int
}

func (u *heard) Write(samples []int16) { u.n += len(samples) }
func (u *heard) Close()                {}
func (u *heard) Text() (string, error) {
	all := []string{"turn", "on", "the", "light", "in", "the", "kitchen"}
	return strings.Join(all[:min(u.n/audio.Rate, len(all))], " "), u.e.fails
}
func (u *heard) Finish() (string, error) {
	if u.e.hangs != nil {
		<-u.e.hangs
	}
	return u.Text()
}

type mouth struct{ *engines }

func (m mouth) Rate() int { return 22050 }
func (m mouth) Close()    {}
func (m mouth) Speak(words string, speaker int) ([]int16, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.said = append(m.said, fmt.Sprint(words, speaker))
	return make([]int16, len(words)), m.fails
}

// start serves e until the test ends, and gives the address and what Run ends with.
func start(tb testing.TB, e *engines, limits Limits) (address string, ended <-chan error) {
	tb.Helper()
	s, err := New(Options{Shelf: e, Limits: limits, Version: "1", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		tb.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(tb.Context())
	done, told := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(done)
		told <- s.Run(ctx, l)
	}()
	tb.Cleanup(func() {
		cancel()
		<-done
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.taken != 0 && e.hangs == nil {
			tb.Errorf("%d models are still in use", e.taken)
		}
	})
	return l.Addr().String(), told
}

// utterance is opened at a server by the client that hearthd has.
func utterance(tb testing.TB, address string, words ...string) stt.Stream {
	tb.Helper()
	w, err := stt.NewWyoming(stt.WyomingOptions{Address: address, Language: "en",
		Words: func() []string { return words }})
	if err != nil {
		tb.Fatal(err)
	}
	s, err := w.Open(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Close() })
	return s
}

func write(tb testing.TB, s stt.Stream, seconds int) {
	tb.Helper()
	var f audio.Frame
	for range seconds * audio.Rate / len(f) {
		if err := s.Write(&f); err != nil {
			tb.Fatal(err)
		}
	}
}

// peek asks until the server has said that it can be asked.
func peek(tb testing.TB, s stt.Stream) string {
	tb.Helper()
	for {
		t, err := s.(stt.Peeker).Peek(tb.Context())
		if err == nil {
			return t.Text
		}
		if !errors.Is(err, stt.ErrNoPeek) {
			tb.Fatal(err)
		}
	}
}

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

// dial connects without a client's manners.
func dial(tb testing.TB, address string) *wyoming.Conn {
	tb.Helper()
	c, err := wyoming.Dial(tb.Context(), address, time.Minute)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	return c
}

func send(tb testing.TB, c *wyoming.Conn, kind string, data any) {
	tb.Helper()
	e, err := wyoming.NewEvent(kind, data)
	if err == nil {
		err = c.Send(tb.Context(), e)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// next is the next event, and its text.
func next(tb testing.TB, c *wyoming.Conn) (wyoming.Event, string) {
	tb.Helper()
	e, err := c.Receive(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	var d wyoming.Complaint
	if err := e.Decode(&d); err != nil {
		tb.Fatal(err)
	}
	return e, d.Text
}

func second(tb testing.TB, c *wyoming.Conn, n int) {
	tb.Helper()
	for range n {
		chunk(tb, c, wyoming.FrameFormat(), make([]byte, 2*audio.Rate))
	}
}

func chunk(tb testing.TB, c *wyoming.Conn, f wyoming.Format, payload []byte) {
	tb.Helper()
	if err := c.Send(tb.Context(), f.Event(wyoming.AudioChunk, payload)); err != nil {
		tb.Fatal(err)
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

func TestVoiceSpeaksSentenceBySentence(t *testing.T) {
	e := &engines{}
	address, _ := start(t, e, DefaultLimits())
	w, err := tts.NewWyoming(tts.WyomingOptions{Address: address, Voice: "mouth/b"})
	if err != nil {
		t.Fatal(err)
	}
	samples := 0
	for c, err := range w.Speak(t.Context(), "It is 3.5 degrees. Dr. Low says: stay in!") {
		if err != nil {
			t.Fatal(err)
		}
		if samples += len(c.Samples); c.Rate != 22050 {
			t.Errorf("rate %d", c.Rate)
		}
	}
	want := []string{"It is 3.5 degrees.1", "Dr. Low says: stay in!1"}
	if !slices.Equal(e.said, want) || samples != len(want[0])+len(want[1])-2 {
		t.Errorf("said %q, %d samples", e.said, samples)
	}
}

func TestTextThatStreamsIsSpokenBeforeItsEnd(t *testing.T) {
	e := &engines{}
	address, _ := start(t, e, DefaultLimits())
	c := dial(t, address)
	send(t, c, wyoming.SynthesizeStart, wyoming.Speech{})
	send(t, c, wyoming.SynthesizeChunk, wyoming.Text{Text: "The first sent"})
	send(t, c, wyoming.SynthesizeChunk, wyoming.Text{Text: "ence. And the sec"})
	for _, want := range []string{wyoming.AudioStart, wyoming.AudioChunk} {
		if got, _ := next(t, c); got.Type != want {
			t.Errorf("got %s, want %s", got.Type, want)
		}
	}
	send(t, c, wyoming.SynthesizeChunk, wyoming.Text{Text: "ond"})
	send(t, c, wyoming.Synthesize, wyoming.Speech{Text: "The first sentence. And the second"})
	send(t, c, wyoming.SynthesizeStop, nil)
	for _, want := range []string{wyoming.AudioChunk, wyoming.AudioStop, wyoming.SynthesizeStopped} {
		if got, _ := next(t, c); got.Type != want {
			t.Errorf("got %s, want %s", got.Type, want)
		}
	}
	if want := []string{"The first sentence.0", "And the second0"}; !slices.Equal(e.said, want) {
		t.Errorf("said %q", e.said)
	}
}

func TestLongTextIsCutAtSpaces(t *testing.T) {
	words := strings.Repeat("word ", 100)
	for rest := words; rest != ""; {
		n := sentence(rest)
		if n == 0 {
			break
		}
		if n > maxSentence+1 || rest[n-1] != ' ' {
			t.Fatalf("cut at %d, %q", n, rest[n-1])
		}
		rest = rest[n:]
	}
	if n := sentence(strings.Repeat("ß", 200)); n == 0 || n > maxSentence+2 || n%2 != 0 {
		t.Errorf("a text without spaces is cut at %d", n)
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
