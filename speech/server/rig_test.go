package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"hearthd/audio"
	"hearthd/llm/stt"
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
		{Name: "nose", Kind: model.Keyword, Languages: []string{"en"}},
		{Name: "eye", Kind: model.Speaker, Threshold: 0.7},
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

func (e *engines) Printer() (*model.Manifest, shelf.Printer, func(), error) {
	all, err := e.Models()
	return all[2], eye{e}, e.take(), err
}

func (e *engines) Spotter(phrases []model.Phrase) (shelf.Spotter, func(), error) {
	if phrases[0].Text == "küche" {
		return nil, nil, fmt.Errorf("%w: %q", model.ErrPhrase, phrases[0].Text)
	}
	return nose{e, phrases}, e.take(), nil
}

// nose finds a phrase at each loud sample whose number is that of the phrase, from 1, if its cutoff is not above
// a half.
type nose struct {
	*engines
	phrases []model.Phrase
}

func (n nose) Close() {}
func (n nose) Open() (shelf.Watch, error) {
	return smell{n, n.take()}, n.fails
}

type smell struct {
	nose
	release func()
}

func (n smell) Close() { n.release() }
func (n smell) Write(samples []int16) (heard []string) {
	for _, v := range samples {
		if v > 0 && n.phrases[v-1].Cutoff <= 0.5 {
			heard = append(heard, n.phrases[v-1].Text)
		}
	}
	return heard
}

// eye makes prints of the number of samples and the first of them.
type eye struct{ *engines }

func (eye) Close() {}
func (p eye) Print(samples []int16) ([]float32, error) {
	if len(samples) == 0 {
		return nil, p.fails
	}
	return []float32{float32(len(samples)), float32(samples[0])}, p.fails
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
		t, err := s.(stt.Peeker).Peek(tb.Context(), nil)
		if err == nil {
			return t.Text
		}
		if !errors.Is(err, stt.ErrNoPeek) {
			tb.Fatal(err)
		}
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
