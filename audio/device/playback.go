package device

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/gen2brain/malgo"

	"hearthd/audio"
)

const (
	// playbackPeriod and playbackPeriods limit what has been mixed and not yet heard to 25 ms: four
	// periods in the card and one being mixed. A barge-in has to be silent within 60 ms, and every
	// answer begins that much later.
	playbackPeriod  = 5 * time.Millisecond
	playbackPeriods = 4

	// nowhere is ALSA's device for a machine without a speaker.
	nowhere = "null"
)

// mixer is what Playback plays.
type mixer interface {
	// Mix fills all of out with mono samples at the rate that was set. It is
	// called on the device thread and must not block.
	Mix(out []int16)
	// SetRate tells the card's rate before the first Mix, and 0 after the last.
	SetRate(hz int)
	// SetLatency says how many samples are between a Mix and the speaker.
	SetLatency(samples int)
	// Waiting reports whether there is something to play, or to be heard. Any goroutine may ask.
	Waiting() bool
}

// PlaybackOptions are the options of NewPlayback.
type PlaybackOptions struct {
	Device string // ALSA name; empty means "default"
	// IdleAfter is the silence after which the device rests until Wake, which
	// saves more CPU time than capture costs. 0 means never: some displays and
	// amplifiers swallow the first second after a rest.
	IdleAfter time.Duration
	// Resting is called by Run when the device has come to rest, and before it runs
	// again; may be nil; must not block.
	Resting func(bool)
	Mixer   mixer
	Log     *slog.Logger
	Changed func(Status) // called by Run at each change; may be nil; must not block
}

// Playback is a speaker: it plays a mixer on an ALSA device of any rate and
// width, the same on every channel.
type Playback struct {
	line      *line
	mixer     mixer
	idleAfter time.Duration
}

// NewPlayback checks the options; Run opens the device.
func NewPlayback(o PlaybackOptions) (*Playback, error) {
	if o.Mixer == nil {
		return nil, errors.New("open playback: no mixer")
	}
	if o.IdleAfter < 0 || o.IdleAfter > time.Hour {
		return nil, fmt.Errorf("open playback: rest after %v is not within 0..1h", o.IdleAfter)
	}
	l, err := newLine(malgo.Playback, o.Device, playbackPeriod, o.Log, o.Changed)
	if err != nil {
		return nil, err
	}
	p := &Playback{line: l, mixer: o.Mixer, idleAfter: o.IdleAfter}
	l.user, l.periods, l.waiting = p, playbackPeriods, o.Mixer.Waiting
	if o.Resting != nil {
		l.resting = o.Resting
	}
	return p, nil
}

// Run keeps the device open until ctx ends, and then closes it and returns nil.
// An absent or broken device is no error; a driver that does not return is one.
func (p *Playback) Run(ctx context.Context) error { return p.line.run(ctx) }

// Wake lets a device that rests run again, because the mixer has something to
// play or will have within IdleAfter. It never blocks and may be called from any
// goroutine; without IdleAfter it does nothing.
func (p *Playback) Wake() { p.line.wake.Ring() }

// opened tells the mixer what it mixes for.
func (p *Playback) opened(card format) (func(out, in []byte, frames int), error) {
	if card.buffer > card.rate {
		return nil, fmt.Errorf("card buffers %d samples at %d Hz", card.buffer, card.rate)
	}
	// The card's buffer is full when a block has been written, so the next block
	// is heard after all of it.
	p.mixer.SetLatency(card.buffer)
	p.mixer.SetRate(card.rate)
	s := speaker{
		mixer: p.mixer, channels: card.channels, mono: make([]int16, maxBlock),
		idle: p.line.idle, idleAfter: int(p.idleAfter.Seconds() * float64(card.rate)),
	}
	if p.line.name == nowhere {
		return inTime(s.play, card), nil
	}
	return s.play, nil
}

// inTime makes ALSA's null, which takes sound as fast as it comes, take as long as a card: what is
// played there would be over at once, or keep a processor busy.
func inTime(play func(out, in []byte, frames int), card format) func(out, in []byte, frames int) {
	samples := func(n int) time.Duration { return time.Duration(n) * time.Second / time.Duration(card.rate) }
	var due time.Time
	return func(out, in []byte, frames int) {
		play(out, in, frames)
		now := time.Now()
		if now.Sub(due) > samples(card.buffer) { // it rested, or was held up
			due = now
		}
		due = due.Add(samples(frames))
		time.Sleep(due.Sub(now))
	}
}

// closed tells the mixer that nothing is heard any more.
func (p *Playback) closed() { p.mixer.SetRate(0) }

// speaker is the device thread's part of a Playback, for one opening.
type speaker struct {
	mixer    mixer
	channels int
	mono     []int16

	idle      audio.Doorbell
	idleAfter int // sample frames; 0 is never
	silent    int // sample frames of silence in a row
}

// play runs on the device thread.
func (s *speaker) play(out, _ []byte, frames int) {
	for frames > 0 {
		n := min(frames, len(s.mono))
		s.mixer.Mix(s.mono[:n])
		upmix(out, s.mono[:n], s.channels)
		s.listen(s.mono[:n])
		out, frames = out[n*s.channels*2:], frames-n
	}
}

// listen rings once for each stretch of silence that is long enough.
func (s *speaker) listen(mono []int16) {
	if s.idleAfter == 0 {
		return
	}
	for _, v := range mono {
		if v != 0 {
			s.silent = 0
			return
		}
	}
	s.silent += len(mono)
	if s.silent >= s.idleAfter {
		s.silent = 0
		s.idle.Ring()
	}
}
