package discovery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"hearthd/tools/home"
	"hearthd/tools/home/template"
)

// Bounds of a house.
const (
	maxEntities  = 20_000
	maxKept      = 16 << 20 // bytes of messages that are kept for devices that are yet to be found
	maxKeptOne   = 16 << 10 // of one message
	maxTemplates = 20_000   // different ones that are kept parsed
	maxNamed     = 100      // skipped documents that are listed
	// settled is how long no document may come before the finding is taken to be
	// over for now.
	settled = time.Second
	// latest is when it is taken to be over though documents go on coming: some
	// devices send theirs again and again.
	latest = 10 * time.Second
)

// broker is the connection to the devices. Its methods do not wait but Publish,
// which fails at once without a connection.
type broker interface {
	Watch(filters ...string)
	Unwatch(filters ...string)
	Publish(ctx context.Context, topic string, payload []byte, qos byte, retain bool) error
}

// Options is what New takes.
type Options struct {
	Broker broker
	Prefix string // of discovery topics; empty: homeassistant
	// Birth asks devices for their state as a starting Home Assistant does, with
	// "online" on PREFIX/status: what Zigbee2MQTT knows is not retained.
	Birth bool
	// Found is called by Run, after documents came, with what there now is.
	Found func()
	Log   *slog.Logger
}

// Hub is the devices on a broker.
type Hub struct {
	opt  Options
	bell chan struct{} // cap 1; rung when documents came

	mu       sync.Mutex
	entities map[string]*entity
	docs     map[string]*doc            // by topic
	boards   map[string]*board          // Tasmota devices, by address
	topics   map[string]map[string]bool // of the entities that follow each
	kept     map[string]template.Message
	keptSize int
	tmpls    map[string]*template.Template
	skipped  map[string]string // why, by topic
	logged   int
	polls    map[message]bool // that are still to be sent
	born     bool             // "online" was sent over this connection
	changed  chan struct{}
}

// doc is a document and the entities that it made.
type doc struct{ ids []string }

// board is the two documents of a Tasmota device.
type board struct{ config, sensors []byte }

// New makes a hub and asks the broker for the documents.
func New(o Options) (*Hub, error) {
	if o.Broker == nil || o.Log == nil {
		return nil, errors.New("make device hub: a broker and a logger are needed")
	}
	if o.Prefix == "" {
		o.Prefix = "homeassistant"
	}
	h := &Hub{
		opt: o, bell: make(chan struct{}, 1),
		entities: map[string]*entity{}, docs: map[string]*doc{}, boards: map[string]*board{}, topics: map[string]map[string]bool{},
		kept: map[string]template.Message{}, tmpls: map[string]*template.Template{}, skipped: map[string]string{}, polls: map[message]bool{},
		changed: make(chan struct{}),
	}
	o.Broker.Watch(o.Prefix+"/+/+/config", o.Prefix+"/+/+/+/config", tasmotaPrefix+"+/config", tasmotaPrefix+"+/sensors")
	return h, nil
}

const tasmotaPrefix = "tasmota/discovery/"

// maxBoardID bounds the name of a board, which is the address of its network card.
const maxBoardID = 32

// Run asks found devices for their state until ctx ends.
func (h *Hub) Run(ctx context.Context) error {
	quiet := time.NewTimer(settled)
	defer quiet.Stop()
	first := time.Now() // of the documents that nobody was told of yet
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-h.bell:
			if first.IsZero() {
				first = time.Now()
			}
			quiet.Reset(min(settled, latest-time.Since(first)))
		case <-quiet.C:
			first = time.Time{}
			h.settle(ctx)
		}
	}
}

// settle tells of what was found, and asks it how it is.
func (h *Hub) settle(ctx context.Context) {
	h.mu.Lock()
	polls := slices.Collect(maps.Keys(h.polls))
	clear(h.polls)
	birth := h.opt.Birth && !h.born && slices.ContainsFunc(slices.Collect(maps.Values(h.entities)), func(e *entity) bool { return len(e.Reports) > 0 && len(e.State) == 0 })
	h.born = h.born || birth
	h.mu.Unlock()
	if h.opt.Found != nil {
		h.opt.Found()
	}
	if birth {
		polls = append(polls, message{h.opt.Prefix + "/status", "online"})
	}
	for _, m := range polls {
		if err := h.opt.Broker.Publish(ctx, m.topic, []byte(m.payload), 0, false); err != nil {
			h.opt.Log.Debug("ask device", "component", "home", "topic", m.topic, "error", err)
			return // the next connection asks again
		}
	}
}

