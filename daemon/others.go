package daemon

import (
	"context"
	"slices"

	"hearthd/daemon/dialogue"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/peer"
	"hearthd/tools/intent"
	"hearthd/tools/timer"
)

// peers are the other boxes of the house, as far as this one knows, and the tools
// that reach them.
type peers struct {
	*base
	boxes  *peer.Peers
	wire   *mqtt.Feed
	timers *timer.Timers
	here   func(ctx context.Context) *dialogue.Dialogue
}

// buildPeers makes them; named is told what they are called.
func (d *base) buildPeers(named func(names []string)) (*peers, error) {
	c := &d.cfg.MQTT
	p := &peers{base: d, wire: mqtt.NewFeed()}
	var err error
	p.boxes, err = peer.New(peer.Options{
		Wire: p.wire, Prefix: c.Prefix, House: c.House, Node: d.node, Timers: c.ShareTimers, Log: d.log, Named: named,
	})
	p.wire.Deliver(p.boxes)
	return p, err
}

// boxesNamed has the names of the boxes understood. Where there are others, this one
// may be named as well.
func (d *base) boxesNamed(m *matching, names []string) {
	if len(names) > 0 {
		names = slices.Concat(names, d.self().Names())
	}
	slices.Sort(names)
	var list []intent.Name
	for _, n := range slices.Compact(names) {
		list = append(list, intent.Name{Value: n})
	}
	m.SetNames(boxNames, list)
}

// boxNames is the vocabulary of the names.
const boxNames = "box"

// self is this box as the others know it.
func (d *base) self() *contract.Device {
	return &contract.Device{Node: d.node, Area: d.cfg.MQTT.Area, Groups: d.cfg.MQTT.Groups}
}

// contest is the other boxes as the dialogue sees them.
type contest struct {
	boxes *peer.Peers
	ears  interface{ Level() float32 }
}

// Contend asks whether this box answers.
func (c contest) Contend(b dialogue.Bid, tell func(dialogue.Verdict)) bool {
	return c.boxes.Contend(peer.Bid{
		Busy: b.Busy, Score: b.Score, Level: c.ears.Level(), Since: b.Since,
	}, func(v peer.Verdict) { tell(dialogue.Verdict(v)) })
}
