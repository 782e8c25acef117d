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
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
)

// What Options.Broker may be beside an address.
const (
	Embedded = "embedded"
	Off      = "off"
)

const (
	// eventQueue is how far the bridge may be behind the events.
	eventQueue = 256
	// graceful is how long a shutdown waits for the broker to take "offline".
	graceful = time.Second
	// patience is how long the broker may be away before it is a condition; a
	// broker that is restarted is back by then.
	patience = 3 * time.Second
)

// speaker carries out commands.
type speaker interface {
	Say(ctx context.Context, text string) error
	Ask(ctx context.Context, text string) (*event.Turn, error)
	Listen(ctx context.Context) error
	Stop(ctx context.Context) error
	SetMuted(ctx context.Context, muted bool) error
	SetVolume(ctx context.Context, percent int) error
}

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
	Log        *slog.Logger
}

// Bridge is the daemon's presence on a broker.
type Bridge struct {
	opt    Options
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
	if opt.Broker != Off {
		server, err := opt.serverURL()
		if err != nil {
			return nil, err
		}
		if _, err := opt.tlsConfig(server); err != nil {
			return nil, err
		}
	}
	b := &Bridge{opt: opt, out: newOutbox(), quick: make(chan call, maxCalls), asks: make(chan call, maxCalls)}
	b.out.put(message{topic: b.topic("availability"), payload: []byte("online"), retained: true})
	b.out.put(message{topic: b.topic("state"), payload: []byte(event.Starting), retained: true})
	b.out.put(message{topic: b.topic("timers"), payload: []byte("[]"), retained: true})
	if opt.Broker != Off {
		b.sub = opt.Bus.Subscribe("mqtt", eventQueue)
	}
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

func (b *Bridge) topic(level string) string {
	return b.opt.Prefix + "/" + b.opt.Node + "/" + level
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

// Run keeps the connection until ctx ends, and says goodbye.
func (b *Bridge) Run(ctx context.Context) error {
	if b.opt.Broker == Off {
		<-ctx.Done()
		return nil
	}
	if b.opt.Broker == Embedded {
		broker, err := startBroker(b.opt.Listen)
		if err != nil {
			b.opt.Conditions.Set("broker", health.Warning, err.Error()+".")
			return err
		}
		defer func() {
			if err := broker.Close(); err != nil {
				b.opt.Log.Warn("close embedded broker", "component", "mqtt", "error", err)
			}
		}()
	}
	server, err := b.opt.serverURL()
	if err != nil {
		return err
	}
	config, err := b.opt.tlsConfig(server)
	if err != nil {
		return err
	}
	up := make(chan bool, 1)
	o := b.clientOptions(server, config)
	o.SetOnConnectHandler(func(c paho.Client) { b.connected(c, up) })
	o.SetConnectionLostHandler(func(_ paho.Client, err error) { b.disconnected(err, up) })
	client := paho.NewClient(o)
	// The token waits until there is a broker; the handlers say when.
	client.Connect()
	defer b.leave(client)

	var wg sync.WaitGroup
	defer wg.Wait()
	wctx, cancel := context.WithCancel(ctx)
	defer cancel()
	wg.Go(func() { b.send(wctx, client) })
	wg.Go(func() { b.work(wctx, b.quick) })
	wg.Go(func() { b.work(wctx, b.asks) })
	b.follow(ctx, up)
	return nil
}

// newest replaces what waits in up.
func newest(up chan bool, v bool) {
	for {
		select {
		case up <- v:
			return
		default:
		}
		select {
		case <-up:
		default:
		}
	}
}

// connected subscribes and sends what a restarted broker may have forgotten.
func (b *Bridge) connected(c paho.Client, up chan bool) {
	token := c.Subscribe(b.topic("set/+"), 1, b.received)
	if token.WaitTimeout(connectLimit); token.Error() != nil {
		b.opt.Log.Warn("subscribe to commands", "component", "mqtt", "error", token.Error())
	}
	b.online.Store(true)
	b.out.refresh()
	newest(up, true)
}

func (b *Bridge) disconnected(err error, up chan bool) {
	b.online.Store(false)
	b.opt.Log.Warn("broker lost, reconnecting", "component", "mqtt", "error", err)
	newest(up, false)
}

// follow turns events into messages until ctx ends, and keeps the condition.
func (b *Bridge) follow(ctx context.Context, up <-chan bool) {
	overdue := time.NewTimer(patience)
	defer overdue.Stop()
	var lost uint64
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-b.sub.C():
			b.publish(e)
			if n := b.out.lost(); n != lost {
				b.opt.Log.Warn("messages were dropped", "component", "mqtt", "count", n-lost)
				lost = n
			}
		case ok := <-up:
			overdue.Stop()
			if ok {
				b.opt.Conditions.Clear("broker")
				b.opt.Log.Info("connected to the broker", "component", "mqtt")
				continue
			}
			overdue.Reset(patience)
		case <-overdue.C:
			b.opt.Conditions.Set("broker", health.Warning, "The MQTT broker is not reachable.")
		}
	}
}

// publish queues the messages that e calls for.
func (b *Bridge) publish(e event.Event) {
	switch e := e.(type) {
	case *event.StateChanged:
		b.out.put(message{topic: b.topic("state"), payload: []byte(e.To), retained: true})
	case *event.Turn:
		b.putJSON("turn", e, false)
	case *event.TimersChanged:
		b.putJSON("timers", e.Timers, true)
	}
}

func (b *Bridge) putJSON(level string, v any, retained bool) {
	data, err := json.Marshal(v)
	if err != nil {
		b.opt.Log.Error("encode message", "component", "mqtt", "topic", level, "error", err)
		return
	}
	b.out.put(message{topic: b.topic(level), payload: data, retained: retained})
}

// send hands messages to the client while the connection is open. What fails
// stays in the outbox.
func (b *Bridge) send(ctx context.Context, c paho.Client) {
	for {
		m, ok := b.out.next()
		if !ok || !c.IsConnectionOpen() {
			select {
			case <-ctx.Done():
				return
			case <-b.out.bell: // rung by put, and by refresh when connected
			}
			continue
		}
		if err := publish(ctx, c, m); err != nil {
			b.opt.Log.Debug("publish", "component", "mqtt", "topic", m.topic, "error", err)
			select {
			case <-ctx.Done():
				return
			case <-time.After(retryFirst):
			}
			continue
		}
		b.out.sent(m)
	}
}

// publish returns when the broker has acknowledged m.
func publish(ctx context.Context, c paho.Client, m message) error {
	token := c.Publish(m.topic, 1, m.retained, m.payload)
	select {
	case <-token.Done():
		return token.Error()
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(writeLimit):
		return errors.New("the broker does not acknowledge")
	}
}

// leave says goodbye: a clean disconnect sends no will.
func (b *Bridge) leave(c paho.Client) {
	if c.IsConnectionOpen() {
		c.Publish(b.topic("availability"), 1, true, "offline").WaitTimeout(graceful)
	}
	b.online.Store(false)
	c.Disconnect(uint(graceful.Milliseconds() / 4))
}
