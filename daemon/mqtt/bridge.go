package mqtt

import (
	"sync/atomic"

	"golang.org/x/time/rate"

	"hearthd/daemon/event"
	"hearthd/daemon/mqtt/contract"
)

// maxMessage bounds one message that is published, in bytes. It is far above
// the longest turn, and half of what the embedded broker takes.
const maxMessage = maxPacket / 2

// Bridge is the daemon's presence on a broker.
type Bridge struct {
	opt      Options
	device   *contract.Device
	endpoint endpoint
	out      *outbox
	limits   map[string]*rate.Limiter // how often each command is carried out
	access   access
	sub      *event.Subscription
	quick    chan call
	asks     chan call
	online   atomic.Bool
	born     atomic.Bool  // Home Assistant has started, and has not been answered yet
	trip     atomic.Int64 // time.Duration of the last round trip; 0: none yet
	// quickest is the shortest round trip lately, which says how far away the broker is.
	quickest atomic.Int64
	broker   atomic.Pointer[embedded] // while the embedded broker runs
}

// State is "off", "connecting" or "connected".
func (b *Bridge) State() string {
	switch {
	case b.opt.Broker == contract.NoBroker:
		return "off"
	case b.online.Load():
		return "connected"
	}
	return "connecting"
}

// Forget drops undelivered messages that hold words: turns and answers to commands. Events
// of timers are still sent.
func (b *Bridge) Forget() {
	b.out.forget(b.topic(contract.Event))
	if e := b.broker.Load(); e != nil {
		e.forget(b.topic(contract.Turn), b.topic(contract.Result))
	}
}

// topic is the full name of a topic of this box.
func (b *Bridge) topic(level string) string {
	return b.device.Prefix + "/" + b.device.Node + "/" + level
}

// houseTopic is the full name of a topic that all boxes of the house share.
func (b *Bridge) houseTopic(level string) string {
	return contract.HouseTopic(b.device.Prefix, b.device.House, level)
}
