package player

import (
	"context"
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
	// maxSkipped is how many items one after the other may fail to play.
	maxSkipped = 5
	// mute is how long an item may be nothing but silence.
	mute = time.Minute
	// block is what is read at a time, in bytes.
	block = 4096
)

// Run plays until ctx ends, and returns nil then.
func (p *Player) Run(ctx context.Context) error {
	defer p.Stop()
	for {
		if jctx, j := p.take(ctx); j != nil {
			p.play(jctx, j)
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-p.bell.C():
		}
	}
}

// job is an item that is played.
type job struct {
	item  media.Item
	from  time.Duration // place that was heard
	begun *outcome
	tries int
}

// take is what is to be played now, or nil, and the time that there is for it.
func (p *Player) take(ctx context.Context) (context.Context, *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil || p.now.State == media.Stopped {
		return ctx, nil
	}
	ctx, p.end = context.WithCancel(ctx)
	return ctx, &job{item: p.queue[p.at], from: p.from, begun: p.begun}
}

// play plays an item to its end, or until ctx ends.
func (p *Player) play(ctx context.Context, j *job) {
	for p.ready(ctx) {
		gen, rate := p.begins(j)
		err := p.stream(ctx, j, gen, rate)
		heard := samples(p.track.Cut(), max(rate, 1))
		live := j.item.Live()
		if !live {
			j.from += heard
		}
		p.keep(j)
		if ctx.Err() != nil || errors.Is(err, errResting) || errors.Is(err, audio.ErrNoDevice) {
			continue
		}
		if errors.Is(err, io.EOF) && !live || errors.Is(err, media.NoSound) && j.from > 0 {
			p.over(ctx)
			return
		}
		if !p.again(ctx, j, err, heard) {
			return
		}
	}
}

// begins opens a generation of samples for an item, at a rate.
func (p *Player) begins(j *job) (gen audio.Gen, rate int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	gen, p.rate = p.track.Begin(), p.Mixer.Rate()
	p.heard = j.begun
	return gen, p.rate
}

// ready waits until an item may be opened: a person wants it to go on, and there is a speaker. Not so: ctx has ended.
func (p *Player) ready(ctx context.Context) bool {
	look := time.NewTicker(device)
	defer look.Stop()
	for ctx.Err() == nil {
		paused := p.Now().State == media.Paused
		if !paused {
			p.Wake()
			if p.Mixer.Rate() != 0 {
				return ctx.Err() == nil // what plays now may be something else
			}
		}
		select {
		case <-ctx.Done():
		case <-p.bell.C():
		case <-look.C:
		}
	}
	return false
}

// keep remembers how far an item was heard.
func (p *Player) keep(j *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun == j.begun {
		p.from, p.loosen, p.heard = j.from, nil, nil
	}
}

// again decides whether an item that ended with err is to be opened once more, and waits before.
func (p *Player) again(ctx context.Context, j *job, err error, heard time.Duration) bool {
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
	if j.item.Path != "" {
		limit = 1 // it stays as it is
	}
	if j.tries++; problem.Lasting() || j.tries >= limit {
		p.fail(ctx, j, problem)
		return false
	}
	p.Log.Info("media opened again", "component", "media", "reason", problem)
	select {
	case <-ctx.Done():
	case <-time.After(min(firstPause<<(j.tries-1), longPause)):
	}
	return true
}

// fail ends what cannot be played, or goes on with the next item, for one of many may be missing.
func (p *Player) fail(ctx context.Context, j *job, problem media.Problem) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	p.Log.Warn("media failed", "component", "media", "reason", problem)
	if !j.item.Live() && p.at+1 < len(p.queue) && p.skipped+1 < maxSkipped {
		p.skipped++
		p.pass()
		return
	}
	told := j.tell(problem) && j.begun.waiting > 0
	p.stop()
	if !told {
		p.Failed(j.item, problem)
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
func (p *Player) over(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case ctx.Err() != nil:
	case p.at+1 < len(p.queue):
		p.pass()
	default:
		p.from = 0
		p.stop()
	}
}

// pass goes on with the next item. Who waits for this one, of which nothing is known yet, waits for that one. mu is
// held.
func (p *Player) pass() {
	last := p.begun
	p.begin(p.at+1, 0)
	select {
	case <-last.known:
	default:
		p.begun = last
	}
}
