package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"hearthd/config"
	"hearthd/daemon/health"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/supervise"
	"hearthd/memory"
	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/discovery"
	"hearthd/tools/home/hass"
	"hearthd/tools/intent"
	"hearthd/tools/timer"
)

// Vocabularies of the intents.
const (
	deviceNames = "device"
	areaNames   = "area"
	choiceNames = "choice"
	sceneNames  = "scene"
)

var _ home.Devices = (*discovery.Hub)(nil)
var _ home.Devices = (*hass.Client)(nil)

// devices are those of the house, and the tools for them.
type devices struct {
	*base
	registry *tools.Registry
	matcher  *matching
	from     home.Devices
	tool     *home.Home // nil: there are no devices
	tools    []tools.Tool
	feed     *mqtt.Feed       // nil: they are not on the broker
	agent    *hass.Client     // nil: there is no Home Assistant
	parts    []supervise.Part // what finds them

	entrances *entrances // nil: there are no devices

	mu      sync.Mutex
	offered bool
}

// buildHome looks for the devices where the configuration says. Their tools are
// offered while there are any.
func (d *base) buildHome(ctx context.Context, r *tools.Registry, m *matching, store *memory.Store, timers *timer.Timers) (*devices, error) {
	c := &d.cfg.Tools.Home
	v := &devices{base: d, registry: r, matcher: m}
	if c.URL != "" {
		if err := v.buildHomeAssistant(); err != nil {
			return nil, err
		}
	}
	switch {
	case c.Source == "mqtt" && d.cfg.MQTT.Broker != mqtt.Off:
		v.feed = mqtt.NewFeed()
		hub, err := discovery.New(discovery.Options{Broker: v.feed, Prefix: c.Prefix, Birth: c.Birth, Found: v.found, Log: d.log})
		if err != nil {
			return nil, err
		}
		v.feed.Deliver(hub)
		v.from, v.parts = hub, append(v.parts, supervise.Part{Name: "home", Policy: supervise.Restart, Run: hub.Run})
	case c.Source == "homeassistant" && v.agent != nil:
		v.from = v.agent
	default:
		return v, nil
	}
	var err error
	if v.entrances, err = newEntrances(ctx, store, d.now); err != nil {
		return nil, err
	}
	v.tool, err = home.New(home.Options{
		Devices: v.from, Area: d.cfg.MQTT.Area, Marks: v.entrances.marks, Order: keepOrder(timers), Floors: floors(c.Floors),
		Choice: func(names []string) { v.names(choiceNames, names) },
	})
	if err != nil {
		return nil, err
	}
	v.tools = v.tool.Tools()
	return v, nil
}

// floors are the areas by the name of the floor.
func floors(list []config.Floor) map[string][]string {
	all := map[string][]string{}
	for _, f := range list {
		all[f.Name] = append(all[f.Name], f.Areas...)
	}
	return all
}

// buildHomeAssistant makes the client. Without its token there is none.
func (v *devices) buildHomeAssistant() error {
	c := &v.cfg.Tools.Home
	token := v.secret(c.Token)
	if token == "" {
		v.conditions.Set("homeassistant", health.Error, "Home Assistant is not asked: its token is missing.")
		return nil
	}
	o := hass.Options{URL: c.URL, Token: token, Changed: v.homeAssistantChanged, Log: v.log}
	if c.Source == "homeassistant" {
		o.Found = v.found
	} else if c.Source == "off" || !c.Conversation {
		return nil
	}
	var err error
	if v.agent, err = hass.New(o); err == nil {
		v.parts = append(v.parts, supervise.Part{Name: "home assistant", Policy: supervise.Restart, Run: v.agent.Run})
	}
	return err
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

// found offers the tools while there are devices, and has their names understood.
func (v *devices) found() {
	var names []intent.Name
	var areas, scenes []string
	for _, f := range v.cfg.Tools.Home.Floors {
		areas = append(areas, f.Name)
	}
	count := 0
	for _, e := range v.from.Entities() {
		if count++; e.Category != "" {
			continue
		}
		for _, n := range e.Names() {
			names = append(names, intent.Name{Value: n})
			if e.Kind == home.Scene {
				scenes = append(scenes, n)
			}
		}
		if e.Area != "" {
			areas = append(areas, e.Area)
		}
		areas = append(areas, e.Floors...)
		areas = append(areas, e.AreaAliases...)
	}
	v.tellSkipped()
	v.matcher.SetNames(deviceNames, names)
	v.names(areaNames, areas)
	v.names(sceneNames, scenes)
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case count > 0 && !v.offered:
		if err := v.registry.Register(v.tools...); err != nil {
			v.log.Error("offer devices", "component", "home", "error", err)
		}
		v.log.Info("devices found", "component", "home", "count", count)
	case count == 0 && v.offered:
		for _, t := range v.tools {
			v.registry.Withdraw(t.Spec().Name)
		}
	}
	v.offered = count > 0
}

// tellSkipped keeps the condition of what is wrong with the devices on the broker.
func (v *devices) tellSkipped() {
	hub, ok := v.from.(*discovery.Hub)
	if !ok {
		return
	}
	if text := amiss(hub.Skipped(), hub.Aside(), hub.Missed()); text != "" {
		v.conditions.Set("devices", health.Warning, text)
	} else {
		v.conditions.Clear("devices")
	}
}

// amiss says what is wrong with the devices on the broker; empty: nothing.
func amiss(skipped, aside []string, missed int) string {
	var parts []string
	if len(aside) > 0 {
		parts = append(parts, fmt.Sprintf("Templates of devices that take too long and are set aside: %d; the first: %s.", len(aside), aside[0]))
	}
	if len(skipped) > 0 {
		parts = append(parts, fmt.Sprintf("Device documents that are not understood: %d; the first: %s.", len(skipped), skipped[0]))
	}
	if missed > 0 {
		parts = append(parts, fmt.Sprintf("Messages of devices that came faster than they could be read: %d.", missed))
	}
	return strings.Join(parts, " ")
}

// names has words understood as names.
func (v *devices) names(vocab string, words []string) {
	names := make([]intent.Name, len(words))
	for i, w := range words {
		names[i].Value = w
	}
	v.matcher.SetNames(vocab, names)
}
