package player

import (
	"math/rand/v2"
	"slices"
	"time"

	"hearthd/media"
)

// Play plays a list from one of its items on, instead of what there was.
func (p *Player) Play(list []media.Item, at int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at < 0 || at >= len(list) {
		return
	}
	p.queue, p.skipped = list, 0
	p.begin(at, 0)
}

// Continue plays a queue from its place on, instead of what there was.
func (p *Player) Continue(q media.Queue) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.load(q) {
		p.begin(q.At, q.From)
	}
}

// Load has Resume go on with a queue, unless something was played already.
func (p *Player) Load(q media.Queue) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 && p.load(q) {
		p.at, p.from = q.At, q.From
	}
}

func (p *Player) load(q media.Queue) bool {
	if q.At < 0 || q.At >= len(q.Items) {
		return false
	}
	p.queue, p.skipped = q.Items, 0
	return true
}

// Queue is what is played one after the other, and how far that has come. Its items belong to nobody.
func (p *Player) Queue() media.Queue {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := media.Queue{Items: p.queue, At: p.at, From: p.from}
	if p.heard == p.begun && p.rate > 0 && !p.now.Item.Live() {
		q.From += samples(p.track.Heard(), p.rate)
	}
	return q
}

// samples is how long so many last.
func samples(n int64, rate int) time.Duration {
	return time.Duration(n) * time.Second / time.Duration(rate)
}

// Shuffle puts what is still to come in another order, and reports whether there is something.
func (p *Player) Shuffle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now.State == media.Stopped || p.at+2 >= len(p.queue) {
		return false
	}
	p.queue = slices.Clone(p.queue)
	rest := p.queue[p.at+1:]
	rand.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	p.Changed(p.now)
	return true
}

// Skip plays the item that is so many further in the queue, and reports whether there is one.
func (p *Player) Skip(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	to := p.at + n
	p.skipped = 0
	if len(p.queue) == 0 || to < 0 || to >= len(p.queue) {
		return false
	}
	p.begin(to, 0)
	return true
}

// Seek goes so far forward in what plays, or back, and reports whether it has a beginning: what is live has none.
func (p *Player) Seek(by time.Duration) bool {
	now, q := p.Now(), p.Queue()
	if now.State == media.Stopped || now.Item.Live() || now.Item.Source != "" {
		return false
	}
	q.From = max(q.From+by, 0)
	p.Continue(q)
	return true
}
