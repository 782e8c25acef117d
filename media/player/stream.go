package player

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"time"

	"hearthd/audio"
	"hearthd/media"
)

// stream plays a source until it ends, or is to.
func (p *Player) stream(ctx context.Context, j *job, gen audio.Gen, rate int) error {
	ctx, loosen := context.WithCancelCause(ctx)
	defer loosen(nil)
	p.mu.Lock()
	if p.begun == j.begun {
		p.loosen = loosen
	}
	p.mu.Unlock()
	in, err := p.Source.Open(ctx, j.item, j.from, rate, func(title string) { p.titled(j, title) })
	if err != nil {
		return cause(ctx, err)
	}
	if j.item.Source != "" { // it may be silent until somebody chooses what it plays
		p.sounds(j)
	}
	err = p.copy(ctx, j, in, gen, rate)
	if closed := in.Close(); closed != nil {
		p.Log.Debug("close source", "component", "media", "error", closed)
	}
	return cause(ctx, err)
}

// cause is why ctx has ended, or else err.
func cause(ctx context.Context, err error) error {
	if c := context.Cause(ctx); c != nil {
		return c
	}
	return err
}

// titled notes what a stream says that it plays.
func (p *Player) titled(j *job, title string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun != j.begun || title == p.now.Title {
		return
	}
	p.now.Title = title
	p.Changed(p.now)
}

// copy passes samples on, and waits at the end until they were heard.
func (p *Player) copy(ctx context.Context, j *job, in io.Reader, gen audio.Gen, rate int) error {
	data, samples := make([]byte, block), make([]int16, block/2)
	left, silent := 0, 0
	pace := pacer{rate: float64(rate), want: int(j.item.Ahead * time.Duration(rate) / time.Second)}
	for {
		n, err := in.Read(data[left:])
		n += left
		for i := range n / 2 {
			samples[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
		}
		left = copy(data, data[n/2*2:n])
		if some := samples[:n/2]; len(some) > 0 {
			if silent += len(some); !allQuiet(some) {
				silent = 0
			}
			p.sounds(j)
			if pace.want > 0 {
				some = pace.fit(some, p.track.Left())
			}
			if err := p.track.WriteAll(ctx, gen, some); err != nil {
				return err
			}
		}
		switch {
		case silent > int(mute.Seconds())*rate:
			return media.Silent
		case errors.Is(err, io.EOF):
			return errors.Join(err, p.track.Drain(ctx, gen))
		case err != nil:
			return err
		}
	}
}

// sounds notes that an item plays.
func (p *Player) sounds(j *job) {
	select {
	case <-j.begun.known: // nearly always
		return
	default:
	}
	p.Wake()
	p.mu.Lock()
	defer p.mu.Unlock()
	if j.tell(nil) && p.begun == j.begun {
		p.skipped = 0
	}
}

// quiet is what a coder makes of silence: two of 32768.
const quiet = 2

func allQuiet(some []int16) bool {
	for _, v := range some {
		if v > quiet || v < -quiet {
			return false
		}
	}
	return true
}
