package daemon

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"path/filepath"

	"hearthd/config"
	"hearthd/daemon/control"
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

// passwordName is the file of the password of the embedded broker that is made where the configuration has none,
// and ownUser who it is for.
const (
	passwordName = "mqtt.password"
	ownUser      = "hearthd"
)

// brokerLogin is who the box is at its broker. The embedded one knows nobody else.
func (d *Daemon) brokerLogin() (user, password string, err error) {
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
func (d *Daemon) ownBroker() (control.Broker, error) {
	c := &d.cfg.MQTT
	if c.Broker != mqtt.Embedded {
		return control.Broker{}, control.ErrNoBroker
	}
	user, password, err := d.brokerLogin()
	if err != nil {
		return control.Broker{}, err
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return control.Broker{}, fmt.Errorf("read mqtt.listen: %w", err) // it was checked
	}
	return control.Broker{Host: host, Port: port, User: user, Password: password}, nil
}

// buildBroker makes the bridge, which serves the devices of h too.
func (d *Daemon) buildBroker(ctx context.Context, h *house) (*mqtt.Bridge, error) {
	c := &d.cfg.MQTT
	user, password, err := d.brokerLogin()
	if err != nil {
		// With one that nobody knows the box itself works as ever, and other programs cannot join.
		d.lack(passwordName, err)
		user, password = ownUser, rand.Text()
	}
	begin, err := d.settings(ctx)
	if err != nil {
		return nil, err
	}
	return mqtt.New(mqtt.Options{
		Broker: c.Broker, Listen: c.Listen, User: user, Password: password,
		CAFile: c.CAFile, CertFile: c.CertFile, KeyFile: c.KeyFile,
		Device: mqttDevice(d.cfg, d.node, d.opt.Version), Discovery: c.Discovery, Begin: begin,
		Bus: d.bus, Conditions: d.conditions, Speaker: speaker{d.dialogue}, Host: host{d, h}, Vitals: d.vitals(h.cloud), Installed: d.installed(),
		Feed: h.devices.feed, House: d.wire, Log: d.log,
	})
}

// settings are as the household left them.
func (d *Daemon) settings(ctx context.Context) (s mqtt.Settings, err error) {
	if s.Muted, err = d.store.Muted(ctx); err != nil {
		return s, err
	}
	var chosen bool
	if s.Volume, chosen, err = d.store.Volume(ctx); err != nil {
		return s, err
	}
	if !chosen {
		s.Volume = d.cfg.Audio.Volume
	}
	s.DND = d.manners.dnd.Load()
	if word := d.manners.word.Load(); word != nil {
		s.WakeWord = *word
	}
	s.Policy = cmp.Or(d.policy(), contract.Local)
	return s, nil
}

// policy says what may go to the responder; empty: there is none.
func (d *Daemon) policy() string {
	switch {
	case d.cfg.Choices() == nil:
		return ""
	case d.manners.local.Load():
		return contract.Local
	}
	return contract.Auto
}
