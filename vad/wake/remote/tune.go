package remote

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"hearthd/audio"
	"hearthd/llm/wyoming"
)

const (
	// The cutoffs that are tried, in hundredths: the first is sherpa-onnx's own, and a phrase that still is heard at
	// the last one is of no use.
	firstCutoff, cutoffStep, lastCutoff = 25, 5, 90
	// tail is how much silence is sent after talk, in samples: a server looks ahead.
	tail = audio.Rate
	// tuneLimit is for a model to be loaded, and to hear what somebody said in one breath.
	tuneLimit = 2 * time.Minute
)

// ErrCommon says that a phrase is heard in talk however sure the server has to be.
var ErrCommon = errors.New("people say what sounds like it; choose a longer one, or one that nobody says")

// Talk is somebody speaking, who does not say the phrase.
type Talk struct {
	Samples []int16       // at audio.Rate
	Speech  time.Duration // of it: pauses are no talk
}

// Tuned is how far Tune has come.
type Tuned struct {
	Talk   time.Duration
	Cutoff float64
	Alarms int // how often talk was taken for the phrase
}

// Tune finds how sure a server has to be of a phrase so that it hears it nowhere in so much talk. It goes on from the
// lowest cutoff to the next one with each false alarm, and when there was one, takes one more at the end. tell is
// called after each piece of talk. Without enough talk the error says how much there was.
func Tune(ctx context.Context, address, phrase string, want time.Duration, talk iter.Seq2[Talk, error],
	tell func(Tuned)) (Tuned, error) {
	t := &tuner{address: address, phrase: phrase}
	defer t.end()
	cutoff, now := firstCutoff, Tuned{}
	for piece, err := range talk {
		if err != nil {
			return now, err
		}
		for {
			now.Cutoff = float64(cutoff) / 100
			alarm, err := t.hears(ctx, now.Cutoff, piece.Samples)
			if err != nil {
				return now, fmt.Errorf("tune %q: %w", phrase, err)
			}
			if !alarm {
				break
			}
			now.Alarms++
			if cutoff += cutoffStep; cutoff > lastCutoff {
				return now, fmt.Errorf("tune %q: %w", phrase, ErrCommon)
			}
		}
		now.Talk += piece.Speech
		tell(now)
		if now.Talk >= want {
			if now.Alarms > 0 {
				now.Cutoff = float64(cutoff+cutoffStep) / 100
			}
			return now, nil
		}
	}
	return now, fmt.Errorf("tune %q: there were %v of talk, and %v are needed", phrase, now.Talk.Round(time.Second), want)
}

// tuner asks a server whether it hears a phrase.
type tuner struct {
	address, phrase string
	conn            *wyoming.Conn // nil: none yet
	cutoff          float64       // that it was told
}

func (t *tuner) end() {
	if t.conn != nil {
		_ = t.conn.Close() // what it would still say does not matter
		t.conn = nil
	}
}

func (t *tuner) hears(ctx context.Context, cutoff float64, samples []int16) (bool, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, tuneLimit, errSilent)
	defer cancel()
	if t.conn == nil || t.cutoff != cutoff {
		t.end()
		conn, err := wyoming.Dial(ctx, t.address, dialTimeout)
		if err != nil {
			return false, err
		}
		t.conn, t.cutoff = conn, cutoff
		words, err := wyoming.NewEvent(wyoming.Detect, wyoming.Words{Names: []string{t.phrase},
			Context: &wyoming.Context{Cutoffs: map[string]float64{t.phrase: cutoff}}})
		if err == nil {
			err = conn.Send(ctx, words)
		}
		if err != nil {
			return false, err
		}
	}
	format := wyoming.FrameFormat()
	events := []wyoming.Event{format.Event(wyoming.AudioStart, nil)}
	rest := append(samples[:len(samples):len(samples)], make([]int16, tail)...)
	for len(rest) > 0 {
		n := min(len(rest), audio.Rate)
		pcm := make([]byte, 0, 2*n)
		for _, v := range rest[:n] {
			pcm = append(pcm, byte(v), byte(v>>8))
		}
		events, rest = append(events, format.Event(wyoming.AudioChunk, pcm)), rest[n:]
	}
	if err := t.conn.Send(ctx, append(events, wyoming.Event{Type: wyoming.AudioStop},
		wyoming.Event{Type: "ping"})...); err != nil {
		return false, err
	}
	return t.answer(ctx)
}

// answer waits until the server has heard everything.
func (t *tuner) answer(ctx context.Context) (heard bool, err error) {
	for {
		e, err := t.conn.Receive(ctx)
		switch {
		case err != nil:
			return false, err
		case e.Type == wyoming.Error:
			return false, e.Err("")
		case e.Type == wyoming.Detection:
			heard = true
		case e.Type == "pong":
			return heard, nil
		}
	}
}
