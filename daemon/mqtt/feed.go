package mqtt

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"hearthd/daemon/queue"

	paho "github.com/eclipse/paho.mqtt.golang"
)

// followAgain is the pause after a request to subscribe that was not answered in time: the
// broker may only be busy.
const followAgain = 5 * time.Second

// maxFilters is how many topics one SUBSCRIBE asks for; brokers limit the size of a packet.
const maxFilters = 50

// errOffline is the error of Feed.Publish while there is no connection. A command to a
// device is never sent late.
var errOffline = errors.New("there is no connection to the broker")

// receiver gets the messages of the watched topics. Its methods are called on the
// client's goroutine and must not block; a payload is borrowed until they return.
type receiver interface {
	Receive(topic string, payload []byte)
	Connected()
}

// Feed gives another part access to the broker: topics that are watched over every
// connection, and messages that are sent now or not at all. It is safe for use by several
// goroutines, also before there is a bridge.
type Feed struct {
	bell queue.Bell // rung when want changed

	mu   sync.Mutex
	to   receiver
	want map[string]bool // topics that are watched
	have map[string]bool // and that this connection is subscribed to
	link *link           // nil: there is none
}

// NewFeed makes a feed for the Options of one bridge.
func NewFeed() *Feed {
	return &Feed{bell: queue.NewBell(), want: map[string]bool{}}
}

// Deliver sets who gets the messages. It is called before the bridge runs.
func (f *Feed) Deliver(to receiver) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.to = to
}

// Watch subscribes to topics or filters; while there is no connection, at the next one.
func (f *Feed) Watch(filters ...string) { f.change(filters, true) }

// Unwatch ends the subscription to topics.
func (f *Feed) Unwatch(filters ...string) { f.change(filters, false) }

func (f *Feed) change(filters []string, on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	put(f.want, filters, on)
	f.bell.Ring()
}

// Online reports whether there is a connection now.
func (f *Feed) Online() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.link != nil
}

// Publish sends a message over the present connection, and returns when the broker has
// it. Without one the error matches errOffline.
func (f *Feed) Publish(ctx context.Context, topic string, payload []byte, qos byte, retain bool) error {
	f.mu.Lock()
	l := f.link
	f.mu.Unlock()
	if l == nil {
		return fmt.Errorf("publish to %q: %w", topic, errOffline)
	}
	if err := acknowledged(ctx, l.client.Publish(topic, qos, retain, payload), nil); err != nil {
		return fmt.Errorf("publish to %q: %w", topic, err)
	}
	return nil
}

// received passes on a message that belongs to no other handler.
func (f *Feed) received(_ paho.Client, m paho.Message) {
	f.mu.Lock()
	to := f.to
	f.mu.Unlock()
	if to != nil {
		to.Receive(m.Topic(), m.Payload())
	}
}

// attend keeps the subscriptions of one connection until ctx ends.
func (f *Feed) attend(ctx context.Context, l *link, denied *access, log *slog.Logger) {
	f.mu.Lock()
	f.link, f.have = l, map[string]bool{}
	to := f.to
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.link = nil
		f.mu.Unlock()
	}()
	if to != nil {
		to.Connected()
	}
	for {
		if err := f.follow(ctx, l, denied); err != nil {
			if ctx.Err() != nil {
				return
			}
			log.Warn("subscribe for a feed", "component", "mqtt", "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(followAgain):
			}
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-f.bell:
		}
	}
}

// follow subscribes and unsubscribes until the broker sends what is wanted.
func (f *Feed) follow(ctx context.Context, l *link, denied *access) error {
	f.mu.Lock()
	fresh := missing(f.want, f.have)
	gone := missing(f.have, f.want)
	f.mu.Unlock()
	for some := range slices.Chunk(fresh, maxFilters) {
		filters := map[string]byte{}
		for _, t := range some {
			filters[t] = 0 // brokers drop retained messages of QoS 1 beyond a thousand
		}
		token := l.client.SubscribeMultiple(filters, nil)
		if err := acknowledged(ctx, token, nil); err != nil {
			return fmt.Errorf("subscribe to %d topics: %w", len(some), err)
		}
		denied.deny(refused(token)...)
		f.mark(some, true)
	}
	for some := range slices.Chunk(gone, maxFilters) {
		if err := acknowledged(ctx, l.client.Unsubscribe(some...), nil); err != nil {
			return fmt.Errorf("unsubscribe from %d topics: %w", len(some), err)
		}
		f.mark(some, false)
	}
	return nil
}

func (f *Feed) mark(topics []string, have bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	put(f.have, topics, have)
}

// put adds topics to a set, or takes them out.
func put(set map[string]bool, topics []string, in bool) {
	for _, t := range topics {
		if in {
			set[t] = true
		} else {
			delete(set, t)
		}
	}
}

// missing lists what is in a and not in b, sorted.
func missing(a, b map[string]bool) []string {
	var out []string
	for _, t := range slices.Sorted(maps.Keys(a)) {
		if !b[t] {
			out = append(out, t)
		}
	}
	return out
}
