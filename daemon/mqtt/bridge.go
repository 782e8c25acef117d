package mqtt

import (
	"sync/atomic"

	"hearthd/daemon/event"
	"hearthd/daemon/mqtt/contract"
)

// maxMessage bounds one message that is published, in bytes. It is far above
// the longest turn, and half of what the embedded broker takes.
const maxMessage = maxPacket / 2

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

// topic is the whole name of a topic of this box.
func (b *Bridge) topic(level string) string {
	return b.device.Prefix + "/" + b.device.Node + "/" + level
}

// houseTopic is the whole name of a topic of the house.
func (b *Bridge) houseTopic(level string) string {
	return contract.HouseTopic(b.device.Prefix, b.device.House, level)
}
