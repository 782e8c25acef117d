package discovery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
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

var tasmotaForm = regexp.MustCompile(`^([A-Z0-9]{1,32})/(config|sensors)$`)

// Run asks found devices for their state until ctx ends.
func (h *Hub) Run(ctx context.Context) error {
	quiet := time.NewTimer(settled)
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-h.bell:
			quiet.Reset(settled)
		case <-quiet.C:
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
	delete(h.skipped, topic)
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
		if err != nil {
			if id != "" {
				err = fmt.Errorf("component %.40q: %w", id, err)
			}
			h.skip(topic, err)
			continue
		}
		made[strings.TrimSuffix(base+"/"+id, "/")] = e
	}
	h.replace(topic, made)
}

// board takes a document of Tasmota in.
func (h *Hub) board(topic, rest string, payload []byte) {
	h.ring()
	m := tasmotaForm.FindStringSubmatch(rest)
	if m == nil {
		h.skip(topic, errors.New("the topic is not ADDRESS/config or ADDRESS/sensors"))
		return
	}
	mac := m[1]
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
	if m[2] == "config" {
		b.config = slices.Clone(payload)
	} else {
		b.sensors = slices.Clone(payload)
	}
	delete(h.skipped, topic)
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

// skip names a document that is not understood.
func (h *Hub) skip(topic string, err error) {
	topic = home.Clean(strings.ReplaceAll(topic, "/", " / "))
	if _, named := h.skipped[topic]; !named && len(h.skipped) >= maxNamed {
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

// replace puts the entities of a document in the place of those it had.
func (h *Hub) replace(source string, made map[string]*entity) {
	old := h.docs[source]
	var drop, follow []string
	if old != nil {
		for _, id := range old.ids {
			if e := made[id]; e != nil {
				e.State, e.Offline, e.heard = h.entities[id].State, h.entities[id].Offline, h.entities[id].heard
				e.keepPlaces(h.entities[id])
			}
			drop = append(drop, h.remove(id)...)
		}
	}
	delete(h.docs, source)
	if len(made) > 0 {
		d := &doc{}
		for _, id := range slices.Sorted(maps.Keys(made)) {
			if len(h.entities) >= maxEntities {
				h.skip(source, fmt.Errorf("there are more than %d devices", maxEntities))
				break
			}
			if h.entities[id] != nil { // of another document
				continue
			}
			d.ids = append(d.ids, id)
			follow = append(follow, h.add(id, made[id])...)
		}
		h.docs[source] = d
	}
	gone := slices.DeleteFunc(drop, func(t string) bool { return h.topics[t] != nil })
	for _, t := range gone {
		if m, ok := h.kept[t]; ok {
			h.keptSize -= len(m.Text())
			delete(h.kept, t)
		}
	}
	if len(gone) > 0 {
		h.opt.Broker.Unwatch(gone...)
	}
	if len(follow) > 0 {
		h.opt.Broker.Watch(follow...)
	}
	h.change()
}

// keepPlaces takes over what an earlier version of the entity said of being there.
func (e *entity) keepPlaces(old *entity) {
	for i := range e.places {
		for _, p := range old.places {
			if p.topic == e.places[i].topic {
				e.places[i].offline = p.offline
			}
		}
	}
}

// followed are the topics of an entity.
func (e *entity) followed() []string {
	var out []string
	for _, r := range e.reads {
		out = append(out, r.topic)
	}
	for _, p := range e.places {
		out = append(out, p.topic)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// add puts an entity in and gives the topics that nobody followed.
func (h *Hub) add(id string, e *entity) (fresh []string) {
	e.ID = id
	h.entities[id] = e
	for _, t := range e.followed() {
		if h.topics[t] == nil {
			h.topics[t] = map[string]bool{}
			fresh = append(fresh, t)
		} else if m, ok := h.kept[t]; ok {
			h.tell(e, t, m)
		}
		h.topics[t][id] = true
	}
	for _, p := range e.polls {
		h.polls[p] = true
	}
	return fresh
}

// remove takes an entity out and gives the topics that nobody follows any more.
func (h *Hub) remove(id string) (gone []string) {
	e := h.entities[id]
	delete(h.entities, id)
	for _, t := range e.followed() {
		delete(h.topics[t], id)
		if len(h.topics[t]) == 0 {
			delete(h.topics, t)
			gone = append(gone, t)
		}
	}
	return gone
}

// message takes what a device says of its state.
func (h *Hub) message(topic string, payload []byte) {
	ids := h.topics[topic]
	if ids == nil {
		return
	}
	m := template.Read(string(payload))
	if old, ok := h.kept[topic]; ok {
		h.keptSize -= len(old.Text())
		delete(h.kept, topic)
	}
	if len(payload) <= maxKeptOne && h.keptSize+len(payload) <= maxKept {
		h.kept[topic] = m
		h.keptSize += len(payload)
	}
	for id := range ids {
		h.tell(h.entities[id], topic, m)
	}
	h.change()
}

// tell has an entity take a message.
func (h *Hub) tell(e *entity, topic string, m template.Message) {
	e.there(topic, m)
	var next home.State
	for _, r := range e.reads {
		if r.topic != topic {
			continue
		}
		if next == nil {
			next = maps.Clone(e.State) // others may hold the old one
		}
		if err := r.take(m, next); err != nil {
			h.opt.Log.Debug("state not understood", "component", "home", "topic", topic, "error", err)
		}
	}
	if next != nil {
		e.State, e.heard = next, time.Now()
	}
}

func (h *Hub) change() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// Changed is closed at the next change of any device.
func (h *Hub) Changed() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed
}

// Entities gives all devices.
func (h *Hub) Entities() []home.Entity {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]home.Entity, 0, len(h.entities))
	for _, e := range h.entities {
		out = append(out, e.now())
	}
	return out
}

// Entity gives one device.
func (h *Hub) Entity(id string) (home.Entity, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.entities[id]
	if e == nil {
		return home.Entity{}, false
	}
	return e.now(), true
}

// now is the entity without what is too old. Its maps do not change.
func (e *entity) now() home.Entity {
	out := e.Entity
	if e.expires > 0 && time.Since(e.heard) > e.expires {
		out.State = home.State{}
	}
	return out
}

// order is that in which several things are sent: what switches a device on
// comes before what it is to be.
var order = []home.Key{
	home.Main, home.Mode, home.Preset, home.Target, home.TargetLow, home.TargetHigh, home.FanMode, home.SwingMode, home.TargetHumidity,
	home.Speed, home.Oscillation, home.Direction, home.Position, home.Tilt, home.Brightness, home.Kelvin, home.Colour, home.Effect,
}

// Send publishes what makes a device be as want says. It returns when the broker
// has it.
func (h *Hub) Send(ctx context.Context, id string, want home.State) error {
	h.mu.Lock()
	e := h.entities[id]
	if e == nil {
		h.mu.Unlock()
		return fmt.Errorf("send to %q: it is gone", id)
	}
	have, qos, retain := e.State, e.qos, e.retain
	h.mu.Unlock()
	messages, err := e.messages(want, have)
	if err != nil {
		return fmt.Errorf("send to %q: %w", id, err)
	}
	for _, m := range messages {
		if err := h.opt.Broker.Publish(ctx, m.topic, []byte(m.payload), qos, retain); err != nil {
			return fmt.Errorf("send to %q: %w", id, err)
		}
	}
	h.assume(id, want)
	return nil
}

func (e *entity) messages(want, have home.State) ([]message, error) {
	for k := range want {
		if !e.Can[k] {
			return nil, errWant
		}
	}
	if e.compose != nil {
		return e.compose(want, have)
	}
	var out []message
	for _, k := range order {
		v, ok := want[k]
		if !ok {
			continue
		}
		text, err := e.senders[k].make(v)
		if err != nil {
			return nil, err
		}
		out = append(out, message{e.senders[k].topic, text})
	}
	return out, nil
}

// assume takes for true what a device does not report.
func (h *Hub) assume(id string, want home.State) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.entities[id]
	if e == nil {
		return
	}
	next := maps.Clone(e.State)
	for k, v := range want {
		if !e.Reports[k] {
			next[k] = v
		}
	}
	e.State = next
	h.change()
}