// Connected says that there is a new connection: what is not retained may have
// been missed.
func (h *Hub) Connected() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.born = false
	for _, e := range h.entities {
		for _, p := range e.polls {
			h.polls[p] = true
		}
	}
	h.ring()
}

func (h *Hub) ring() {
	select {
	case h.bell <- struct{}{}:
	default:
	}
}

// Receive takes a message of the broker. It may be called with any.
func (h *Hub) Receive(topic string, payload []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if rest, ok := strings.CutPrefix(topic, h.opt.Prefix+"/"); ok && strings.HasSuffix(topic, "/config") {
		h.document(topic, rest, payload)
		return
	}
	if rest, ok := strings.CutPrefix(topic, tasmotaPrefix); ok {
		h.board(topic, rest, payload)
		return
	}
	h.message(topic, payload)
}

// document takes a discovery document in.
func (h *Hub) document(topic, rest string, payload []byte) {
	h.ring()
	delete(h.skipped, named(topic))
	d, err := parseDocument(rest, payload)
	made := map[string]*entity{}
	if err != nil {
		h.skip(topic, err)
	}
	base := strings.TrimSuffix(rest, "/config")
	for id, p := range d.parts {
		if unspoken[p.platform] {
			continue
		}
		e, err := build(p.platform, p.cfg, h.template)
		switch {
		case err == nil:
			made[strings.TrimSuffix(base+"/"+id, "/")] = e
		case id == "":
			h.skip(topic, err)
		default:
			d.wrong[id] = err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(d.wrong)) {
		h.skip(topic, fmt.Errorf("component %.40q: %w", id, d.wrong[id]))
	}
	h.replace(topic, made)
}

// board takes a document of Tasmota in.
func (h *Hub) board(topic, rest string, payload []byte) {
	h.ring()
	mac, what, _ := strings.Cut(rest, "/")
	if mac == "" || len(mac) > maxBoardID || strings.Trim(mac, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" || what != "config" && what != "sensors" {
		h.skip(topic, errors.New("the topic is not ADDRESS/config or ADDRESS/sensors"))
		return
	}
	if h.boards[mac] == nil {
		if len(h.boards) >= maxEntities {
			h.skip(topic, fmt.Errorf("there are more than %d devices", maxEntities))
			return
		}
		h.boards[mac] = &board{}
	}
	b := h.boards[mac]
	if len(payload) > maxDocument {
		h.skip(topic, fmt.Errorf("%d bytes are more than %d", len(payload), maxDocument))
		return
	}
	if what == "config" {
		b.config = slices.Clone(payload)
	} else {
		b.sensors = slices.Clone(payload)
	}
	delete(h.skipped, named(topic))
	made := map[string]*entity{}
	if len(b.config) > 0 {
		t, err := parseTasmota(mac, b.config, h.template)
		var parts map[string]*entity
		if err == nil {
			parts, err = t.entities(b.sensors)
		}
		if err != nil {
			h.skip(topic, err)
		}
		for id, e := range parts {
			made["tasmota/"+mac+"/"+id] = e
		}
	} else if len(b.sensors) == 0 {
		delete(h.boards, mac)
	}
	h.replace(tasmotaPrefix+mac, made)
}

// template parses a template once.
func (h *Hub) template(source string) (*template.Template, error) {
	if t, ok := h.tmpls[source]; ok {
		return t, nil
	}
	t, err := template.Parse(source)
	if err == nil {
		if len(h.tmpls) >= maxTemplates {
			clear(h.tmpls)
		}
		h.tmpls[source] = t
	}
	return t, err
}

// named is how a topic is told.
func named(topic string) string { return home.Clean(strings.ReplaceAll(topic, "/", " / ")) }

// skip names a document that is not understood.
func (h *Hub) skip(topic string, err error) {
	topic = named(topic)
	if _, known := h.skipped[topic]; !known && len(h.skipped) >= maxNamed {
		return
	}
	h.skipped[topic] = err.Error()
	if h.logged++; h.logged <= maxNamed {
		h.opt.Log.Warn("device document skipped", "component", "home", "topic", topic, "error", err)
	}
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
