package e2e

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"

	"hearthd/audio"
	"hearthd/llm/tts"
	"hearthd/rigs/testcard"
)

const (
	// noiseAmplitude is a quiet kitchen: about -62 dBFS.
	noiseAmplitude = 45
	// block is what the room writes at a time, 20 ms.
	block = testcard.Rate / 50
)

// Room is the sound in front of the microphone: noise that never ends, and what
// is said into it.
type Room struct {
	Voice  tts.Engine // who speaks
	Silent bool       // the microphone is switched off: it gives nothing but zeros
	Echoes bool       // the microphone hears the speaker

	mu    sync.Mutex
	queue []int16 // still to be heard, at the card's rate
	said  func()  // called when queue has been written
}

// Synthesise speaks text with a Debian voice, at the card's rate.
func (r *Room) Synthesise(ctx context.Context, text string) ([]int16, error) {
	var all []int16
	var conv *audio.Resampler
	for c, err := range r.Voice.Speak(ctx, text) {
		if err != nil {
			return nil, fmt.Errorf("synthesise %q: %w", text, err)
		}
		if conv == nil {
			if conv, err = audio.NewResampler(c.Rate, testcard.Rate); err != nil {
				return nil, err
			}
		}
		all = conv.Process(all, c.Samples)
	}
	if conv == nil {
		return nil, fmt.Errorf("synthesise %q: no sound", text)
	}
	return conv.Flush(all), nil
}

// Clatter is a second of dishes: short, loud clicks.
func Clatter() []int16 {
	rnd := rand.New(rand.NewPCG(1, 2))
	p := make([]int16, testcard.Rate)
	for range 12 {
		at := rnd.IntN(len(p) - 1000)
		amp := 8000 + rnd.Float64()*12000
		for i := range 600 {
			p[at+i] += int16(amp * (rnd.Float64()*2 - 1))
			amp *= 0.99
		}
	}
	return p
}

// Speak puts sound into the room and returns when the card was given all of it.
func (r *Room) Speak(ctx context.Context, sound []int16) error {
	done := make(chan struct{})
	r.mu.Lock()
	r.queue, r.said = sound, func() { close(done) }
	r.mu.Unlock()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Run writes the room into the microphone until w is closed. The card's clock
// paces it.
func (r *Room) Run(w io.Writer) {
	rnd := rand.New(rand.NewPCG(3, 4))
	p := make([]int16, block)
	raw := make([]byte, 2*block)
	for {
		for i := range p {
			p[i] = int16(rnd.IntN(2*noiseAmplitude+1) - noiseAmplitude)
		}
		said := r.take(p)
		if r.Silent {
			clear(p)
		}
		for i, v := range p {
			binary.LittleEndian.PutUint16(raw[2*i:], uint16(v))
		}
		if _, err := w.Write(raw); err != nil {
			return // closed: the demo is over
		}
		if said != nil {
			said()
		}
	}
}

// take adds what is said to p and returns whom to tell that it was all.
func (r *Room) take(p []int16) func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(len(p), len(r.queue))
	for i, v := range r.queue[:n] {
		p[i] = int16(max(min(int32(p[i])+int32(v), 32767), -32768))
	}
	r.queue = r.queue[n:]
	if len(r.queue) > 0 {
		return nil
	}
	said := r.said
	r.said = nil
	return said
}
