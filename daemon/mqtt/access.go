package mqtt

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"hearthd/daemon/health"
	"hearthd/daemon/mqtt/contract"
)

const (
	// maxDenied bounds the topics that are kept as refused, and shownDenied those that the condition names.
	maxDenied, shownDenied = 100, 5
)

// access keeps the condition that a broker does not let topics through. It may be used by many goroutines.
type access struct {
	conditions *health.Conditions

	mu     sync.Mutex
	denied map[string]bool
}

// begin starts over, for a new connection. The condition stays until settle.
func (a *access) begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.denied = nil
}

// deny notes a topic that the broker refuses.
func (a *access) deny(topics ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := len(a.denied)
	for _, t := range topics {
		if a.denied == nil {
			a.denied = make(map[string]bool)
		}
		if len(a.denied) < maxDenied {
			a.denied[t] = true
		}
	}
	if len(a.denied) > before {
		a.tell()
	}
}

// settle is called when the connection was tried out.
func (a *access) settle() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tell()
}

func (a *access) tell() {
	list := slices.Sorted(maps.Keys(a.denied))
	if len(list) == 0 {
		a.conditions.Clear("broker_access")
		return
	}
	more := ""
	if n := len(list) - shownDenied; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	shown := strings.Join(list[:min(len(list), shownDenied)], ", ")
	a.conditions.Set("broker_access", health.Warning,
		fmt.Sprintf("The MQTT broker does not let through %s%s; see its access list.", shown, more))
}

// refused gives the topics of a subscription that the broker has refused. The library keeps that apart from errors.
func refused(token paho.Token) (topics []string) {
	s, ok := token.(*paho.SubscribeToken)
	if !ok {
		return nil
	}
	for t, code := range s.Result() {
		if code >= subackRefused {
			topics = append(topics, t)
		}
	}
	return topics
}

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
