package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/daemon/mqtt/contract"
)

// broker hands every message on to all boxes in one order, after the way there and
// the way back.
type broker struct {
	mu    sync.Mutex
	queue chan func()
	boxes []*box
	kept  map[string][]byte
	way   func() time.Duration // of a message, either direction
}

// box is one of a house, at the broker.
type box struct {
	*Peers
	t      *testing.T
	broker *broker
	name   string
	in     chan func() // what the broker sends, in its order
	off    atomic.Bool
	obeys  func(topic string, payload []byte) // what is sent to it, or nil
	won    chan time.Duration
	lost   chan string
}

func newBroker(way func() time.Duration) *broker {
	return &broker{queue: make(chan func(), 1000), kept: map[string][]byte{}, way: way}
}

func (b *broker) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case do := <-b.queue:
			do()
		}
	}
}

func (b *broker) publish(topic string, payload []byte, retain bool) {
	b.queue <- func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if retain {
			b.kept[topic] = payload
		}
		for _, to := range b.boxes {
			to.hand(topic, payload)
		}
	}
}

func (x *box) hand(topic string, payload []byte) {
	at := time.Now().Add(x.broker.way())
	x.in <- func() {
		time.Sleep(time.Until(at))
		if !x.off.Load() {
			x.Receive(topic, payload)
			if x.obeys != nil {
				x.obeys(topic, payload)
			}
		}
	}
}

func (x *box) Online() bool              { return !x.off.Load() }
func (x *box) Unwatch(filters ...string) {}

func (x *box) Watch(filters ...string) {
	x.broker.mu.Lock()
	defer x.broker.mu.Unlock()
	for _, f := range filters {
		for topic, payload := range x.broker.kept {
			if topic == f || strings.HasSuffix(f, "/+") && strings.HasPrefix(topic, strings.TrimSuffix(f, "+")) {
				x.hand(topic, payload)
			}
		}
	}
}

func (x *box) Publish(_ context.Context, topic string, payload []byte, _ byte, retain bool) error {
	if x.off.Load() {
		return errors.New("there is no connection")
	}
	go func() {
		time.Sleep(x.broker.way())
		x.broker.publish(topic, payload, retain)
	}()
	return nil
}

// house runs some boxes that know each other.
func house(t *testing.T, way func() time.Duration, names ...string) (boxes []*box, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	b := newBroker(way)
	for _, name := range names {
		b.kept[contract.HouseTopic("hearth", "home", contract.Boxes)+"/"+name] = []byte("1")
		b.kept["hearth/"+name+"/"+contract.About] = []byte(`{"house":"home","groups":["upstairs"],"area":"Big Room"}`)
		b.kept["hearth/"+name+"/"+contract.Availability] = []byte(contract.Online)
	}
	wg.Go(func() { b.run(ctx) })
	for _, name := range names {
		x := &box{t: t, broker: b, name: name, in: make(chan func(), 1000), won: make(chan time.Duration, 10),
			lost: make(chan string, 10)}
		var err error
		x.Peers, err = New(Options{Wire: x, Prefix: "hearth", House: "home", Node: name, Named: func([]string) {},
			Log: quiet()})
		if err != nil {
			t.Fatal(err)
		}
		b.mu.Lock()
		b.boxes = append(b.boxes, x)
		b.mu.Unlock()
		boxes = append(boxes, x)
		wg.Go(func() {
			if err := x.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case do := <-x.in:
					do()
				}
			}
		})
	}
	time.Sleep(10 * time.Second)
	synctest.Wait()
	for _, x := range boxes {
		if n := x.directory.count(); n != len(names)-1 {
			t.Errorf("%s knows %d boxes", x.name, n)
		}
	}
	return boxes, func() { cancel(); wg.Wait() }
}

// called lets a box hear a wake word now.
func (x *box) called(score, level float32, busy bool) {
	begun := time.Now()
	contested := x.Contend(Bid{Score: score, Level: level, Busy: busy, Since: begun.Add(-2 * time.Second)},
		func(v Verdict) {
			if v.Won {
				x.won <- time.Since(begun)
			} else {
				x.lost <- v.Box
			}
		})
	if !contested {
		x.won <- 0
	}
}

// outcome is who answers, and the longest that a box waited.
func outcome(boxes []*box) (answers []string, waited time.Duration) {
	time.Sleep(5 * time.Second)
	synctest.Wait()
	for _, x := range boxes {
		for {
			select {
			case took := <-x.won:
				answers = append(answers, x.name)
				waited = max(waited, took)
				continue
			default:
			}
			break
		}
		for len(x.lost) > 0 {
			<-x.lost
		}
	}
	return answers, waited
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// within is a way that takes a random time.
func within(from, to time.Duration) func() time.Duration {
	return func() time.Duration { return from + rand.N(to-from+1) }
}

func names(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("box%d", i))
	}
	return list
}
