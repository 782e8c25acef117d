package household

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hearthd/daemon/mqtt/contract"
)

const (
	// inbox is how many messages may wait for the loop: many more than the boxes of
	// a house send at once.
	inbox = 64
	// outbox is how many messages may wait for the broker.
	outbox = 16
	// sendLimit gives a message up that the network does not take. A claim that
	// comes later than that is of no use to anybody.
	sendLimit = time.Second
	// maxMessage bounds what another box may say at once, in bytes: all its timers.
	maxMessage = 256 << 10
)

// wire is the broker. Publish returns when the message is on its way; Watch follows
// topics over every connection.
type wire interface {
	Publish(ctx context.Context, topic string, payload []byte, qos byte, retain bool) error
	Watch(filters ...string)
	Unwatch(filters ...string)
	Online() bool
}

// Options say who this box is.
type Options struct {
	Wire   wire
	Prefix string // first topic level
	House  string // empty: this box is on its own
	Node   string
	Timers bool // those of the other boxes are of interest
	// Named is told by what names boxes of the house may be called, when that changes.
	// It must not block.
	Named func(names []string)
	Log   *slog.Logger
}

// Household is the other boxes as this one sees them. Its methods may be called by
// any goroutine.
type Household struct {
	opt     Options
	peers   *directory
	running atomic.Bool
	bids    chan bid
	in      chan call
	out     chan []byte
	dropped atomic.Uint64

	mu    sync.Mutex
	asked uint64                 // questions so far
	open  map[string]chan Answer // by id
}

// New checks the options.
func New(opt Options) (*Household, error) {
	if opt.Wire == nil || opt.Log == nil || opt.Named == nil || opt.Prefix == "" || opt.Node == "" {
		return nil, errors.New("new household: a part is missing")
	}
	return &Household{
		opt: opt, peers: newDirectory(opt),
		open: map[string]chan Answer{}, bids: make(chan bid, 4), in: make(chan call, inbox), out: make(chan []byte, outbox),
	}, nil
}

// topic is one that the whole house shares.
func (h *Household) topic(level string) string {
	return contract.HouseTopic(h.opt.Prefix, h.opt.House, level)
}

// Run takes part until ctx ends.
func (h *Household) Run(ctx context.Context) error {
	if h.opt.House == "" {
		<-ctx.Done()
		return nil
	}
	h.opt.Wire.Watch(h.topic(contract.Claim), h.topic(contract.Boxes)+"/+", h.replies())
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		h.send(ctx)
	}()
	h.running.Store(true)
	h.decide(ctx)
	h.running.Store(false)
	<-sent
	return nil
}

// decide is the loop.
func (h *Household) decide(ctx context.Context) {
	a := newArbiter(h.opt.Node, h.peers.count, h.post)
	defer a.close()
	var missed uint64
	for {
		select {
		case <-ctx.Done():
			return
		case b := <-h.bids:
			a.open(time.Now(), b)
		case c := <-h.in:
			a.hear(time.Now(), c)
		case <-a.timer.C:
			for n := len(h.in); n > 0; n-- { // what has come is older than the decision
				a.hear(time.Now(), <-h.in)
			}
			a.weigh(time.Now())
		}
		if n := h.dropped.Load(); n != missed {
			h.opt.Log.Warn("messages of other boxes were dropped", "component", "household", "count", n-missed)
			missed = n
		}
	}
}

// post queues a message of this box. One that finds no room is not sent: the others
// then decide without it.
func (h *Household) post(c call) {
	data, err := json.Marshal(c)
	if err != nil { // a score that is no number
		h.opt.Log.Error("encode claim", "component", "household", "error", err)
		return
	}
	select {
	case h.out <- data:
	default:
		h.dropped.Add(1)
	}
}

// send publishes until ctx ends.
func (h *Household) send(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case data := <-h.out:
			sctx, cancel := context.WithTimeout(ctx, sendLimit)
			err := h.opt.Wire.Publish(sctx, h.topic(contract.Claim), data, 0, false)
			cancel()
			if err != nil && ctx.Err() == nil {
				h.opt.Log.Info("claim not sent", "component", "household", "error", err)
			}
		}
	}
}

// Contend lets the house decide whether this box answers what b describes. False:
// nobody else is there, and it does. Otherwise tell is called within 250 ms, on a
// goroutine of the household, and again if the house is slow and that becomes sure, or
// is decided otherwise after all. Contend never waits.
func (h *Household) Contend(b Bid, tell func(Verdict)) bool {
	if h.opt.House == "" || !h.running.Load() || !h.opt.Wire.Online() {
		return false
	}
	alone := h.peers.count() == 0
	if alone {
		tell = nil // the others, who may be about to join, are told only
	}
	select {
	case h.bids <- bid{Bid: b, tell: tell}:
		return !alone
	default:
		return false
	}
}

// Connected is called at every connection to the broker.
func (h *Household) Connected() {}

// Receive takes a message of the broker. It does not wait.
func (h *Household) Receive(topic string, payload []byte) {
	if h.opt.House == "" || len(payload) > maxMessage {
		return
	}
	if topic == h.replies() {
		h.answered(payload)
		return
	}
	if topic == h.topic(contract.Claim) {
		c, ok := parseCall(payload)
		if !ok {
			return
		}
		select {
		case h.in <- c:
		default:
			h.dropped.Add(1)
		}
		return
	}
	if node, ok := strings.CutPrefix(topic, h.topic(contract.Boxes)+"/"); ok {
		h.peers.listed(node, len(payload) > 0)
		return
	}
	if rest, ok := strings.CutPrefix(topic, h.opt.Prefix+"/"); ok {
		if node, level, ok := strings.Cut(rest, "/"); ok {
			h.peers.hear(node, level, payload)
		}
	}
}
