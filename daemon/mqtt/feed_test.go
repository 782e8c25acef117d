package mqtt

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/mqtt/contract"

	paho "github.com/eclipse/paho.mqtt.golang"
)

// inbox is a receiver that writes down what came.
type inbox struct {
	mu        sync.Mutex
	got       map[string]string
	connected int
}

func (i *inbox) Receive(topic string, payload []byte) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.got[topic] = string(payload)
}

func (i *inbox) Connected() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.connected++
}

func (i *inbox) has(topic, payload string) func() bool {
	return func() bool {
		i.mu.Lock()
		defer i.mu.Unlock()
		return i.got[topic] == payload
	}
}

// count is of the topics that begin so.
func (i *inbox) count(prefix string) (n int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for topic := range i.got {
		if strings.HasPrefix(topic, prefix) {
			n++
		}
	}
	return n
}

func newInbox() (*Feed, *inbox) {
	f, in := NewFeed(), &inbox{got: map[string]string{}}
	f.Deliver(in)
	return f, in
}

func TestFeedFollowsTopicsOverConnections(t *testing.T) {
	m := newMosquitto(t, anonymous)
	feed, in := newInbox()
	feed.Watch("homeassistant/+/+/config")
	if err := feed.Publish(t.Context(), "x/set", []byte("ON"), 0, false); !errors.Is(err, errOffline) {
		t.Errorf("without a bridge: %v", err)
	}
	m.pub(t, "homeassistant/light/x/config", "-r", "-m", "kept")
	newBox(t, Options{Broker: m.url(), Feeds: []*Feed{feed}}).run(t)
	eventually(t, "the retained document", in.has("homeassistant/light/x/config", "kept"))

	feed.Watch("x/state", "x/availability")
	m.pub(t, "x/state", "-r", "-m", "ON")
	eventually(t, "the state", in.has("x/state", "ON"))
	e := listen(t, "127.0.0.1:"+m.port, "x/set")
	if err := feed.Publish(t.Context(), "x/set", []byte("OFF"), 1, false); err != nil {
		t.Error(err)
	}
	eventually(t, "the command", func() bool { return e.count("x/set OFF") == 1 })

	feed.Unwatch("x/availability")
	feed.Watch("x/last") // is followed after that was given up
	m.pub(t, "x/last", "-r", "-m", "1")
	eventually(t, "the last topic", in.has("x/last", "1"))
	m.pub(t, "x/availability", "-m", "online")
	m.pub(t, "x/last", "-m", "2")
	eventually(t, "the last topic", in.has("x/last", "2"))
	if in.has("x/availability", "online")() {
		t.Error("a topic that was given up is still followed")
	}
}

func TestFeedComesBackWithTheBroker(t *testing.T) {
	address := "127.0.0.1:" + freePort(t)
	feed, in := newInbox()
	feed.Watch("x/state")
	x := newBox(t, Options{Broker: contract.Embedded, Listen: address, Feeds: []*Feed{feed}}).run(t)
	eventually(t, "the bridge", func() bool { return x.State() == "connected" })
	eventually(t, "a message", func() bool {
		_ = feed.Publish(context.Background(), "x/state", []byte("1"), 0, true) // there may be no subscription yet
		return in.has("x/state", "1")()
	})
	if err := x.stop(); err != nil {
		t.Error(err)
	}
	if err := feed.Publish(t.Context(), "x/set", []byte("ON"), 0, false); !errors.Is(err, errOffline) {
		t.Errorf("without a broker: %v", err)
	}
	y := newBox(t, Options{Broker: contract.Embedded, Listen: address, Feeds: []*Feed{feed}}).run(t)
	eventually(t, "the bridge", func() bool { return y.State() == "connected" })
	eventually(t, "a message", func() bool {
		_ = feed.Publish(context.Background(), "x/state", []byte("2"), 0, true)
		return in.has("x/state", "2")()
	})
	if in.connected != 2 {
		t.Errorf("%d connections were told of", in.connected)
	}
}

func TestFeedGetsThousandsOfRetainedMessages(t *testing.T) {
	const many = 3000
	m := newMosquitto(t, anonymous)
	feed, in := newInbox()
	p := paho.NewClient(paho.NewClientOptions().AddBroker("tcp://127.0.0.1:" + m.port).SetAutoReconnect(false))
	if k := p.Connect(); !k.WaitTimeout(deadline) || k.Error() != nil {
		t.Fatal(k.Error())
	}
	t.Cleanup(func() { p.Disconnect(100) })
	for i := range many {
		p.Publish(fmt.Sprintf("homeassistant/switch/n%d/config", i), 0, true, strings.Repeat("x", 300))
	}
	p.Publish("homeassistant/switch/end/config", 1, true, "y").Wait()
	feed.Watch("homeassistant/+/+/config")
	for i := range 500 {
		feed.Watch(fmt.Sprintf("state/%d", i))
	}
	newBox(t, Options{Broker: m.url(), Feeds: []*Feed{feed}}).run(t)
	eventually(t, "all documents", func() bool { return in.count("homeassistant/switch/") == many+1 })
	p.Publish("state/499", 1, true, "ON")
	eventually(t, "the last state", in.has("state/499", "ON"))
}

// slowBroker answers the first request to subscribe late.
type slowBroker struct {
	paho.Client
	asked int
}

type done struct{ *paho.DummyToken }

func (done) Done() <-chan struct{} { c := make(chan struct{}); close(c); return c }

type late struct {
	*paho.DummyToken
	at chan struct{}
}

func (l late) Done() <-chan struct{} { return l.at }

func (b *slowBroker) SubscribeMultiple(map[string]byte, paho.MessageHandler) paho.Token {
	if b.asked++; b.asked > 1 {
		return done{}
	}
	at := make(chan struct{})
	time.AfterFunc(6*time.Second, func() { close(at) })
	return late{at: at}
}

func (b *slowBroker) Publish(string, byte, bool, any) paho.Token { return done{} }

func TestDevicesAreReachedThoughTheBrokerWasSlowOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFeed()
		f.Watch("homeassistant/+/+/config")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		l := &link{client: &slowBroker{}}
		go f.attend(ctx, l, &access{conditions: health.New(event.NewBus())}, slog.New(slog.DiscardHandler))
		time.Sleep(time.Hour) // the connection stays up
		if err := f.Publish(ctx, "lamp/set", []byte("ON"), 0, false); errors.Is(err, errOffline) {
			t.Errorf("an hour later, over a connection that is up: %v", err)
		}
		cancel()
		synctest.Wait()
	})
}
