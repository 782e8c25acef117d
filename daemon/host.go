package daemon

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"time"

	"hearthd/config"
	"hearthd/daemon/api"
	"hearthd/daemon/control"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/ears"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/music"
	"hearthd/daemon/refusal"
	"hearthd/daemon/responder"
	"hearthd/daemon/settings"
	"hearthd/daemon/sharing"
	"hearthd/daemon/vitals"
	"hearthd/llm"
	"hearthd/memory"
	"hearthd/tools"
)

// ErrRestart is the error of Run when hearthd is to be started again: somebody asked for that over MQTT, or the time
// zone of the machine changed.
var ErrRestart = errors.New("to be started again")

// restartPause lets the answer to a restart leave before hearthd does.
const restartPause = 500 * time.Millisecond

// Errors in what a household asks for.
const (
	errNothingSaid refusal.Error = "nothing has been said yet"
	errNotShared   refusal.Error = "that tool is not shared with other boxes"
)

// host is what MQTT may ask of the daemon, apart from the dialogue.
type host struct {
	*settings.Settings
	*base
	dialogue *dialogue.Dialogue
	peers    *sharing.Peers
	media    *music.Music
	h        *assistant
	restart  context.CancelCauseFunc
}

func (x host) Repeat(ctx context.Context) error {
	said, _ := x.h.toolbox.Said("")
	if said == "" {
		return errNothingSaid
	}
	return x.dialogue.SayFrom(ctx, said, nil)
}

// Timer runs the tool that a spoken request would have run.
func (x host) Timer(ctx context.Context, o mqtt.TimerOrder) (string, error) {
	args := map[string]any{}
	if o.Label != "" {
		args["label"] = o.Label
	}
	switch o.Action {
	case "set", "change":
		args["duration_s"] = o.Seconds
	default:
		if o.All {
			args["all"] = true
		}
	}
	data, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	out := x.h.toolbox.Run(ctx, tools.Call{ToolCall: llm.ToolCall{ID: "mqtt", Name: "timer_" + o.Action, Arguments: data}})
	if out.Choose != "" { // it asks which of several, and nobody answers here
		return "", refusal.Error(out.Text)
	}
	return x.said(out)
}

// Media runs the tool that a voice would have run.
func (x host) Media(ctx context.Context, o mqtt.MediaOrder) (string, error) {
	name, args := "media_control", map[string]any{"do": o.Action}
	switch o.Action {
	case "play":
		if name, args = "media_play", map[string]any{}; o.Station != "" {
			args["name"] = o.Station
		}
	case "volume":
		name, args = "media_volume", map[string]any{"percent": o.Percent}
	case "sleep":
		name, args = "media_sleep", map[string]any{"duration_s": o.Seconds}
	}
	data, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	return x.run(ctx, tools.Call{ToolCall: llm.ToolCall{ID: "mqtt", Name: name, Arguments: data}})
}

// run runs a tool, and gives what there is to say.
func (x host) run(ctx context.Context, call tools.Call) (string, error) {
	return x.said(x.h.toolbox.Run(ctx, call))
}

func (x host) said(out tools.Outcome) (string, error) {
	if out.Class != tools.OK {
		return "", refusal.Error(x.h.toolbox.Sayable(out))
	}
	return out.Text, nil
}

// Tool runs a tool for another box of the house. Only tools that are shared can be
// asked for.
func (x host) Tool(ctx context.Context, name string, args []byte) (string, error) {
	if !x.peers.Shares(name) || !x.h.registry.Has(name) {
		return "", errNotShared
	}
	if len(args) == 0 {
		args = []byte("{}")
	}
	return x.run(ctx, tools.Call{ToolCall: llm.ToolCall{ID: "mqtt", Name: name, Arguments: args},
		For: llm.Ask{Box: true}})
}

func (x host) Restart(context.Context) error {
	time.AfterFunc(restartPause, func() { x.restart(ErrRestart) })
	return nil
}

// vitals is the state of the machine, for MQTT; its caller is one goroutine.
func (d *base) vitals(m *ears.Microphone, r *responder.Responder) func() mqtt.Vitals {
	box := vitals.New()
	return func() mqtt.Vitals {
		v := mqtt.Vitals{
			UptimeS: int64(time.Since(d.begun).Seconds()), MemoryMB: tenths(float64(box.Memory()) / 1e6),
			CPUPercent: tenths(box.Processor()),
			Frames:     m.Frames(), Dropped: m.Dropped(),
		}
		if c, ok := box.Temperature(); ok {
			c = tenths(c)
			v.TemperatureC = &c
		}
		if r != nil {
			day, month := r.Spent()
			v.SpentToday, v.SpentMonth = &day, &month
		}
		return v
	}
}

func tenths(f float64) float64 { return math.Round(f*10) / 10 }

// mqttDevice is the description of this box for MQTT and Home Assistant.
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

// ownBroker is how programs on this machine join the embedded broker, for the control API.
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

// buildBroker makes the bridge, which has x carry out the commands that come over MQTT.
func (d *base) buildBroker(x host, store *memory.Store, wire *mqtt.Feed, m *ears.Microphone) (*mqtt.Bridge, error) {
	c := &d.cfg.MQTT
	user, password, err := d.secrets.Broker(c, d.opt.StateDir)
	if err != nil { // with a password that nobody knows the box itself still works; only other programs cannot join
		password = rand.Text()
	}
	feeds := []*mqtt.Feed{wire}
	if devices := x.h.homes.feed; devices != nil {
		feeds = append(feeds, devices)
	}
	device := mqttDevice(d.cfg, d.node, d.opt.Version)
	var former []contract.Device
	if c.Broker != contract.NoBroker {
		former = d.formerly(store, &device)
	}
	return mqtt.New(mqtt.Options{
		Former: former, Retired: func(ctx context.Context, f contract.Device) {
			if err := store.SetBox(ctx, f.Key(), false); err != nil {
				d.log.Warn("former name not forgotten", "component", "mqtt", "node", f.Node, "error", err)
			}
		},
		Broker: c.Broker, Listen: c.Listen, User: user, Password: password,
		CAFile: c.CAFile, CertFile: c.CertFile, KeyFile: c.KeyFile,
		Device: device, Discovery: c.Discovery, Begin: x.Values(),
		Media: x.media.Shown(),
		Bus:   d.bus, Conditions: d.conditions, Speaker: x.dialogue, Host: x, Vitals: d.vitals(m, x.h.responder),
		Installed: vitals.Installed(d.opt.Version),
		Feeds:     feeds, Log: d.log,
	})
}

// formerly gives this box as brokers may still know it, and keeps how they know it from now on.
func (d *base) formerly(store *memory.Store, now *contract.Device) (former []contract.Device) {
	ctx := context.Background()
	keys, err := store.Boxes(ctx)
	if err == nil && !slices.Contains(keys, now.Key()) {
		err = store.SetBox(ctx, now.Key(), true)
	}
	if err != nil { // a box that is renamed may then stay behind
		d.log.Warn("name not kept", "component", "mqtt", "node", now.Node, "error", err)
	}
	for _, key := range keys {
		if f, ok := contract.Former(key); ok && key != now.Key() {
			former = append(former, f)
		}
	}
	return former
}

// policy says what may go to the responder; empty: there is none.
func (d *base) policy(s *settings.Settings) string {
	if d.cfg.Choices() == nil {
		return ""
	}
	return s.Values().Policy
}
