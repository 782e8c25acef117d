package vad

import (
	"fmt"
	"time"

	"hearthd/audio"
)

// maxPreRoll bounds the memory of a preRoll: 10 s is 320 kB.
const maxPreRoll = 10 * time.Second

// preRoll is a ring of the latest frames with their positions.
type preRoll struct {
	frames []audio.Frame
	at     []audio.Position
	next   int // where the next frame goes
	used   int
}

// newPreRoll returns a ring whose frames cover at least d wherever d begins
// inside a frame.
func newPreRoll(d time.Duration) (*preRoll, error) {
	if d < 0 || d > maxPreRoll {
		return nil, fmt.Errorf("pre-roll %v: want 0 to %v", d, maxPreRoll)
	}
	return ring(1 + int((d+audio.FrameDuration-1)/audio.FrameDuration)), nil
}

func ring(n int) *preRoll {
	return &preRoll{frames: make([]audio.Frame, n), at: make([]audio.Position, n)}
}

// Push copies f, which begins at position at, over the oldest frame.
func (p *preRoll) Push(f *audio.Frame, at audio.Position) {
	p.frames[p.next], p.at[p.next] = *f, at
	if p.next++; p.next == len(p.frames) {
		p.next = 0
	}
	p.used = min(p.used+1, len(p.frames))
}

// each calls fn with every frame that reaches beyond since, oldest first. The
// frame is the ring's own: fn borrows it and does not push.
func (p *preRoll) each(since audio.Position, fn func(f *audio.Frame, at audio.Position)) {
	i := p.next - p.used
	if i < 0 {
		i += len(p.frames)
	}
	for range p.used {
		if p.at[i]+audio.FrameSamples > since {
			fn(&p.frames[i], p.at[i])
		}
		if i++; i == len(p.frames) {
			i = 0
		}
	}
}

// Reset forgets every frame.
func (p *preRoll) Reset() { p.next, p.used = 0, 0 }
