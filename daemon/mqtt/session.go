package mqtt

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/mqtt/find"
)

const (
	// graceful is how long a shutdown waits for the broker to take "offline".
	graceful = time.Second
	// retryFirst and retryLast bound the pause before a connection is tried
	// again. It is drawn from a range that doubles, so that the boxes of a house
	// do not come back to a restarted broker all at once.
	retryFirst = time.Second
	retryLast  = 30 * time.Second
	// birthSpread is within which Home Assistant is answered.
	birthSpread = 2 * time.Second
	// tripShare is the part of a slower round trip that is believed.
	tripShare = 16
)

// keep connects again and again until ctx ends. Commands are answered when rest is closed.
func (b *Bridge) keep(ctx context.Context, report chan<- news, rest <-chan struct{}) {
	tell := func(n news) {
		select {
		case report <- n:
		case <-ctx.Done():
		}
	}
	spread := retryFirst
	for {
		p, err := b.peer.find(ctx, find.Brokers)
		joined := false
		if err == nil {
			joined, err = b.session(ctx, p, rest, func() { tell(news{up: true, peer: p}) })
		}
		if ctx.Err() != nil {
			return
		}
		tell(news{err: err, peer: p})
		if joined {
			spread = retryFirst
		}
		pause := time.NewTimer(retryFirst + rand.N(spread))
		select {
		case <-ctx.Done():
			pause.Stop()
			return
		case <-pause.C:
		}
		spread = min(2*spread, retryLast-retryFirst)
	}
}

// session is one connection, from dialling to its end. It joins when commands
// can be received.
func (b *Bridge) session(ctx context.Context, p peer, rest <-chan struct{}, up func()) (joined bool, err error) {
	l, err := b.connect(ctx, p)
	if err != nil {
		return false, err
	}
	defer l.cut()
	b.access.begin()
	if err = b.subscribe(ctx, l); err == nil {
		joined = true
		b.out.refresh()
		b.online.Store(true)
		up()
		attending := b.attend(ctx, l)
		err = b.send(ctx, l)
		attending()
		b.online.Store(false)
	}
	if ctx.Err() != nil {
		b.leave(l, rest)
	}
	return joined, err
}

// attend serves the devices and the other boxes over a connection until end is called.
func (b *Bridge) attend(ctx context.Context, l *link) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var attending sync.WaitGroup
	attending.Go(func() { b.try(ctx, l) })
	for _, f := range b.feeds() {
		attending.Go(func() { f.attend(ctx, l, &b.access, b.opt.Log) })
	}
	return func() {
		cancel()
		attending.Wait()
	}
}

// feeds are those that there are.
func (b *Bridge) feeds() []*Feed {
	return slices.DeleteFunc([]*Feed{b.opt.Feed, b.opt.House}, func(f *Feed) bool { return f == nil })
}

// subscribe asks for the commands, of this box and of the house.
func (b *Bridge) subscribe(ctx context.Context, l *link) error {
	own := b.topic(contract.Set) + "/+"
	filters := map[string]byte{own: 1}
	if b.device.House != "" {
		filters[b.houseTopic(contract.Set)+"/+"] = 1
	}
	token := l.client.SubscribeMultiple(filters, b.received)
	if err := l.wait(ctx, token, ackLimit); err != nil {
		return fmt.Errorf("subscribe to %q: %w", own, err)
	}
	// Without the house this box works on its own, and without the birth Home Assistant is told at the next
	// connection.
	denied := refused(token)
	if slices.Contains(denied, own) {
		return &noCommands{own}
	}
	b.access.deny(denied...)
	if !b.opt.Discovery {
		return nil
	}
	token = l.client.Subscribe(b.device.Birth(), 0, b.birth)
	if err := l.wait(ctx, token, ackLimit); err != nil {
		return fmt.Errorf("subscribe to %q: %w", b.device.Birth(), err)
	}
	b.access.deny(refused(token)...)
	return nil
}

// birth runs on the client's goroutine. Home Assistant has begun and forgotten what
// it knew; all boxes are told at once, so each waits as long as chance says.
func (b *Bridge) birth(_ paho.Client, m paho.Message) {
	if string(m.Payload()) != contract.Online || !b.born.CompareAndSwap(false, true) {
		return
	}
	time.AfterFunc(rand.N(birthSpread), func() {
		b.born.Store(false)
		b.out.refresh()
	})
}

// send hands messages to the client, one at a time, until the connection or ctx
// ends. What was not acknowledged stays in the outbox.
func (b *Bridge) send(ctx context.Context, l *link) error {
	for ctx.Err() == nil {
		m, ok := b.out.next()
		if ok {
			begun := time.Now()
			token := l.client.Publish(m.topic, 1, m.retained, m.payload)
			err := l.wait(ctx, token, ackLimit)
			if err == nil {
				b.tripped(time.Since(begun))
				b.out.sent(m)
				continue
			}
			if ctx.Err() == nil && b.out.failed(m) {
				b.access.deny(m.topic)
			}
			return fmt.Errorf("publish to %q: %w", m.topic, err)
		}
		if n := b.out.takeDropped(); n > 0 {
			b.opt.Log.Warn("messages were dropped", "component", "mqtt", "count", n)
		}
		select {
		case <-ctx.Done():
		case err := <-l.lost:
			return err
		case <-b.out.bell:
		}
	}
	return ctx.Err()
}

// tripped notes the round trip of a message. The quickest one says how far away the
// broker is; the way may also have become longer.
func (b *Bridge) tripped(took time.Duration) {
	b.trip.Store(int64(took))
	quickest := b.quickest.Load()
	if quickest == 0 || int64(took) < quickest {
		b.quickest.Store(int64(took))
		return
	}
	b.quickest.Store(quickest + (int64(took)-quickest)/tripShare)
}

// way is how long a message of the broker takes to this box, as far as it knows.
func (b *Bridge) way() time.Duration { return time.Duration(b.quickest.Load() / 2) }

// leave sends the answers that are left, and says goodbye: a clean disconnect sends no will.
func (b *Bridge) leave(l *link, rest <-chan struct{}) {
	late := time.NewTimer(graceful)
	defer late.Stop()
	select {
	case <-rest:
	case <-late.C:
	}
	begun := time.Now()
	for _, m := range b.out.left() {
		if l.client.Publish(m.topic, 1, false, m.payload); time.Since(begun) > graceful {
			break // the network is stuck
		}
	}
	l.client.Publish(b.topic(contract.Availability), 1, true, contract.Offline).WaitTimeout(graceful)
	l.client.Disconnect(uint(farewell.Milliseconds()))
}
