package remote

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"hearthd/audio"
	"hearthd/llm/wyoming"
	"hearthd/vad/wake"
)

const (
	// chunkFrames make an audio-chunk: 80 ms, what openWakeWord works on.
	chunkFrames = 4
	perMS       = audio.Rate / 1000

	// restart is the gap after which the server is told that a new stream of audio starts.
	restart = time.Second

	// Wyoming requires no answer to audio, and a word may not be said for days: the answer to
	// describe is what shows that a server is alive.
	beatEvery   = answerTimeout
	sendTimeout = 5 * time.Second

	// maxEvents is how many events in a second are too many. A server sends a few
	// per word.
	maxEvents = 100

	// maxLost is how many frames may be lost between two beats: a server that accepts less than
	// four fifths of the audio finds no more words.
	maxLost = uint64(beatEvery / audio.FrameDuration / 5)
)

// link is one connection that has been greeted. One goroutine runs send, another
// receive.
type link struct {
	spotter  *Spotter
	conn     *wyoming.Conn
	fail     context.CancelCauseFunc // ends both goroutines
	answered chan struct{}           // by an info
	sent     atomic.Int64            // position of the end of what was sent

	// Of send.
	pcm  []byte
	at   audio.Position // of the first sample in pcm
	next audio.Position // of the frame that would continue it
	open bool           // audio-start was sent
}

// send streams the frames, and returns why it ended.
func (l *link) send(ctx context.Context) error {
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	waits, lost := false, l.spotter.dropped.Load()
	for {
		var err error
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-l.answered:
			waits = false
		case p := <-l.spotter.frames:
			err = l.push(ctx, &p)
		case <-beat.C:
			was := lost
			switch lost = l.spotter.dropped.Load(); {
			case waits && len(l.answered) == 0:
				return errSilent
			case lost-was > maxLost:
				return errSlow
			}
			waits = true
			err = l.deliver(ctx, wyoming.Event{Type: "describe"})
		}
		if err != nil {
			return err
		}
	}
}

// push adds a frame to the chunk, and sends it when it is complete. A chunk
// carries its position in milliseconds as its timestamp, which a server repeats
// in a detection: so positions need no table, and outlive frames that were lost.
func (l *link) push(ctx context.Context, p *piece) error {
	if len(l.pcm) > 0 && (p.cut || p.at != l.next) {
		if err := l.flush(ctx); err != nil {
			return err
		}
	}
	if !l.open || p.cut || p.at-l.next > audio.Samples(restart) {
		if err := l.deliver(ctx, stamped(wyoming.AudioStart, p.at, nil)); err != nil {
			return err
		}
		l.open = true
	}
	if len(l.pcm) == 0 {
		l.at = p.at
	}
	for _, v := range p.frame {
		l.pcm = append(l.pcm, byte(v), byte(v>>8))
	}
	l.next = p.at + audio.FrameSamples
	if len(l.pcm) >= chunkFrames*audio.FrameSamples*2 {
		return l.flush(ctx)
	}
	return nil
}

func (l *link) flush(ctx context.Context) error {
	l.sent.Store(int64(l.next)) // before the server can answer
	err := l.deliver(ctx, stamped(wyoming.AudioChunk, l.at, l.pcm))
	l.pcm = l.pcm[:0]
	return err
}

// stamped is an audio event with its position.
func stamped(kind string, at audio.Position, pcm []byte) wyoming.Event {
	f := wyoming.FrameFormat()
	data := fmt.Appendf(nil, `{"rate":%d,"width":%d,"channels":%d,"timestamp":%d}`, f.Rate, f.Width, f.Channels,
		at/perMS)
	return wyoming.Event{Type: kind, Data: data, Payload: pcm}
}

var (
	errSlow  = errors.New("wake server does not keep up with the microphone")
	errStuck = fmt.Errorf("wake server has taken nothing for %v", sendTimeout)
)

func (l *link) deliver(ctx context.Context, e wyoming.Event) error {
	// Ending a Send ends the connection, so its reason must be receive's reason too.
	stuck := time.AfterFunc(sendTimeout, func() { l.fail(errStuck) })
	defer stuck.Stop()
	return l.conn.Send(ctx, e)
}

// receive takes detections, and returns why it ended.
func (l *link) receive(ctx context.Context) error {
	since, events := time.Now(), 0
	for {
		e, err := l.conn.Receive(ctx)
		if err != nil {
			return err
		}
		if now := time.Now(); now.Sub(since) > time.Second {
			since, events = now, 0
		}
		if events++; events > maxEvents {
			return errors.New("wake server sends without end")
		}
		switch e.Type {
		case wyoming.Error:
			return e.Err("")
		case wyoming.Info:
			select {
			case l.answered <- struct{}{}:
			default:
			}
		case wyoming.Detection:
			if err := l.detected(e); err != nil {
				return err
			}
		}
	}
}

// detected passes a detection on. When nobody pushes, the queue fills, and it is
// dropped.
func (l *link) detected(e wyoming.Event) error {
	var data wyoming.Detected
	if err := e.Decode(&data); err != nil {
		return err
	}
	name, ok := l.spotter.name(data.Name)
	if !ok {
		l.spotter.options.Log.Debug("wake server found a word that nobody asked for")
		return nil
	}
	// Without a timestamp, or with one of a clock of its own, it is just now.
	end := audio.Position(l.sent.Load())
	if t := data.Timestamp; t != nil {
		late := float64(end) - (*t*perMS + chunkFrames*audio.FrameSamples)
		if late > 0 && late < maxLate {
			end -= audio.Position(late)
		}
	}
	select {
	case l.spotter.found <- wake.Detection{Name: name, Score: 1, Position: end}:
	default:
	}
	return nil
}

// maxLate bounds how far behind a server may be, in samples: half a minute.
const maxLate = 30 * audio.Rate
