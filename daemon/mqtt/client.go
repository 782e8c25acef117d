package mqtt

import (
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"hearthd/daemon/mqtt/contract"
)

const (
	connectLimit = 5 * time.Second // for dialling, and again for each handshake
	ackLimit     = 5 * time.Second
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
