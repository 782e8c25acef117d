package server

import (
	"context"
	"strings"

	"hearthd/audio"
	"hearthd/llm/wyoming"
	"hearthd/speech/shelf"
)

// Bounds of an utterance.
const (
	// maxWhole is what an engine without streaming takes, in samples: Whisper's window is 30 s.
	maxWhole = 29 * audio.Rate
	// maxStreamed is what one with streaming takes.
	maxStreamed = 300 * audio.Rate
	// maxHotWords and maxHotWord bound what a client hopes to hear, the second in bytes.
	maxHotWords = 1000
	maxHotWord  = 100
	// maxText bounds a transcript, in bytes.
	maxText = 16 << 10
)

// hearing is one utterance.
type hearing struct {
	utterance shelf.Utterance
	release   func()
	streaming bool
	samples   int
	odd       []byte // half a sample, of a chunk that was cut in it
	told      string // of the words, in transcript-chunks
}

func (h *hearing) close() {
	h.utterance.Close()
	h.release()
}

// hear handles what belongs to an utterance. transcribe and audio-start may come in either order, and a
// client may send several utterances one after the other.
func (v *visit) hear(ctx context.Context, e wyoming.Event) error {
	if v.deaf && e.Type != wyoming.Transcribe {
		v.deaf = e.Type != wyoming.AudioStop
		return nil
	}
	switch e.Type {
	case wyoming.Transcribe:
		v.deaf, v.request = false, wyoming.Request{}
		if err := decode(e, &v.request); err != nil {
			return err
		}
		// The model is loaded while the person begins to speak.
		return v.open(ctx)
	case wyoming.AudioStart:
		if v.heard != nil && v.heard.samples == 0 {
			return nil
		}
		return v.open(ctx)
	case wyoming.AudioChunk:
		return v.more(ctx, e)
	case wyoming.SoFar:
		return v.soFar(ctx)
	}
	return v.finish(ctx)
}

// open begins an utterance. One that is under way is given up.
func (v *visit) open(ctx context.Context) error {
	if v.heard != nil {
		v.heard.close()
		v.heard = nil
	}
	var words []string
	if c := v.request.Context; c != nil {
		words = plainWords(c.HotWords)
	}
	err := v.s.call(ctx, func() error {
		r, release, err := v.s.opt.Shelf.Recogniser(v.request.Name, v.request.Language)
		if err != nil {
			return err
		}
		u, err := r.Open(words)
		if err != nil {
			release()
			return err
		}
		v.heard = &hearing{utterance: u, release: release, streaming: r.Streaming()}
		return nil
	})
	if err != nil {
		return engine(err)
	}
	return v.tell(ctx, wyoming.TranscriptStart, wyoming.Began{SoFar: true})
}

// plainWords are hot words without what the engine takes for signs of its own.
func plainWords(given []string) (words []string) {
	for _, w := range given[:min(len(given), maxHotWords)] {
		w = strings.Join(strings.FieldsFunc(w, func(r rune) bool { return r < ' ' || strings.ContainsRune(" /:@#", r) }), " ")
		if w != "" && len(w) <= maxHotWord {
			words = append(words, w)
		}
	}
	return words
}

// more takes a piece of the audio.
func (v *visit) more(ctx context.Context, e wyoming.Event) error {
	h := v.heard
	if h == nil {
		return refused("bad-request", "audio comes before audio-start")
	}
	samples, err := h.take(e)
	if err != nil {
		return err
	}
	limit := maxWhole
	if h.streaming {
		limit = maxStreamed
	}
	if h.samples += len(samples); h.samples > limit {
		return refused("too-long", "the utterance is longer than %d s", limit/audio.Rate)
	}
	if !h.streaming {
		h.utterance.Write(samples)
		return nil
	}
	var text string
	err = v.s.call(ctx, func() (err error) {
		h.utterance.Write(samples)
		text, err = h.utterance.Text()
		return err
	})
	if err != nil {
		return engine(err)
	}
	// The last word may still change, or go on.
	if cut := strings.LastIndexByte(text, ' '); cut > 0 {
		return v.partial(ctx, text[:cut])
	}
	return nil
}

// take makes samples of a piece of sound, however the stream was cut.
func (h *hearing) take(e wyoming.Event) ([]int16, error) {
	var f wyoming.Format
	if err := decode(e, &f); err != nil {
		return nil, err
	}
	if f != wyoming.FrameFormat() {
		return nil, refused("format", "audio of %d Hz, %d bytes, %d channels: want %d, 2, 1", f.Rate, f.Width, f.Channels,
			audio.Rate)
	}
	b := append(h.odd, e.Payload...)
	samples := make([]int16, len(b)/2)
	for i := range samples {
		samples[i] = int16(b[2*i]) | int16(b[2*i+1])<<8
	}
	h.odd = append([]byte(nil), b[2*len(samples):]...)
	return samples, nil
}

// partial tells the words that are new in text, unless text takes words back that were told.
func (v *visit) partial(ctx context.Context, text string) error {
	more, ok := strings.CutPrefix(text, v.heard.told)
	if !ok || more == "" {
		return nil
	}
	v.heard.told = text
	return v.tell(ctx, wyoming.TranscriptChunk, wyoming.Text{Text: more})
}

// soFar tells the words up to now.
func (v *visit) soFar(ctx context.Context) error {
	if v.heard == nil {
		return refused("bad-request", "%s comes outside of an utterance", wyoming.SoFar)
	}
	text, err := v.words(ctx, v.heard.utterance.Text)
	if err != nil {
		return err
	}
	return v.tell(ctx, wyoming.SoFar, wyoming.Text{Text: text})
}

// finish tells the words of the utterance, and ends it.
func (v *visit) finish(ctx context.Context) error {
	h := v.heard
	if h == nil {
		return nil // a client that stops twice has nothing to say
	}
	text, err := v.words(ctx, h.utterance.Finish)
	if err != nil {
		return err
	}
	if h.streaming {
		if err := v.partial(ctx, text); err != nil {
			return err
		}
	}
	h.close()
	v.heard = nil
	if err := v.tell(ctx, wyoming.Transcript, wyoming.Text{Text: text}); err != nil {
		return err
	}
	return v.send(ctx, wyoming.Event{Type: wyoming.TranscriptStop})
}

// words has the engine decode.
func (v *visit) words(ctx context.Context, decode func() (string, error)) (text string, err error) {
	err = v.s.call(ctx, func() (err error) {
		text, err = decode()
		return err
	})
	if len(text) > maxText {
		text = ""
		err = refused("engine", "the transcript is too long")
	}
	return strings.ToValidUTF8(text, ""), engine(err)
}
