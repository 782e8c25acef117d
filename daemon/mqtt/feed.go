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

	paho "github.com/eclipse/paho.mqtt.golang"
)

// followAgain is the pause after a request to subscribe that a busy broker did not
// answer in time: the connection may be good all the same.
const followAgain = 5 * time.Second

// maxFilters is how many topics one SUBSCRIBE asks for; brokers bound a packet.
const maxFilters = 50

// ErrOffline is the error of Feed.Publish while there is no connection. What
// devices are told is never told late.
var ErrOffline = errors.New("there is no connection to the broker")

// receiver gets what was asked for with Watch. Its methods are called by the
// client's goroutine and must not wait; a payload is theirs until they return.
type receiver interface {
	Receive(topic string, payload []byte)
	Connected()
}

// Feed is the broker as the devices of the house, or its other boxes, see it: topics that they follow
// over every connection, and commands that are sent now or not at all. It may be
// used by many goroutines, also before there is a bridge.
type Feed struct {
	bell chan struct{} // cap 1; rung when want changed

	mu   sync.Mutex
	to   receiver
	want map[string]bool
	have map[string]bool // of the connection
	link *link           // nil: there is none
}

// NewFeed makes a feed. It belongs into the Options of one bridge.
func NewFeed() *Feed {
	return &Feed{bell: make(chan struct{}, 1), want: map[string]bool{}}
}

// Deliver names who gets the messages. It is called before the bridge runs.
func (f *Feed) Deliver(to receiver) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.to = to
}

// Watch follows topics or filters, from the next connection on if there is none.
func (f *Feed) Watch(filters ...string) { f.change(filters, true) }

// Unwatch follows topics no longer.
func (f *Feed) Unwatch(filters ...string) { f.change(filters, false) }

func (f *Feed) change(filters []string, on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range filters {
		if on {
			f.want[t] = true
		} else {
			delete(f.want, t)
		}
	}
	select {
	case f.bell <- struct{}{}:
	default:
	}
}

// Online reports whether there is a connection now.
func (f *Feed) Online() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.link != nil
}

// Publish sends a message over the connection that there is, and returns when the
// broker has it.
func (f *Feed) Publish(ctx context.Context, topic string, payload []byte, qos byte, retain bool) error {
	f.mu.Lock()
	l := f.link
	f.mu.Unlock()
	if l == nil {
		return fmt.Errorf("publish to %q: %w", topic, ErrOffline)
	}
	ctx, cancel := context.WithTimeout(ctx, ackLimit)
	defer cancel()
	token := l.client.Publish(topic, qos, retain, payload)
	select {
	case <-token.Done(): // also when the connection ends
		if err := token.Error(); err != nil {
			return fmt.Errorf("publish to %q: %w", topic, err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("publish to %q: %w", topic, errNoAnswer)
	}
}

// received hands a message on that no other handler wants.
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
			log.Warn("follow devices", "component", "mqtt", "error", err)
			again := time.NewTimer(followAgain)
			select {
			case <-ctx.Done():
			case <-again.C:
			}
			again.Stop()
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-f.bell:
		}
	}
}

// follow brings what the broker sends in line with what is wanted.
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
		if err := answered(ctx, token); err != nil {
			return fmt.Errorf("subscribe to %d topics: %w", len(some), err)
		}
		denied.deny(refused(token)...)
		f.mark(some, true)
	}
	for some := range slices.Chunk(gone, maxFilters) {
		if err := answered(ctx, l.client.Unsubscribe(some...)); err != nil {
			return fmt.Errorf("unsubscribe from %d topics: %w", len(some), err)
		}
		f.mark(some, false)
	}
	return nil
}

func (f *Feed) mark(topics []string, have bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range topics {
		if have {
			f.have[t] = true
		} else {
			delete(f.have, t)
		}
	}
}

// missing gives what is in a and not in b, sorted.
func missing(a, b map[string]bool) []string {
	var out []string
	for _, t := range slices.Sorted(maps.Keys(a)) {
		if !b[t] {
			out = append(out, t)
		}
	}
	return out
}
