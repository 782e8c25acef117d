package discovery

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"time"

	"hearthd/tools/home"
	"hearthd/tools/home/template"
)

// Receive takes a message of the broker. It may be called with any message, and does not wait.
func (h *Hub) Receive(topic string, payload []byte) {
	l, most := letter{size: len(payload)}, maxWaitingOne
	switch {
	case h.isDocument(topic):
		most = 1 // the latest replaces the others
		if len(payload) <= maxDocument && len(topic) <= maxTopic {
			l.payload = slices.Clone(payload)
		}
	case len(payload) > template.MaxMessage || len(topic) > maxTopic:
		return // no device has such long messages
	default:
		l.payload = slices.Clone(payload)
	}
	if !h.inbox.put(topic, l, most) {
		h.ring()
	}
}

func (h *Hub) isDocument(topic string) bool {
	return strings.HasPrefix(topic, tasmotaPrefix) ||
		strings.HasPrefix(topic, h.opt.Prefix+"/") && strings.HasSuffix(topic, "/config")
}

// read handles what is delivered until ctx ends.
func (h *Hub) read(ctx context.Context) {
	for {
		h.readAll(ctx)
		select {
		case <-ctx.Done():
			return
		case <-h.inbox.bell:
		}
	}
}

// readAll handles what waits.
func (h *Hub) readAll(ctx context.Context) {
	for ctx.Err() == nil {
		topic, l, ok := h.inbox.take()
		if !ok {
			return
		}
		h.handle(ctx, topic, l)
	}
}

// handle reads one message. A panic in that does not end the daemon.
func (h *Hub) handle(ctx context.Context, topic string, l letter) {
	defer func() {
		if p := recover(); p != nil {
			h.skip(topic, fmt.Errorf("reading it panicked: %v", p))
		}
	}()
	if !h.isDocument(topic) {
		h.message(ctx, topic, string(l.payload))
		return
	}
	h.ring()
	switch {
	case len(topic) > maxTopic:
		h.skip(topic, fmt.Errorf("a topic of %d bytes is more than %d", len(topic), maxTopic))
		return
	case l.size != len(l.payload):
		h.skip(topic, fmt.Errorf("%d bytes are more than %d", l.size, maxDocument))
		h.replace(ctx, topic, nil)
		return
	}
	sum := maphash.Bytes(h.house.seed, l.payload)
	if old, known := h.house.sums[topic]; known && old == sum {
		return // brokers send retained messages again and again
	}
	delete(h.house.sums, topic)
	h.understood(topic)
	fits := false
	if rest, ok := strings.CutPrefix(topic, tasmotaPrefix); ok {
		fits = h.board(ctx, topic, rest, l.payload)
	} else {
		rest := strings.TrimPrefix(topic, h.opt.Prefix+"/")
		d, err := parseDocument(rest, l.payload)
		fits = h.adopt(ctx, topic, topic, strings.TrimSuffix(rest, "/config"), d, err)
	}
	if fits {
		h.house.sums[topic] = sum
	}
}

// board takes in a document of Tasmota, and reports whether anything of it is kept.
func (h *Hub) board(ctx context.Context, topic, rest string, payload []byte) bool {
	at := boardTopic.FindStringSubmatch(rest)
	if at == nil {
		h.skip(topic, errors.New("the topic is not ADDRESS/config or ADDRESS/sensors"))
		return false
	}
	b, err := h.house.keepBoard(at[1], at[2], payload)
	var d document
	if err == nil && b.device != nil {
		d.parts, err = b.device.parts(b.sensors)
	}
	source := tasmotaPrefix + at[1]
	return h.adopt(ctx, topic, source, "tasmota/"+at[1], d, err) && err == nil && len(payload) > 0
}

