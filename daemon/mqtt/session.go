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
	// graceful is how long a shutdown waits until the broker has "offline".
	graceful = time.Second
	// retryFirst and retryLast bound the pause before the next try to connect. It is
	// random within a range that doubles, so that the boxes of a house do not all
	// come back to a restarted broker at once.
	retryFirst = time.Second
	retryLast  = 30 * time.Second
	// birthSpread is the longest a box waits, by chance, before it answers Home Assistant's birth message.
	birthSpread = 2 * time.Second
	// tripWeight is the weight of the old estimate: a slower round trip moves it by a sixteenth.
	tripWeight = 16
)

// reconnect reconnects until ctx ends. answered is closed when all commands are answered.
func (b *Bridge) reconnect(ctx context.Context, report chan<- news, answered <-chan struct{}) {
	tell := func(n news) {
		select {
		case report <- n:
		case <-ctx.Done():
		}
	}
	spread := retryFirst
	for {
		p, err := b.endpoint.find(ctx, find.Brokers)
		joined := false
		if err == nil {
			joined, err = b.session(ctx, p, answered, func() { tell(news{up: true, endpoint: p}) })
		}
		if ctx.Err() != nil {
			return
		}
		tell(news{err: err, endpoint: p})
		if joined {
			spread = retryFirst
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(retryFirst + rand.N(spread)):
		}
		spread = min(2*spread, retryLast-retryFirst)
	}
}

// session is one connection, from dialling to its end. It reports whether it got so far
// that commands could be received.
func (b *Bridge) session(
	ctx context.Context, p endpoint, answered <-chan struct{}, up func(),
) (joined bool, err error) {
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
		b.leave(l, answered)
	}
	return joined, err
}

// attend runs what uses the connection beside sending, until end is called: the test of the
// access list, what is left of former names, and the feeds.
func (b *Bridge) attend(ctx context.Context, l *link) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var attending sync.WaitGroup
	attending.Go(func() { b.try(ctx, l) })
	for _, former := range b.opt.Former {
		attending.Go(func() { b.retire(ctx, l, former) })
	}
	for _, f := range b.opt.Feeds {
		attending.Go(func() { f.attend(ctx, l, &b.access, b.opt.Log) })
	}
	return func() {
		cancel()
		attending.Wait()
	}
}

// subscribe subscribes to the commands for this box and for the house.
func (b *Bridge) subscribe(ctx context.Context, l *link) error {
	own := b.topic(contract.Set) + "/+"
	filters := map[string]byte{own: 1}
	if b.device.House != "" {
		filters[b.houseTopic(contract.Set)+"/+"] = 1
	}
	token := l.client.SubscribeMultiple(filters, b.received)
	if err := acknowledged(ctx, token, l.lost); err != nil {
		return fmt.Errorf("subscribe to %q: %w", own, err)
	}
	// The other subscriptions are not essential: without the house's this box works on its own, and without the
	// birth message Home Assistant learns of it at the next connection.
	denied := refused(token)
	if slices.Contains(denied, own) {
		return &noCommands{own}
	}
	b.access.deny(denied...)
	if !b.opt.Discovery {
		return nil
	}
	token = l.client.Subscribe(b.device.Birth(), 0, b.birth)
	if err := acknowledged(ctx, token, l.lost); err != nil {
		return fmt.Errorf("subscribe to %q: %w", b.device.Birth(), err)
	}
	b.access.deny(refused(token)...)
	return nil
}

// birth runs on the client's goroutine. Home Assistant has started and knows nothing of the
// box. All boxes hear that at once, so each waits for a random time.
func (b *Bridge) birth(_ paho.Client, m paho.Message) {
	if string(m.Payload()) != contract.Online || !b.born.CompareAndSwap(false, true) {
		return
	}
	time.AfterFunc(rand.N(birthSpread), func() {
		b.born.Store(false)
		b.out.refresh()
	})
}

// send gives messages to the client, one at a time, until the connection or ctx ends.
// A message that was not acknowledged stays in the outbox.
func (b *Bridge) send(ctx context.Context, l *link) error {
	for ctx.Err() == nil {
		m, ok := b.out.next()
		if ok {
			begun := time.Now()
			token := l.client.Publish(m.topic, 1, m.retained, m.payload)
			err := acknowledged(ctx, token, l.lost)
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
// broker is; slower ones raise it a little, for the route may have become longer.
func (b *Bridge) tripped(took time.Duration) {
	b.trip.Store(int64(took))
	quickest := b.quickest.Load()
	if quickest == 0 || int64(took) < quickest {
		b.quickest.Store(int64(took))
		return
	}
	b.quickest.Store(quickest + (int64(took)-quickest)/tripWeight)
}

// latency estimates how long a message takes from the broker to this box.
func (b *Bridge) latency() time.Duration { return time.Duration(b.quickest.Load() / 2) }

// leave sends the remaining answers and "offline": after a clean disconnect the broker sends no will.
func (b *Bridge) leave(l *link, answered <-chan struct{}) {
	select {
	case <-answered:
	case <-time.After(graceful):
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
