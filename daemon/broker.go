package daemon

import "hearthd/daemon/mqtt"

// buildBroker makes the bridge, which serves the devices of feed too.
func (d *Daemon) buildBroker(feed *mqtt.Feed) (*mqtt.Bridge, error) {
	c := &d.cfg.MQTT
	password, err := secret(c.Password)
	if err != nil {
		return nil, err
	}
	return mqtt.New(mqtt.Options{
		Broker: c.Broker, Listen: c.Listen, User: c.User, Password: password,
		CAFile: c.CAFile, CertFile: c.CertFile, KeyFile: c.KeyFile,
		Prefix: c.Prefix, Node: d.node,
		Bus: d.bus, Conditions: d.conditions, Speaker: d.dialogue, Feed: feed, Log: d.log,
	})
}