// adopt takes in what the document of a topic describes, under IDs that begin with base, and
// reports whether anything of source is kept.
func (h *Hub) adopt(ctx context.Context, topic, source, base string, d document, err error) bool {
	if err != nil {
		h.skip(topic, err)
	}
	made, wrong := map[string]*entity{}, map[string]error{}
	maps.Copy(wrong, d.wrong)
	for id, p := range d.parts {
		if unspoken[p.platform] {
			continue
		}
		e, err := build(p.platform, p.cfg, h.house.template)
		switch {
		case err == nil:
			made[strings.TrimSuffix(base+"/"+id, "/")] = e
		case unused(p.cfg):
			h.opt.Log.Debug("device document skipped", "component", "home", "topic", topic, "error", err)
		case id == "":
			h.skip(topic, err)
		default:
			wrong[id] = err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(wrong)) {
		h.skip(topic, fmt.Errorf("component %.40q: %w", id, wrong[id]))
	}
	return h.replace(ctx, source, made)
}

// unused reports whether nobody would talk about a component: it is off until a person enables it,
// or is for maintenance. If such a component is not understood, nothing is missing.
func unused(c config) bool {
	return !c.flag("enabled_by_default", true) || c.str("entity_category", "") != ""
}

// replace replaces the entities of a document, and reports whether there is any, and room for all.
func (h *Hub) replace(ctx context.Context, source string, made map[string]*entity) bool {
	old := h.house.docs[source]
	before := map[string]*entity{}
	for _, id := range old {
		before[id] = h.entities[id]
	}
	fresh, err := h.house.choose(h.entities, old, made)
	if err != nil {
		h.skip(source, err)
	}
	for id, e := range fresh {
		e.ID = id
		h.inherit(e, before[id])
	}
	if !h.catchUp(ctx, fresh) {
		return false
	}
	h.mu.Lock()
	for id := range before {
		delete(h.entities, id)
		if fresh[id] == nil || !fresh[id].isAside() {
			delete(h.aside, id)
		}
	}
	for id, e := range fresh {
		h.entities[id] = e
		for _, p := range e.polls {
			h.polls[p] = true
		}
	}
	h.change()
	h.mu.Unlock()
	follow, gone := h.house.take(source, before, fresh)
	if len(gone) > 0 {
		h.opt.Broker.Unwatch(gone...)
	}
	if len(follow) > 0 {
		h.opt.Broker.Watch(follow...)
	}
	return len(fresh) > 0 && err == nil
}

// catchUp gives entities the last messages on their topics; false: ctx has ended.
func (h *Hub) catchUp(ctx context.Context, fresh map[string]*entity) bool {
	said := map[string]template.Message{}
	var bill bill
	for _, e := range fresh {
		for _, t := range e.followed() {
			payload, ok := h.house.kept[t]
			if !ok {
				continue
			}
			if _, read := said[t]; !read {
				said[t] = template.Read(payload)
			}
			if ctx.Err() != nil {
				return false
			}
			h.charge(&bill, e, t, said[t])
		}
	}
	return true
}

// charge gives an entity a message, and sets the dearest entity of the bill aside when all together
// cost too much.
func (h *Hub) charge(b *bill, e *entity, topic string, m template.Message) {
	before := m.Spent()
	h.tell(e, topic, m)
	if e.isAside() { // and costs no more
		return
	}
	over := b.add(e, m.Spent()-before)
	if over == nil {
		return
	}
	for _, t := range over.tmpls {
		t.aside.Store(true)
	}
	h.setAside(over, "the templates", errShare)
}

// inherit takes over what an earlier version of the entity knew.
func (h *Hub) inherit(e, old *entity) {
	if old == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	e.State, e.Offline, e.heard, e.latest = old.State, old.Offline, old.heard, old.latest
	for i := range e.places {
		for _, p := range old.places {
			if p.topic == e.places[i].topic {
				e.places[i].offline = p.offline
			}
		}
	}
}

// message takes what a device says of its state.
func (h *Hub) message(ctx context.Context, topic, payload string) {
	ids := h.house.topics[topic]
	if ids == nil {
		return
	}
	h.house.keep(topic, payload)
	m := template.Read(payload)
	var bill bill
	for id := range ids {
		if ctx.Err() != nil {
			return
		}
		h.charge(&bill, h.entities[id], topic, m)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.change()
}

// tell gives an entity a message. Nobody else changes what a device reports, but commands that are
// sent meanwhile change the rest.
func (h *Hub) tell(e *entity, topic string, m template.Message) {
	offline, known, err := e.there(topic, m)
	h.watchOver(e, err)
	h.mu.Lock()
	base := e.State
	h.mu.Unlock()
	var next home.State
	for _, r := range e.reads {
		if r.topic != topic {
			continue
		}
		if next == nil {
			next = maps.Clone(base) // others may hold the old one
		}
		if err := r.take(m, next); err != nil {
			h.watchOver(e, err)
			h.opt.Log.Debug("state not understood", "component", "home", "topic", topic, "error", err)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if known {
		e.Offline = offline
	}
	if next != nil {
		e.State, e.heard = merged(e.State, base, next), time.Now()
	}
}

// merged is the state now with what changed from base to next.
func merged(now, base, next home.State) home.State {
	out := maps.Clone(now)
	for k, v := range next {
		if old, known := base[k]; !known || old != v {
			out[k] = v
		}
	}
	for k := range base {
		if _, still := next[k]; !still {
			delete(out, k)
		}
	}
	return out
}
