package discovery

import (
	"context"
	"fmt"
	"maps"
	"time"

	"hearthd/tools/home"
)

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

// Lost says why the devices cannot be asked now.
func (h *Hub) Lost() error {
	if h.opt.Broker.Online() {
		return nil
	}
	return home.ErrBroker
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

// order is the order in which several values are sent: what switches a device on comes before the
// other values.
var order = []home.Key{
	home.Main, home.Mode, home.Preset, home.Target, home.TargetLow, home.TargetHigh, home.FanMode, home.SwingMode,
	home.TargetHumidity, home.Speed, home.Oscillation, home.Direction, home.Position, home.Tilt, home.Brightness,
	home.Kelvin, home.Colour, home.Effect,
}

// Send publishes the messages that give a device the state want. It returns when the broker has
// them.
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
		h.watchOver(e, err)
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
	return e.inOrder(order, want)
}

// inOrder makes the messages for the wanted keys.
func (e *entity) inOrder(keys []home.Key, want home.State) (out []message, err error) {
	for _, k := range keys {
		if v, ok := want[k]; ok {
			m, err := e.senders[k](v)
			if err != nil {
				return nil, err
			}
			out = append(out, m)
		}
	}
	return out, nil
}

// assume takes for granted what a device does not report.
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
