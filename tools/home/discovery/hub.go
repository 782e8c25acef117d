package discovery

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"hearthd/tools/home"
)

const maxNamed = 100 // skipped documents that are listed

// broker is the connection to the devices. Its methods do not wait, except Publish, which fails at
// once without a connection.
type broker interface {
	Watch(filters ...string)
	Unwatch(filters ...string)
	Publish(ctx context.Context, topic string, payload []byte, qos byte, retain bool) error
	Online() bool
}

// Options is what New takes.
type Options struct {
	Broker broker
	Prefix string // of discovery topics; empty: homeassistant
	// Birth asks devices for their state as a starting Home Assistant does, with
	// "online" on PREFIX/status: what Zigbee2MQTT knows is not retained.
	Birth bool
	// Found is called by Run, after documents came, with all devices.
	Found func()
	Log   *slog.Logger
}

// Hub is the devices on a broker.
type Hub struct {
	opt   Options
	bell  chan struct{} // cap 1; rung when documents came
	inbox *inbox
	house house // of the reader

	mu       sync.Mutex
	entities map[string]*entity
	skipped  map[string]string // why, by topic
	aside    map[string]string // templates, by entity
	logged   int
	polls    map[message]bool // that are still to be sent
	born     bool             // "online" was sent over this connection
	changed  chan struct{}
}

// New makes a hub and asks the broker for the documents.
func New(o Options) (*Hub, error) {
	if o.Broker == nil || o.Log == nil {
		return nil, errors.New("make device hub: a broker and a logger are needed")
	}
	if o.Prefix == "" {
		o.Prefix = "homeassistant"
	}
	h := &Hub{
		opt: o, bell: make(chan struct{}, 1), inbox: newInbox(), house: newHouse(), entities: map[string]*entity{},
		skipped: map[string]string{}, aside: map[string]string{}, polls: map[message]bool{}, changed: make(chan struct{}),
	}
	o.Broker.Watch(o.Prefix+"/+/+/config", o.Prefix+"/+/+/+/config", tasmotaPrefix+"+/config", tasmotaPrefix+"+/sensors")
	return h, nil
}

const tasmotaPrefix = "tasmota/discovery/"

// boardTopic is a topic of Tasmota below its prefix. The name of a board is the address of
// its network card.
var boardTopic = regexp.MustCompile(`^([A-Z0-9]{1,32})/(config|sensors)$`)

func (h *Hub) ring() {
	select {
	case h.bell <- struct{}{}:
	default:
	}
}

// named is a topic as it is shown to people.
func named(topic string) string { return home.Clean(strings.ReplaceAll(topic, "/", " / ")) }

// skip names a document that is not understood.
func (h *Hub) skip(topic string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	topic = named(topic)
	if _, known := h.skipped[topic]; !known && len(h.skipped) >= maxNamed {
		return
	}
	h.skipped[topic] = err.Error()
	if h.logged++; h.logged <= maxNamed {
		h.opt.Log.Warn("device document skipped", "component", "home", "topic", topic, "error", err)
	}
}

// understood forgets what was wrong with a document.
func (h *Hub) understood(topic string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.skipped, named(topic))
}

// Skipped names what was not understood, at most a hundred, and why.
func (h *Hub) Skipped() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []string
	for _, t := range slices.Sorted(maps.Keys(h.skipped)) {
		out = append(out, t+": "+h.skipped[t])
	}
	return out
}

// Missed is how many messages of this connection were dropped for lack of room.
func (h *Hub) Missed() int { return h.inbox.missed(false) }
