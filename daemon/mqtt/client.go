package mqtt

import (
	"context"
	"fmt"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"hearthd/daemon/mqtt/contract"
)

const (
	// handOver is how long the library may be busy before it takes a message. It
	// holds one at a time, so it is busy only when the network is stuck.
	handOver  = time.Second
	keepAlive = 20 * time.Second
	pingLimit = 5 * time.Second
)

// clientOptions sets up a client for one connection. The will is what the house
// sees when hearthd disappears.
func (b *Bridge) clientOptions(p peer, open paho.OpenConnectionFunc) *paho.ClientOptions {
	o := paho.NewClientOptions()
	o.AddBroker("tcp://" + p.address) // needed, though open knows where to go
	o.SetCustomOpenConnectionFn(open)
	// Two clients of one id would push each other out for ever: the id is as
	// unique as the topics. No topic level has a dot in it.
	o.SetClientID("hearthd." + b.device.Prefix + "." + b.device.Node)
	o.SetUsername(b.opt.User)
	o.SetPassword(b.opt.Password)
	// Said explicitly, or a refusal is tried again as MQTT 3.1.
	o.SetProtocolVersion(4)
	// Commands that came while we were away are not carried out late.
	o.SetCleanSession(true)
	// Commands keep their order; the handler never waits.
	o.SetOrderMatters(true)
	o.SetAutoReconnect(false)
	o.SetConnectTimeout(connectLimit)
	o.SetWriteTimeout(handOver)
	o.SetKeepAlive(keepAlive)
	o.SetPingTimeout(pingLimit)
	// Not a handler per topic: the library compares each message with all.
	o.SetDefaultPublishHandler(func(c paho.Client, m paho.Message) {
		for _, f := range b.feeds() {
			f.received(c, m)
		}
	})
	o.SetBinaryWill(b.topic(contract.Availability), []byte(contract.Offline), 1, true)
	return o
}

// connect opens a connection and waits for the broker's welcome.
func (b *Bridge) connect(ctx context.Context, p peer) (*link, error) {
	return b.link(ctx, p, func(*paho.ClientOptions) {})
}

// link is connect for a client whose options change alters.
func (b *Bridge) link(ctx context.Context, p peer, change func(*paho.ClientOptions)) (*link, error) {
	d := &dialler{opt: &b.opt, peer: p}
	l := &link{lost: make(chan error, 1), cut: d.cut}
	o := b.clientOptions(p, d.open(ctx))
	change(o)
	o.SetConnectionLostHandler(func(_ paho.Client, err error) {
		select {
		case l.lost <- fmt.Errorf("%w: %w", errLost, err):
		default:
		}
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
