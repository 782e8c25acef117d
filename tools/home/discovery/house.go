package discovery

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"hearthd/tools/home"
	"hearthd/tools/home/template"
)

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
	if e.clears > 0 && out.State[home.Main] == "on" && time.Since(e.heard) >= e.clears {
		out.State = maps.Clone(out.State)
		out.State[home.Main] = "off"
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
