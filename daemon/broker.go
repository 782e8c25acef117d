package daemon

import (
	"crypto/rand"
	"fmt"
	"net"

	"hearthd/config"
	"hearthd/daemon/api"
	"hearthd/daemon/control"
	"hearthd/daemon/ears"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/settings"
	"hearthd/daemon/vitals"
)

// mqttDevice is this box as MQTT and Home Assistant know it.
func mqttDevice(c *config.Config, node, version string) contract.Device {
	currency := ""
	if c.Choices() != nil {
		currency = c.Responder.Prices.Currency
	}
	return contract.Device{
		Discovery: c.MQTT.DiscoveryPrefix, Prefix: c.MQTT.Prefix, Node: node, Version: version, Area: c.MQTT.Area,
		House: c.MQTT.House, Groups: c.MQTT.Groups,
		Commands: c.MQTT.Commands, Words: c.Wake.Choices(), Policies: c.Choices(), Currency: currency,
		Transcripts: c.Log.Transcripts, Temperature: vitals.Thermometer() != "",
	}
}

// ownBroker is how programs of this machine join the embedded broker, for the control API.
func (d *base) ownBroker() (api.Broker, error) {
	c := &d.cfg.MQTT
	if c.Broker != contract.Embedded {
		return api.Broker{}, control.ErrNoBroker
	}
	user, password, err := d.secrets.Broker(c, d.opt.StateDir)
	if err != nil {
		return api.Broker{}, err
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return api.Broker{}, fmt.Errorf("read mqtt.listen: %w", err) // it was checked
	}
	return api.Broker{Host: host, Port: port, User: user, Password: password}, nil
}

// buildBroker makes the bridge, which serves the devices of h too.
func (d *base) buildBroker(x host, wire *mqtt.Feed, m *ears.Microphone) (*mqtt.Bridge, error) {
	c := &d.cfg.MQTT
	user, password, err := d.secrets.Broker(c, d.opt.StateDir)
	if err != nil { // with one that nobody knows the box itself works as ever, and other programs cannot join
		password = rand.Text()
	}
	feeds := []*mqtt.Feed{wire}
	if devices := x.h.homes.feed; devices != nil {
		feeds = append(feeds, devices)
	}
	return mqtt.New(mqtt.Options{
		Broker: c.Broker, Listen: c.Listen, User: user, Password: password,
		CAFile: c.CAFile, CertFile: c.CertFile, KeyFile: c.KeyFile,
		Device: mqttDevice(d.cfg, d.node, d.opt.Version), Discovery: c.Discovery, Begin: x.Values(),
		Bus: d.bus, Conditions: d.conditions, Speaker: x.dialogue, Host: x, Vitals: d.vitals(m, x.h.responder),
		Installed: vitals.Installed(d.opt.Version),
		Feeds:     feeds, Log: d.log,
	})
}

// policy says what may go to the responder; empty: there is none.
func (d *base) policy(s *settings.Settings) string {
	if d.cfg.Choices() == nil {
		return ""
	}
	return s.Values().Policy
}
