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

const (
	// device is how often a speaker that is not there is looked for.
	device = 200 * time.Millisecond
	// Attempts to open again what played, with twice the pause after each: eight minutes. What never played has fewer.
	attempts, firstAttempts = 13, 2
	firstPause, longPause   = time.Second, time.Minute
	// steady is how much of a stream makes good for the attempts before.
	steady = 20 * time.Second
	// mute is how long a station may send nothing but silence.
	mute = time.Minute
	// block is what is read at a time, in bytes.
	block = 4096
)

// Run plays until ctx ends, and returns nil then.
func (p *Player) Run(ctx context.Context) error {
	defer p.Stop()
	for {
		if job, it, from := p.take(ctx); job != nil {
			p.play(job, it, from)
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-p.bell.C():
		}
	}
}

// job is an item that is played. Its context ends when another one is to be.
type job struct {
	context.Context
	begun *outcome
	tries int
}

// take is what is to be played now, or nil.
func (p *Player) take(ctx context.Context) (*job, media.Item, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil || p.now.State == media.Stopped {
		return nil, media.Item{}, 0
	}
	jctx, end := context.WithCancel(ctx)
	p.end = end
	return &job{Context: jctx, begun: p.begun}, p.queue[p.at], p.from
}

// play plays an item from a place on to its end.
func (p *Player) play(j *job, it media.Item, from time.Duration) {
	for p.ready(j) {
		gen, rate := p.track.Begin(), p.Mixer.Rate()
		err := p.stream(j, it, from, gen, rate)
		heard := time.Duration(p.track.Cut()) * time.Second / time.Duration(max(rate, 1))
		if from += heard; it.Live() {
			from = 0
		}
		p.keep(j, from)
		if j.Err() != nil || errors.Is(err, errResting) || errors.Is(err, audio.ErrNoDevice) {
			continue
		}
		if errors.Is(err, io.EOF) && !it.Live() || errors.Is(err, media.NoSound) && from > 0 {
			p.over(j)
			return
		}
		if !p.again(j, it, err, heard) {
			return
		}
	}
}

// ready waits until an item may be opened: a person wants it to go on, and there is a speaker. Not so: j has ended.
func (p *Player) ready(j *job) bool {
	look := time.NewTicker(device)
	defer look.Stop()
	for j.Err() == nil {
		paused := p.Now().State == media.Paused
		if !paused {
			p.Wake()
			if p.Mixer.Rate() != 0 {
				return true
			}
		}
		select {
		case <-j.Done():
		case <-p.bell.C():
		case <-look.C:
		}
	}
	return false
}

// keep remembers how far an item was heard.
func (p *Player) keep(j *job, from time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun == j.begun {
		p.from, p.loosen = from, nil
	}
}

// again decides whether an item that ended with err is to be opened once more, and waits before.
func (p *Player) again(j *job, it media.Item, err error, heard time.Duration) bool {
	var problem media.Problem
	if !errors.As(err, &problem) { // a stream has no end
		problem = media.Lost
	}
	if heard > steady {
		j.tries = 0
	}
	limit := attempts
	select {
	case <-j.begun.known:
	default:
		limit = firstAttempts
	}
	if j.tries++; problem.Lasting() || j.tries >= limit {
		p.fail(j, it, problem)
		return false
	}
	p.Log.Info("media opened again", "component", "media", "reason", problem)
	select {
	case <-j.Done():
	case <-time.After(min(firstPause<<(j.tries-1), longPause)):
	}
	return true
}

// fail ends what cannot be played.
func (p *Player) fail(j *job, it media.Item, problem media.Problem) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if j.Err() != nil {
		return
	}
	p.Log.Warn("media failed", "component", "media", "reason", problem)
	told := j.tell(problem) && j.begun.waiting > 0
	p.stop()
	if !told {
		p.Failed(it, problem)
	}
}

// tell says whether the item begins, if nobody knows yet; reports whether that was so. mu of the player is held.
func (j *job) tell(err error) bool {
	select {
	case <-j.begun.known:
		return false
	default:
		j.begun.err = err
		close(j.begun.known)
		return true
	}
}

// over goes on with the next item.
func (p *Player) over(j *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case j.Err() != nil:
	case p.at+1 < len(p.queue):
		p.begin(p.at+1, 0)
	default:
		p.from = 0
		p.stop()
	}
}

// stream plays a source until it ends, or is to.
func (p *Player) stream(j *job, it media.Item, from time.Duration, gen audio.Gen, rate int) error {
	ctx, loosen := context.WithCancelCause(j)
	defer loosen(nil)
	p.mu.Lock()
	if p.begun == j.begun {
		p.loosen = loosen
	}
	p.mu.Unlock()
	in, err := p.Source.Open(ctx, it, from, rate, func(title string) { p.titled(j, title) })
	if err != nil {
		return cause(ctx, err)
	}
	err = p.copy(ctx, j, in, gen, rate, it.Live())
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
func (p *Player) copy(ctx context.Context, j *job, in io.Reader, gen audio.Gen, rate int, live bool) error {
	data, samples := make([]byte, block), make([]int16, block/2)
	left, silent := 0, 0
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
			if err := p.track.WriteAll(ctx, gen, some); err != nil {
				return err
			}
		}
		switch {
		case live && silent > int(mute.Seconds())*rate:
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
	j.tell(nil)
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
