package daemon

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"net"
	"path/filepath"

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
		Discovery: c.MQTT.DiscoveryPrefix, Prefix: c.MQTT.Prefix, Node: node, Version: version, Area: c.MQTT.Area, House: c.MQTT.House, Groups: c.MQTT.Groups,
		Commands: c.MQTT.Commands, Words: c.Wake.Choices(), Policies: c.Choices(), Currency: currency, Transcripts: c.Log.Transcripts, Temperature: vitals.Thermometer() != "",
	}
}

// passwordName is the file of the password of the embedded broker that is made where the configuration has none,
// and ownUser who it is for.
const (
	passwordName = "mqtt.password"
	ownUser      = "hearthd"
)

// brokerLogin is who the box is at its broker. The embedded one knows nobody else.
func (d *base) brokerLogin() (user, password string, err error) {
	c := &d.cfg.MQTT
	user, password = c.User, d.secret(c.Password)
	if c.Broker != mqtt.Embedded {
		return user, password, nil
	}
	if password == "" {
		password, err = madeSecret(filepath.Join(d.opt.StateDir, passwordName))
	}
	return cmp.Or(user, ownUser), password, err
}

// ownBroker is how programs of this machine join the embedded broker, for the control API.
func (d *base) ownBroker() (api.Broker, error) {
	c := &d.cfg.MQTT
	if c.Broker != mqtt.Embedded {
		return api.Broker{}, control.ErrNoBroker
	}
	user, password, err := d.brokerLogin()
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
	user, password, err := d.brokerLogin()
	if err != nil {
		// With one that nobody knows the box itself works as ever, and other programs cannot join.
		d.lack(passwordName, err)
		user, password = ownUser, rand.Text()
	}
	return mqtt.New(mqtt.Options{
		Broker: c.Broker, Listen: c.Listen, User: user, Password: password,
		CAFile: c.CAFile, CertFile: c.CertFile, KeyFile: c.KeyFile,
		Device: mqttDevice(d.cfg, d.node, d.opt.Version), Discovery: c.Discovery, Begin: mqtt.Settings(x.Values()),
		Bus: d.bus, Conditions: d.conditions, Speaker: speaker{x.dialogue}, Host: x, Vitals: d.vitals(m, x.h.cloud), Installed: vitals.Installed(d.opt.Version),
		Devices: x.h.devices.feed, Peers: wire, Log: d.log,
	})
}

// policy says what may go to the responder; empty: there is none.
func (d *base) policy(s *settings.Settings) string {
	if d.cfg.Choices() == nil {
		return ""
	}
	return s.Values().Policy
}
