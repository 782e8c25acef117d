package mqtt

import (
	"context"

	paho "github.com/eclipse/paho.mqtt.golang"

	"hearthd/daemon/mqtt/contract"
)

// retire takes back what the box published under a name that it had before, so that neither the
// broker nor Home Assistant keeps a box that is no more. Another box may have that name by now, as
// one from whose backup this one was made: only a name that is offline is taken back, and a box
// that comes back to it publishes everything again.
func (b *Bridge) retire(ctx context.Context, l *link, former contract.Device) {
	if former.Prefix != b.device.Prefix || former.Node != b.device.Node {
		offline := make(chan struct{}, 1)
		token := l.client.Subscribe(former.Own(contract.Availability), 1, func(_ paho.Client, m paho.Message) {
			if m.Retained() && string(m.Payload()) == contract.Offline {
				select {
				case offline <- struct{}{}:
				default:
				}
			}
		})
		defer l.client.Unsubscribe(former.Own(contract.Availability))
		for _, answered := range []<-chan struct{}{token.Done(), offline} {
			select {
			case <-answered:
			case <-ctx.Done():
				return
			}
		}
	}
	done := make(chan struct{})
	topics := former.Retained(b.device)
	for i, topic := range topics {
		m := message{topic: topic, retained: true, optional: true}
		if i == len(topics)-1 {
			m.done = done
		}
		b.out.put(m)
	}
	if len(topics) == 0 {
		close(done)
	}
	select {
	case <-done:
		b.opt.Retired(ctx, former)
	case <-ctx.Done():
	}
}
