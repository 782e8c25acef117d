package mqtt

import (
	"context"
	"fmt"
	"time"

	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/queue"

	paho "github.com/eclipse/paho.mqtt.golang"
)

const (
	// handOver is how long the library may take to accept a message. It holds one at a
	// time, so it is busy only when the network is stuck.
	handOver  = time.Second
	keepAlive = 20 * time.Second
	pingLimit = 5 * time.Second
)

// clientOptions sets up a client for one connection. Its last will says that the box is
// offline, should hearthd disappear.
func (b *Bridge) clientOptions(p endpoint, open paho.OpenConnectionFunc) *paho.ClientOptions {
	o := paho.NewClientOptions()
	o.AddBroker("tcp://" + p.address) // needed, though open knows where to go
	o.SetCustomOpenConnectionFn(open)
	// Two clients with one id would disconnect each other again and again, so the id is as unique
	// as the topics. No topic level contains a dot.
	o.SetClientID("hearthd." + b.device.Prefix + "." + b.device.Node)
	o.SetUsername(b.opt.User)
	o.SetPassword(b.opt.Password)
	// Set explicitly; otherwise the library answers a refusal by trying MQTT 3.1.
	o.SetProtocolVersion(4)
	// Commands that were sent while the box was offline are not carried out late.
	o.SetCleanSession(true)
	// Commands keep their order; the handler never waits.
	o.SetOrderMatters(true)
	o.SetAutoReconnect(false)
	o.SetConnectTimeout(connectLimit)
	o.SetWriteTimeout(handOver)
	o.SetKeepAlive(keepAlive)
	o.SetPingTimeout(pingLimit)
	// One handler for all topics: with one for each, the library compares every message with all of them.
	o.SetDefaultPublishHandler(func(c paho.Client, m paho.Message) {
		for _, f := range b.opt.Feeds {
			f.received(c, m)
		}
	})
	o.SetBinaryWill(b.topic(contract.Availability), []byte(contract.Offline), 1, true)
	return o
}

// connect opens a connection and waits until the broker has accepted it.
func (b *Bridge) connect(ctx context.Context, p endpoint) (*link, error) {
	return b.link(ctx, p, func(*paho.ClientOptions) {})
}

// link is connect with options that change has altered.
func (b *Bridge) link(ctx context.Context, p endpoint, change func(*paho.ClientOptions)) (*link, error) {
	d := &dialler{opt: &b.opt, endpoint: p}
	l := &link{lost: make(chan error, 1), cut: d.cut}
	o := b.clientOptions(p, d.open(ctx))
	change(o)
	o.SetConnectionLostHandler(func(_ paho.Client, err error) {
		queue.Offer(l.lost, fmt.Errorf("%w: %w", errLost, err))
	})
	l.client = paho.NewClient(o)
	// The handshake has a deadline of its own, connectLimit, and ends with ctx.
	stop := context.AfterFunc(ctx, d.cut)
	token := l.client.Connect()
	<-token.Done()
	if err := token.Error(); err != nil {
		stop()
		return nil, fmt.Errorf("connect to %q: %w", p.address, d.blame(err))
	}
	if !stop() {
		return nil, ctx.Err() // cut before anything was said
	}
	return l, nil
}
