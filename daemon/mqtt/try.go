package mqtt

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/eclipse/paho.mqtt.golang/packets"

	"hearthd/daemon/mqtt/find"
)

// Trip is what Try found.
type Trip struct {
	Address string        // of the broker
	Connect time.Duration // until it has welcomed us
	// Round is how long a message to ourselves took; 0: the broker does not deliver it.
	Round time.Duration
}

// Refusal says in a sentence why a broker cannot be used, like the condition "broker".
// Login: it refuses the user or the password.
type Refusal struct {
	Text  string
	Login bool
}

func (r *Refusal) Error() string { return r.Text }

func whyNot(p endpoint, err error) *Refusal {
	return &Refusal{
		Text: explain(p, err).text,
		Login: errors.Is(err, packets.ErrorRefusedBadUsernameOrPassword) ||
			errors.Is(err, packets.ErrorRefusedNotAuthorised),
	}
}

// Try connects to the broker of o with a client of its own, sends itself a message below
// the box's own topics, and disconnects. Of o it needs only what leads to the broker, and
// Device. Its error is a Refusal where it could not connect.
func Try(ctx context.Context, o Options) (Trip, error) {
	p, err := o.endpoint()
	if err != nil {
		return Trip{}, err
	}
	if p, err = p.find(ctx, find.Brokers); err != nil {
		return Trip{Address: p.address}, whyNot(p, err)
	}
	t := Trip{Address: p.address}
	begun := time.Now()
	b := &Bridge{opt: o}
	b.device = &b.opt.Device
	l, err := b.link(ctx, p, visitor)
	if err != nil {
		return t, whyNot(p, err)
	}
	defer l.cut()
	t.Connect = time.Since(begun)
	if t.Round, err = b.ping(ctx, l); err != nil {
		return t, err
	}
	l.client.Disconnect(uint(farewell.Milliseconds()))
	return t, nil
}

// visitor changes options for a client that connects once: it gets an id of its own, or it
// would push the Bridge out, and no will, which would say that the box is gone.
func visitor(o *paho.ClientOptions) {
	o.SetClientID(fmt.Sprintf("hearthd.doctor.%08x", rand.Uint32()))
	// All fields: brokers refuse a connection with half a will.
	o.WillEnabled, o.WillTopic, o.WillPayload, o.WillQos, o.WillRetained = false, "", nil, 0, false
}
