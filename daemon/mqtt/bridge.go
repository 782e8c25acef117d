package mqtt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
)

// What Options.Broker may be beside an address.
const (
	Embedded = "embedded"
	Off      = "off"
)

// eventQueue is how far the bridge may be behind the events: all timers at once.
const eventQueue = 4096

// maxMessage bounds one message that is published, in bytes. It is far above
// the longest turn, and half of what the embedded broker takes.
const maxMessage = maxPacket / 2

// Options say which broker, and who this box is.
type Options struct {
	Broker   string // Embedded, Off, mqtt://HOST[:PORT] or mqtts://HOST[:PORT]
	Listen   string // address of the embedded broker
	User     string
	Password string
	CAFile   string // PEM; empty: the system's certificates
	CertFile string // PEM of a client certificate, with KeyFile
	KeyFile  string
	Prefix   string // first topic level
	Node     string // second topic level

	Bus        *event.Bus
	Conditions *health.Conditions
	Speaker    speaker
	Feed       *Feed // of the devices of the house; may be nil
	Log        *slog.Logger
}

// Bridge is the daemon's presence on a broker.
type Bridge struct {
	opt    Options
	peer   peer
	out    *outbox
	sub    *event.Subscription
	quick  chan call
	asks   chan call
	online atomic.Bool
}

// New checks the options and subscribes to the events; it connects to nothing.
func New(opt Options) (*Bridge, error) {
	if opt.Bus == nil || opt.Conditions == nil || opt.Speaker == nil || opt.Log == nil {
		return nil, errors.New("new mqtt bridge: a part is missing")
	}
	if opt.Prefix == "" || opt.Node == "" || Node(opt.Node) != opt.Node || Node(opt.Prefix) != opt.Prefix {
		return nil, fmt.Errorf("new mqtt bridge: bad topic %q/%q", opt.Prefix, opt.Node)
	}
	b := &Bridge{opt: opt, out: newOutbox(), quick: make(chan call, maxCalls), asks: make(chan call, maxCalls)}
	if opt.Broker == Off {
		return b, nil
	}
	var err error
	if b.peer, err = opt.peer(); err != nil {
		return nil, fmt.Errorf("new mqtt bridge: %w", err)
	}
	if _, err := opt.tlsConfig(b.peer); err != nil {
		return nil, fmt.Errorf("new mqtt bridge: %w", err)
	}
	// In this order at every connection: whoever sees "online" finds the rest
	// right.
	b.putText(levelState, string(event.Starting))
	b.putText(levelTimers, "[]")
	b.putText(levelAvailability, payloadOnline)
	b.sub = opt.Bus.Subscribe("mqtt", eventQueue)
	return b, nil
}

// Node makes a topic level out of a host name.
func Node(name string) string {
	level := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, name)
	if len(level) > 64 {
		level = level[:64]
	}
	if level == "" {
		return "hearthd"
	}
	return level
}

// State is "off", "connecting" or "connected".
func (b *Bridge) State() string {
	switch {
	case b.opt.Broker == Off:
		return "off"
	case b.online.Load():
		return "connected"
	}
	return "connecting"
}

// Run keeps the connection until ctx ends, and says goodbye. It fails when the
// embedded broker cannot start, and may then be called again; what happened
// meanwhile is not lost.
func (b *Bridge) Run(ctx context.Context) error {
	if b.opt.Broker == Off {
		<-ctx.Done()
		return nil
	}
	if b.opt.Broker == Embedded {
		broker, err := startBroker(b.opt.Listen, b.topic(levelAvailability))
		if err != nil {
			b.opt.Conditions.Set("broker", health.Error, noBroker(b.opt.Listen, err))
			return err
		}
		defer func() {
			if err := broker.Close(); err != nil {
				b.opt.Log.Warn("close embedded broker", "component", "mqtt", "error", err)
			}
		}()
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	news := make(chan news)
	wg.Go(func() { b.follow(ctx, news) })
	wg.Go(func() { b.work(ctx, b.quick) })
	wg.Go(func() { b.work(ctx, b.asks) })
	b.keep(ctx, news)
	return nil
}

// follow turns events into messages until ctx ends, and keeps the condition.
func (b *Bridge) follow(ctx context.Context, connection <-chan news) {
	w := b.newWatch()
	defer w.overdue.Stop()
	var missed uint64
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-b.sub.C():
			b.publish(e)
			if n := b.sub.Dropped(); n != missed {
				b.opt.Log.Warn("events were missed", "component", "mqtt", "count", n-missed)
				missed = n
			}
		case n := <-connection:
			w.hear(n)
		case <-w.overdue.C:
			w.late()
		}
	}
}

// publish queues the message that e calls for.
func (b *Bridge) publish(e event.Event) {
	switch e := e.(type) {
	case *event.StateChanged:
		b.putText(levelState, string(e.To))
	case *event.Turn:
		b.putJSON(b.topic(levelTurn), e, false)
	case *event.TimerFired, *event.RingEnded:
		b.putJSON(b.topic(levelEvent), e, false)
	case *event.TimersChanged:
		timers := e.Timers
		if timers == nil {
			timers = []event.Timer{} // an empty list is [], never null
		}
		b.putJSON(b.topic(levelTimers), timers, true)
	}
}

func (b *Bridge) putJSON(topic string, v any, retained bool) {
	data, err := json.Marshal(v)
	if err == nil && len(data) > maxMessage {
		err = fmt.Errorf("%d bytes are too long", len(data))
	}
	if err != nil {
		b.opt.Log.Error("encode message", "component", "mqtt", "topic", topic, "error", err)
		return
	}
	b.out.put(message{topic: topic, payload: data, retained: retained})
}

func (b *Bridge) putText(level, text string) {
	b.out.put(message{topic: b.topic(level), payload: []byte(text), retained: true})
}
