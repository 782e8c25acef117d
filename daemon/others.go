package daemon

import (
	"hearthd/daemon/dialogue"
	"hearthd/daemon/household"
	"hearthd/daemon/mqtt"
)

// buildHousehold makes the other boxes of the household, as far as this one knows.
func (d *Daemon) buildHousehold() error {
	c := &d.cfg.MQTT
	d.wire = mqtt.NewFeed()
	var err error
	d.household, err = household.New(household.Options{
		Wire: d.wire, Prefix: c.Prefix, House: c.House, Node: d.node, Timers: c.ShareTimers, Log: d.log,
	})
	d.wire.Deliver(d.household)
	return err
}

// contend asks the household whether this box answers.
func (d *Daemon) contend(b dialogue.Bid, tell func(dialogue.Verdict)) bool {
	return d.household.Contend(household.Bid{
		Busy: b.Busy, Score: b.Score, Level: d.loudness.Level(), Since: b.Since,
	}, func(v household.Verdict) { tell(dialogue.Verdict(v)) })
}
