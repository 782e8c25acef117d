package mqtt

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/queue"

	paho "github.com/eclipse/paho.mqtt.golang"
)

// try finds out, once per connection, what the access list of the broker lets through. Mosquitto acknowledges even the
// messages and subscriptions that it drops, so only a message that comes back proves anything.
func (b *Bridge) try(ctx context.Context, l *link) {
	round, err := b.ping(ctx, l)
	if ctx.Err() != nil || err != nil && !l.client.IsConnectionOpen() {
		return // the next connection is tried again
	}
	if err != nil || round == 0 {
		b.access.deny(b.pingTopic())
	}
	b.access.deny(b.out.withheld()...)
	b.access.settle()
}

// pingTopic is where hearthd sends messages to itself. Access lists let a box write below its own topics and read
// below "set"; commands are one level higher.
func (b *Bridge) pingTopic() string { return b.topic(contract.Set) + "/doctor/ping" }

// ping sends a message to this box itself and returns how long it took; 0: it does not come back.
func (b *Bridge) ping(ctx context.Context, l *link) (round time.Duration, err error) {
	topic, word := b.pingTopic(), rand.Text()
	back := make(chan time.Time, 1)
	hear := func(_ paho.Client, m paho.Message) {
		if string(m.Payload()) != word {
			return // of another ping
		}
		queue.Offer(back, time.Now())
	}
	token := l.client.Subscribe(topic, 1, hear)
	if err := acknowledged(ctx, token, nil); err != nil {
		return 0, fmt.Errorf("subscribe to %q: %w", topic, err)
	}
	defer l.client.Unsubscribe(topic) // nobody waits for it
	if len(refused(token)) > 0 {
		return 0, nil
	}
	sent := time.Now()
	if err := acknowledged(ctx, l.client.Publish(topic, 1, false, word), nil); err != nil {
		return 0, fmt.Errorf("publish to %q: %w", topic, err)
	}
	select {
	case at := <-back:
		return at.Sub(sent), nil
	case <-time.After(ackLimit):
		return 0, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
