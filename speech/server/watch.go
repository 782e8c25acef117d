package server

import (
	"context"
	"time"

	"hearthd/audio"
	"hearthd/llm/wyoming"
	"hearthd/speech/model"
	"hearthd/speech/shelf"
)

const (
	// maxPhrases and maxPhrase bound what a client waits for, the second in bytes.
	maxPhrases = 32
	maxPhrase  = 64
	// behind is how long before the end of what was given to it an engine finds that a phrase has ended, in the
	// middle: a model of sherpa-onnx looks 130 ms ahead and decodes 320 ms at a time, and two frames of nothing have to
	// follow.
	behind = 300 * time.Millisecond
)

// watching is a client that waits for phrases, in the sound that it sends.
type watching struct {
	spotter shelf.Spotter
	release func()
	watch   shelf.Watch // nil between streams of audio
	odd     hearing     // takes payloads apart
	heard   bool        // a phrase, in this stream
}

func (w *watching) close() {
	if w.watch != nil {
		w.watch.Close()
		w.watch = nil
	}
}

// unwatch ends the waiting for phrases.
func (v *visit) unwatch() {
	if v.watched != nil {
		v.watched.close()
		v.watched.release()
		v.watched = nil
	}
}

// detect loads what waits for the phrases that a client names.
func (v *visit) detect(ctx context.Context, e wyoming.Event) error {
	var want wyoming.Words
	if err := decode(e, &want); err != nil {
		return err
	}
	v.end()
	v.deaf = false
	if len(want.Names) == 0 || len(want.Names) > maxPhrases {
		return refused("bad-request", "wait for %d phrases: want 1 to %d", len(want.Names), maxPhrases)
	}
	var phrases []model.Phrase
	for _, name := range want.Names {
		p := model.Phrase{Text: name}
		if want.Context != nil {
			p.Cutoff = want.Context.Cutoffs[name]
		}
		if len(name) > maxPhrase || !(p.Cutoff >= 0 && p.Cutoff < 1) {
			return refused("bad-request", "wait for %.80q with a cutoff of %g", name, p.Cutoff)
		}
		if p.Cutoff == 0 {
			return refused("bad-request", "%q has no cutoff yet; hearthctl speech tune finds the right one", name)
		}
		phrases = append(phrases, p)
	}
	return engine(v.s.call(ctx, func() error {
		s, release, err := v.s.opt.Shelf.Spotter(phrases)
		if err != nil {
			return err
		}
		v.watched = &watching{spotter: s, release: release}
		return nil
	}))
}

// listen takes sound in which phrases are waited for.
func (v *visit) listen(ctx context.Context, e wyoming.Event) error {
	w := v.watched
	switch {
	case e.Type == wyoming.AudioStart:
		w.close()
		w.odd, w.heard = hearing{}, false
		return nil
	case e.Type == wyoming.AudioStop && !w.heard:
		w.close()
		return v.send(ctx, wyoming.Event{Type: wyoming.NotDetected})
	case e.Type == wyoming.AudioStop:
		w.close()
		return nil
	}
	var chunk struct {
		Timestamp *float64 `json:"timestamp"` // ms, in the clock of the client
	}
	if err := decode(e, &chunk); err != nil {
		return err
	}
	samples, err := w.odd.take(e)
	if err != nil {
		return err
	}
	if len(samples) > maxWhole {
		return refused("too-long", "a piece of sound is longer than %d s", maxWhole/audio.Rate)
	}
	var heard []string
	// It takes a hundredth of real time, and waits for no place: sound that is given late is lost.
	err = v.s.timed(func() (err error) {
		if w.watch == nil {
			w.watch, err = w.spotter.Open()
		}
		if err == nil {
			heard = w.watch.Write(samples)
		}
		return err
	})
	if err != nil {
		return engine(err)
	}
	for _, name := range heard {
		w.heard = true
		told := wyoming.Detected{Name: name}
		if chunk.Timestamp != nil {
			at := *chunk.Timestamp - float64(behind.Milliseconds())
			told.Timestamp = &at
		}
		if err := v.tell(ctx, wyoming.Detection, told); err != nil {
			return err
		}
	}
	return nil
}
