package daemon

import (
	"errors"

	"hearthd/daemon/health"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/supervise"
	"hearthd/tools/home"
	"hearthd/tools/home/discovery"
	"hearthd/tools/home/hass"
)

var _ home.Devices = (*discovery.Hub)(nil)
var _ home.Devices = (*hass.Client)(nil)

// homes is where the devices are from.
type homes struct {
	source home.Devices   // nil: nobody tells of devices
	feed   *mqtt.Feed     // nil: they are not on the broker
	hub    *discovery.Hub // of the feed, or nil
	agent  *hass.Client   // nil: there is no Home Assistant
	found  chan struct{}  // cap 1; there are other devices, or names
	parts  []supervise.Part
}

// tell says that there are other devices. It does not block.
func (s *homes) tell() {
	select {
	case s.found <- struct{}{}:
	default: // they are looked at anyway
	}
}

// buildHomes asks for devices where the configuration says.
func (d *base) buildHomes() (*homes, error) {
	c, s := &d.cfg.Tools.Home, &homes{found: make(chan struct{}, 1)}
	var err error
	if s.agent, err = d.buildHomeAssistant(s.tell); err != nil {
		return nil, err
	}
	switch {
	case c.Source == "mqtt" && d.cfg.MQTT.Broker != mqtt.Off:
		s.feed = mqtt.NewFeed()
		if s.hub, err = discovery.New(discovery.Options{Broker: s.feed, Prefix: c.Prefix, Birth: c.Birth, Found: s.tell, Log: d.log}); err != nil {
			return nil, err
		}
		s.feed.Deliver(s.hub)
		s.source, s.parts = s.hub, []supervise.Part{{Name: "home", Policy: supervise.Restart, Run: s.hub.Run}}
	case c.Source == "homeassistant" && s.agent != nil:
		s.source, s.parts = s.agent, []supervise.Part{{Name: "home", Policy: supervise.Restart, Run: s.agent.Run}}
	}
	return s, nil
}

// buildHomeAssistant makes the client, if it is configured. Without its token there is none.
func (d *base) buildHomeAssistant(found func()) (*hass.Client, error) {
	c := &d.cfg.Tools.Home
	if c.URL == "" {
		return nil, nil
	}
	token := d.secrets.Get(c.Token)
	if token == "" {
		d.conditions.Set("homeassistant", health.Error, "Home Assistant is not asked: its token is missing.")
		return nil, nil
	}
	return hass.New(hass.Options{URL: c.URL, Token: token, Changed: d.homeAssistantChanged, Found: found, Log: d.log})
}

func (d *base) homeAssistantChanged(err error) {
	switch {
	case err == nil:
		d.conditions.Clear("homeassistant")
	case errors.Is(err, hass.ErrToken):
		d.conditions.Set("homeassistant", health.Error, "Home Assistant refuses the token.")
	default:
		d.conditions.Set("homeassistant", health.Warning, "Home Assistant does not answer.")
		d.log.Warn("home assistant lost", "component", "home", "error", err)
	}
}
