package daemon

import (
	"hearthd/config"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/vitals"
)

// mqttDevice is this box as MQTT and Home Assistant know it.
func mqttDevice(c *config.Config, node, version string) contract.Device {
	currency := ""
	if c.Choices() != nil {
		currency = c.Responder.Prices.Currency
	}
	return contract.Device{
		Discovery: c.MQTT.DiscoveryPrefix, Prefix: c.MQTT.Prefix, Node: node, Version: version, Area: c.MQTT.Area, House: c.MQTT.House, Groups: c.MQTT.Groups,
		Commands: c.MQTT.Commands, Words: c.Wake.Choices(), Policies: c.Choices(), Currency: currency, Transcripts: c.Log.Transcripts, Temperature: vitals.Thermometer() != "",
	}
}

// buildBroker makes the bridge, which serves the devices of h too.
func (d *Daemon) buildBroker(h *house) (*mqtt.Bridge, error) {
	c := &d.cfg.MQTT
	password := d.secret(c.Password)
	return mqtt.New(mqtt.Options{
		Broker: c.Broker, Listen: c.Listen, User: c.User, Password: password,
		CAFile: c.CAFile, CertFile: c.CertFile, KeyFile: c.KeyFile,
		Device: mqttDevice(d.cfg, d.node, d.opt.Version), Discovery: c.Discovery, Begin: mqtt.Settings(d.settings.Values()),
		Bus: d.bus, Conditions: d.conditions, Speaker: speaker{d.dialogue}, Host: host{d.settings, d, h}, Vitals: d.vitals(h.cloud), Installed: vitals.Installed(d.opt.Version),
		Feed: h.devices.feed, House: d.wire, Log: d.log,
	})
}

// policy says what may go to the responder; empty: there is none.
func (d *Daemon) policy() string {
	if d.cfg.Choices() == nil {
		return ""
	}
	return d.settings.Values().Policy
}
