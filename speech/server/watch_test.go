package server

import (
	"strings"
	"testing"

	"hearthd/llm/wyoming"
)

// ask has a server wait for phrases with these cutoffs.
func ask(t *testing.T, c *wyoming.Conn, cutoffs map[string]float64, names ...string) {
	t.Helper()
	send(t, c, wyoming.Detect, wyoming.Words{Names: names, Context: &wyoming.Context{Cutoffs: cutoffs}})
}

// piece sends two samples at a time of the client's clock.
func piece(t *testing.T, c *wyoming.Conn, ms int, a, b byte) {
	t.Helper()
	e, err := wyoming.NewEvent(wyoming.AudioChunk, map[string]int{"rate": 16000, "width": 2, "channels": 1, "timestamp": ms})
	if err != nil {
		t.Fatal(err)
	}
	e.Payload = []byte{a, 0, b, 0}
	if err := c.Send(t.Context(), e); err != nil {
		t.Fatal(err)
	}
}

func TestPhrasesAreToldAsTheyAreHeard(t *testing.T) {
	address, _ := start(t, &engines{}, DefaultLimits())
	c := dial(t, address)
	ask(t, c, map[string]float64{"hey kitchen": 0.4, "stop it": 0.5, "loud one": 0.9}, "hey kitchen", "stop it", "loud one")
	for _, tc := range []struct {
		name string
		at   float64
	}{{"hey kitchen", 4700}, {"stop it", 9700}} {
		send(t, c, wyoming.AudioStart, wyoming.FrameFormat())
		piece(t, c, 1000, 0, 3)
		piece(t, c, int(tc.at)+300, 0, map[string]byte{"hey kitchen": 1, "stop it": 2}[tc.name])
		var d wyoming.Detected
		e, _ := next(t, c)
		if err := e.Decode(&d); e.Type != wyoming.Detection || d.Name != tc.name || *d.Timestamp != tc.at || err != nil {
			t.Errorf("%s %+v, %v", e.Type, d, err)
		}
		send(t, c, wyoming.AudioStop, nil)
	}
	send(t, c, wyoming.AudioStart, wyoming.FrameFormat())
	piece(t, c, 0, 3, 0)
	send(t, c, wyoming.AudioStop, nil)
	if e, _ := next(t, c); e.Type != wyoming.NotDetected {
		t.Errorf("after silence %s", e.Type)
	}
	// The same connection may ask for something else.
	ask(t, c, map[string]float64{"computer": 0.3}, "computer")
	chunk(t, c, wyoming.FrameFormat(), []byte{1, 0})
	if e, _ := next(t, c); e.Type != wyoming.Detection || !strings.Contains(string(e.Data), "computer") {
		t.Errorf("%s %s", e.Type, e.Data)
	}
	send(t, c, wyoming.Transcribe, nil)
	if e, _ := next(t, c); e.Type != wyoming.TranscriptStart {
		t.Errorf("%s", e.Type)
	}
}

func TestWhatCannotBeWaitedForIsRefused(t *testing.T) {
	address, _ := start(t, &engines{}, DefaultLimits())
	many := make([]string, maxPhrases+1)
	for name, tc := range map[string]struct {
		names  []string
		cutoff float64
		says   string
	}{
		"nothing":     {nil, 0.5, "0 phrases"},
		"too many":    {many, 0.5, "33 phrases"},
		"not tuned":   {[]string{"a"}, 0, "speech tune"},
		"impossible":  {[]string{"a"}, 1, "cutoff of 1"},
		"too long":    {[]string{strings.Repeat("a", maxPhrase+1)}, 0.5, "aaa"},
		"not written": {[]string{"küche"}, 0.5, "cannot write"},
	} {
		c := dial(t, address)
		cutoffs := map[string]float64{}
		for _, n := range tc.names {
			cutoffs[n] = tc.cutoff
		}
		ask(t, c, cutoffs, tc.names...)
		if e, text := next(t, c); e.Type != wyoming.Error || !strings.Contains(text, tc.says) {
			t.Errorf("%s: %s %q", name, e.Type, text)
		}
		send(t, c, "ping", nil) // and the connection is good for others
		if e, _ := next(t, c); e.Type != "pong" {
			t.Errorf("%s: then %s", name, e.Type)
		}
	}
	c := dial(t, address)
	ask(t, c, map[string]float64{"a": 0.5}, "a")
	chunk(t, c, wyoming.Format{Rate: 8000, Width: 2, Channels: 1}, []byte{1, 0})
	if e, text := next(t, c); e.Type != wyoming.Error || !strings.Contains(text, "8000") {
		t.Errorf("%s %q", e.Type, text)
	}
}
