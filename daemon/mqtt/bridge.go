package mqtt

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/mqtt/contract"
)

// What Options.Broker may be beside an address.
const (
	Embedded = "embedded"
	Off      = "off"
	MDNS     = "mdns"     // the one that answers for _mqtt._tcp
	MDNSTLS  = "mdns-tls" // for _secure-mqtt._tcp
)

// eventQueue is how far the bridge may be behind the events: all timers at once.
const eventQueue = 4096

// maxMessage bounds one message that is published, in bytes. It is far above
// the longest turn, and half of what the embedded broker takes.
const maxMessage = maxPacket / 2

// Options say which broker, and who this box is.
type Options struct {
	// Broker is Embedded, Off, MDNS, MDNSTLS, or an address: mqtt://HOST[:PORT], mqtts
	// for TLS, and ws or wss for WebSocket, with a path.
	Broker string
	Listen string // address of the embedded broker
	// User and Password are who this box is; the embedded broker, which needs them, lets in nobody else.
	User     string
	Password string
	CAFile   string // PEM; empty: the system's certificates
	CertFile string // PEM of a client certificate, with KeyFile
	KeyFile  string
	// Device is the box: its topics, the commands that it obeys, and what Home
	// Assistant is told of it, if Discovery says so.
	Device    contract.Device
	Discovery bool
	Begin     Settings // as they are before anybody changes them

	Bus        *event.Bus
	Conditions *health.Conditions
	Speaker    speaker
	Host       host
	Vitals     func() Vitals
	Installed  func(ctx context.Context) string // version on the disk
	Feed       *Feed                            // of the devices of the house; may be nil
	House      *Feed                            // of the other boxes; may be nil
	Log        *slog.Logger
}

// Settings are what stays as somebody set it.
type Settings struct {
	Muted, DND bool
	Volume     int    // percent
	WakeWord   string // contract.AllWords, contract.Phrase, or a name
	Policy     string // contract.Auto or contract.Local
}

// Vitals is how the box itself is. The bridge adds the round trip to the broker.
type Vitals struct {
	UptimeS      int64    `json:"uptime_s"`
	TemperatureC *float64 `json:"temperature_c,omitempty"`
	MemoryMB     float64  `json:"memory_mb"`
	CPUPercent   float64  `json:"cpu_percent"`
	Frames       uint64   `json:"frames"`
	Dropped      uint64   `json:"dropped"` // samples
	BrokerMS     *float64 `json:"broker_ms,omitempty"`
	// What the responder has cost, in its currency; nil: there is none.
	SpentToday *float64 `json:"spent_today,omitempty"`
	SpentMonth *float64 `json:"spent_month,omitempty"`
}

// Bridge is the daemon's presence on a broker.
type Bridge struct {
	opt    Options
	device *contract.Device
	peer   peer
	out    *outbox
	limits *limits
	access access
	sub    *event.Subscription
	quick  chan call
	asks   chan call
	online atomic.Bool
	born   atomic.Bool              // Home Assistant has begun, and is yet to be answered
	trip   atomic.Int64             // time.Duration of the last round trip; 0: none yet
	broker atomic.Pointer[embedded] // while one of our own runs
	// quickest is that of the quickest of late, which says how far the broker is.
	quickest atomic.Int64
}

// New checks the options and subscribes to the events; it connects to nothing.
func New(opt Options) (*Bridge, error) {
	if opt.Bus == nil || opt.Conditions == nil || opt.Speaker == nil || opt.Host == nil || opt.Vitals == nil || opt.Installed == nil || opt.Log == nil {
		return nil, errors.New("new mqtt bridge: a part is missing")
	}
	for _, level := range []string{opt.Device.Discovery, opt.Device.Prefix, opt.Device.Node} {
		if level == "" || contract.Node(level) != level {
			return nil, fmt.Errorf("new mqtt bridge: bad topic level %q", level)
		}
	}
	b := &Bridge{
		opt: opt, out: newOutbox(), limits: newLimits(),
		quick: make(chan call, maxCalls), asks: make(chan call, maxCalls),
	}
	b.access.conditions = opt.Conditions
	b.device = &b.opt.Device
	if opt.Broker == Off {
		return b, nil
	}
	if opt.Broker == Embedded && (opt.User == "" || opt.Password == "") {
		return nil, errors.New("new mqtt bridge: the embedded broker needs a user and a password")
	}
	var err error
	if b.peer, err = opt.peer(); err != nil {
		return nil, fmt.Errorf("new mqtt bridge: %w", err)
	}
	b.begin()
	b.sub = opt.Bus.Subscribe("mqtt", eventQueue)
	return b, nil
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

// Forget drops the words that have not been delivered: those of turns, and of answers to
// commands. What rang is told yet.
func (b *Bridge) Forget() {
	b.out.forget(b.topic(contract.Event))
	if e := b.broker.Load(); e != nil {
		e.forget(b.topic(contract.Turn), b.topic(contract.Result))
	}
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
		broker, err := startBroker(b.opt.Listen, b.opt.User, b.opt.Password, b.topic(contract.Availability))
		if err != nil {
			b.opt.Conditions.Set("broker", health.Error, noBroker(b.opt.Listen, err))
			return err
		}
		b.broker.Store(broker)
		defer func() {
			b.broker.Store(nil)
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
	rest := make(chan struct{}) // closed when all commands are answered
	wg.Go(func() {
		defer close(rest)
		var workers sync.WaitGroup
		workers.Go(func() { b.work(ctx, b.quick) })
		workers.Go(func() { b.work(ctx, b.asks) })
		workers.Wait()
	})
	b.keep(ctx, news, rest)
	return nil
}
