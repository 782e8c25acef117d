package peer

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
	"hearthd/daemon/queue"
)

const (
	// inbox is how many messages may wait for the loop: many more than the boxes of a
	// house send at once.
	inbox = 64
	// outbox is how many messages may wait for the broker.
	outbox = 16
	// sendLimit is when a message is given up that the network does not accept. A claim
	// that is later than that is of no use.
	sendLimit = time.Second
	// maxMessage bounds a message of another box, in bytes: all its timers.
	maxMessage = 256 << 10
)

// wire is the broker. Publish returns when the message has been sent; Watch subscribes to
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
	Timers bool // follow the timers of the other boxes
	// Named is called with all names by which the other boxes may be called, when they
	// change. It must not block.
	Named func(names []string)
	Log   *slog.Logger
}

// Peers are the other boxes of the house. It is safe for use by several goroutines.
type Peers struct {
	opt       Options
	directory *directory
	running   atomic.Bool
	bids      chan bid
	in        chan call
	out       chan []byte
	dropped   atomic.Uint64

	mu   sync.Mutex
	open map[string]chan Answer // commands that wait for answers, by id
}

// New checks the options.
func New(opt Options) (*Peers, error) {
	if opt.Wire == nil || opt.Log == nil || opt.Named == nil || opt.Prefix == "" || opt.Node == "" {
		return nil, errors.New("new peers: a part is missing")
	}
	return &Peers{
		opt: opt, directory: newDirectory(opt),
		open: map[string]chan Answer{}, bids: make(chan bid, 4), in: make(chan call, inbox),
		out: make(chan []byte, outbox),
	}, nil
}

// topic is the full name of a topic that the house shares.
func (p *Peers) topic(level string) string {
	return contract.HouseTopic(p.opt.Prefix, p.opt.House, level)
}

// Run takes part until ctx ends.
func (p *Peers) Run(ctx context.Context) error {
	if p.opt.House == "" {
		<-ctx.Done()
		return nil
	}
	p.opt.Wire.Watch(p.topic(contract.Claim), p.topic(contract.Boxes)+"/+", p.replies())
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		p.send(ctx)
	}()
	p.running.Store(true)
	p.decide(ctx)
	p.running.Store(false)
	<-sent
	return nil
}

// decide is the loop.
func (p *Peers) decide(ctx context.Context) {
	a := newArbiter(p.opt.Node, p.directory.count, p.post)
	defer a.close()
	var missed uint64
	for {
		select {
		case <-ctx.Done():
			return
		case b := <-p.bids:
			a.open(time.Now(), b)
		case c := <-p.in:
			a.hear(time.Now(), c)
		case <-a.timer.C:
			for n := len(p.in); n > 0; n-- { // they came before the decision
				a.hear(time.Now(), <-p.in)
			}
			a.weigh(time.Now())
		}
		if n := p.dropped.Load(); n != missed {
			p.opt.Log.Warn("messages of other boxes were dropped", "component", "peers", "count", n-missed)
			missed = n
		}
	}
}

// post queues a message of this box. If the queue is full it is not sent, and the others
// decide without it.
func (p *Peers) post(c call) {
	data, err := json.Marshal(c)
	if err != nil { // such as a score that is NaN
		p.opt.Log.Error("encode claim", "component", "peers", "error", err)
		return
	}
	if !queue.Offer(p.out, data) {
		p.dropped.Add(1)
	}
}

// send publishes until ctx ends.
func (p *Peers) send(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case data := <-p.out:
			sctx, cancel := context.WithTimeout(ctx, sendLimit)
			err := p.opt.Wire.Publish(sctx, p.topic(contract.Claim), data, 0, false)
			cancel()
			if err != nil && ctx.Err() == nil {
				p.opt.Log.Info("claim not sent", "component", "peers", "error", err)
			}
		}
	}
}

// Contend lets the boxes decide which one answers what b describes. False: no other box is
// online, and this one answers. Otherwise tell is called within 250 ms, on a goroutine of
// Peers. It is called again if that verdict came only because the others were slow, and is
// now confirmed or reversed. Contend never waits.
func (p *Peers) Contend(b Bid, tell func(Verdict)) bool {
	if p.opt.House == "" || !p.running.Load() || !p.opt.Wire.Online() {
		return false
	}
	alone := p.directory.count() == 0
	if alone {
		tell = nil // boxes that are about to join are only told
	}
	return queue.Offer(p.bids, bid{Bid: b, tell: tell}) && !alone
}

// Connected is called at every connection to the broker, which then says again who is there. It may have lost a
// box that went with it.
func (p *Peers) Connected() { p.directory.away() }

// Receive takes a message from the broker. It does not block.
func (p *Peers) Receive(topic string, payload []byte) {
	if p.opt.House == "" || len(payload) > maxMessage {
		return
	}
	if topic == p.replies() {
		p.answered(payload)
		return
	}
	if topic == p.topic(contract.Claim) {
		if c, ok := parseCall(payload); ok && !queue.Offer(p.in, c) {
			p.dropped.Add(1)
		}
		return
	}
	if node, ok := strings.CutPrefix(topic, p.topic(contract.Boxes)+"/"); ok {
		p.directory.listed(node, len(payload) > 0)
		return
	}
	if rest, ok := strings.CutPrefix(topic, p.opt.Prefix+"/"); ok {
		if node, level, ok := strings.Cut(rest, "/"); ok {
			p.directory.hear(node, level, payload)
		}
	}
}
