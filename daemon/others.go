package daemon

import (
	"slices"

	"hearthd/daemon/dialogue"
	"hearthd/daemon/household"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/mqtt/contract"
	"hearthd/tools/intent"
)

// buildHousehold makes the other boxes of the household, as far as this one knows.
func (d *Daemon) buildHousehold() error {
	c := &d.cfg.MQTT
	d.wire = mqtt.NewFeed()
	var err error
	d.household, err = household.New(household.Options{
		Wire: d.wire, Prefix: c.Prefix, House: c.House, Node: d.node, Timers: c.ShareTimers, Log: d.log,
		Named: func(names []string) { d.boxesNamed(names) },
	})
	d.wire.Deliver(d.household)
	return err
}

// boxesNamed has the names of the boxes understood. Where there are others, this one
// may be named as well.
func (d *Daemon) boxesNamed(names []string) {
	if len(names) > 0 {
		names = slices.Concat(names, d.self().Names())
	}
	slices.Sort(names)
	var list []intent.Name
	for _, n := range slices.Compact(names) {
		list = append(list, intent.Name{Value: n})
	}
	d.matcher.SetNames(boxNames, list)
}

// boxNames is the vocabulary of the names.
const boxNames = "box"

// self is this box as the others know it.
func (d *Daemon) self() *contract.Device {
	return &contract.Device{Node: d.node, Area: d.cfg.MQTT.Area, Groups: d.cfg.MQTT.Groups}
}

// contest is the household as the dialogue sees it.
type contest struct {
	household *household.Household
	ears      interface{ Level() float32 }
}

// Contend asks whether this box answers.
func (c contest) Contend(b dialogue.Bid, tell func(dialogue.Verdict)) bool {
	return c.household.Contend(household.Bid{
		Busy: b.Busy, Score: b.Score, Level: c.ears.Level(), Since: b.Since,
	}, func(v household.Verdict) { tell(dialogue.Verdict(v)) })
}
