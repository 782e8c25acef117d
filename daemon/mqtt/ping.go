package mqtt

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"hearthd/daemon/mqtt/contract"
)

// try finds out what the broker lets through, once per connection. Mosquitto acknowledges what it drops, messages and
// subscriptions: only what comes back has come through.
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

// pingTopic is what hearthd sends itself messages by. Access lists let a box write below its own topics and read
// below set; commands are one level higher.
func (b *Bridge) pingTopic() string { return b.topic(contract.Set) + "/doctor/ping" }

// ping sends a message to this box itself, and gives how long it took; 0: it does not come back.
func (b *Bridge) ping(ctx context.Context, l *link) (round time.Duration, err error) {
	topic, word := b.pingTopic(), rand.Text()
	back := make(chan time.Time, 1)
	hear := func(_ paho.Client, m paho.Message) {
		if string(m.Payload()) != word {
			return // another one's
		}
		select {
		case back <- time.Now():
		default:
		}
	}
	token := l.client.Subscribe(topic, 1, hear)
	if err := answered(ctx, token); err != nil {
		return 0, fmt.Errorf("subscribe to %q: %w", topic, err)
	}
	defer l.client.Unsubscribe(topic) // nobody waits for it
	if len(refused(token)) > 0 {
		return 0, nil
	}
	sent := time.Now()
	if err := answered(ctx, l.client.Publish(topic, 1, false, word)); err != nil {
		return 0, fmt.Errorf("publish to %q: %w", topic, err)
	}
	late := time.NewTimer(ackLimit)
	defer late.Stop()
	select {
	case at := <-back:
		return at.Sub(sent), nil
	case <-late.C:
		return 0, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
