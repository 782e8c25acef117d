package daemon

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"

	"hearthd/config/letters"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/dialogue/spoken"
	"hearthd/daemon/esphome"
	"hearthd/daemon/health"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/supervise"
	"hearthd/media"
	"hearthd/media/player"
)

// buildSatellite makes what Home Assistant's ESPHome integration connects to, if it is to be.
func (d *Daemon) buildSatellite(x host) ([]supervise.Part, error) {
	c := &d.cfg.Satellite
	if c.Listen == "" {
		return nil, nil
	}
	device := mqttDevice(d.cfg, d.node, d.opt.Version)
	now := d.settings.Values()
	o := esphome.Options{
		Listen: c.Listen, Node: d.node, Name: device.Name(), MAC: address(d.node), Version: d.opt.Version,
		Area: d.cfg.MQTT.Area, Words: d.cfg.Wake.Choices(), Begin: esphome.State{
			State: "starting", Muted: now.Muted, DND: now.DND, Volume: now.Volume, Word: now.WakeWord, Media: d.media.Shown(),
			Timers: d.timers.Shown(),
		},
		Bus: d.bus, Conditions: d.conditions, Box: satellite{d.dialogue, x}, Player: satellitePlayer{d.media.Player},
		Open: d.openURL, Log: d.log,
	}
	var err error
	if text := d.secrets.Get(c.Key); text != "" {
		o.Key, err = esphome.Key(text)
	} else if !esphome.Local(c.Listen) {
		err = errNoKey
	}
	if err != nil { // a mistake costs the satellite and nothing else
		d.conditions.Set("satellite", health.Error,
			"Home Assistant cannot use this box as a satellite: satellite.key: "+err.Error()+".")
		return nil, nil
	}
	s, err := esphome.New(o)
	if err != nil {
		return nil, err
	}
	d.pipelines.server.Store(s)
	return []supervise.Part{{Name: "satellite", Policy: supervise.Restart, Run: s.Run}}, nil
}

// openURL opens what Home Assistant wants to be heard.
func (d *Daemon) openURL(ctx context.Context, url string, rate int) (io.ReadCloser, error) {
	return d.sources.Open(ctx, media.Item{URL: url}, 0, rate, func(string) {})
}

// pipelines are those of Home Assistant, as a responder. They are made before the satellite, whose Home Assistant runs
// them.
type pipelines struct {
	server atomic.Pointer[esphome.Server]
}

var _ spoken.Turn = (*esphome.Run)(nil)

// Wanted and the others are what a dialogue asks of a responder.
func (p *pipelines) Wanted() bool {
	s := p.server.Load()
	return s != nil && s.Wanted()
}

func (*pipelines) Prepare()        {}
func (*pipelines) Converses() bool { return false }
func (*pipelines) Leave()          {}

// Open begins a pipeline; it was Wanted.
func (p *pipelines) Open(ctx context.Context, by string) (spoken.Turn, error) {
	return p.server.Load().Begin(ctx, by)
}

// satellite is what Home Assistant may ask of the daemon.
type satellite struct {
	*dialogue.Dialogue
	host host
}

func (s satellite) Repeat(ctx context.Context) error          { return s.host.Repeat(ctx) }
func (s satellite) SetDND(ctx context.Context, on bool) error { return s.host.SetDND(ctx, on) }
func (s satellite) SetWakeWord(ctx context.Context, w string) error {
	return s.host.SetWakeWord(ctx, w)
}

// Rings sets a timer that ends at once, so that it rings, and is stopped, as those of the box.
func (s satellite) Rings(ctx context.Context, name string) error {
	_, err := s.host.Timer(ctx, mqtt.TimerOrder{Action: "set", Seconds: 1, Label: letters.Cut(name, contract.MaxLabel)})
	return err
}

// Say and Sound implement what a satellite says.
func (s satellite) Say(ctx context.Context, text string) error { return s.Deliver(ctx, text, nil) }
func (s satellite) Sound(ctx context.Context, samples []int16) error {
	return s.Deliver(ctx, "", samples)
}

// Converse opens a window for what goes to a pipeline.
func (s satellite) Converse(ctx context.Context) error { return s.ListenFor(ctx, answer.House) }

// satellitePlayer plays what Home Assistant names, and calls it so: an address is nothing to show or to say.
type satellitePlayer struct{ *player.Player }

func (p satellitePlayer) Play(url string) {
	p.Player.Play([]media.Item{{URL: url, Title: "Home Assistant"}}, 0)
}

// errNoKey is what is wrong where the credential was not passed.
var errNoKey = errors.New("there is none, and it is needed where other machines can connect")

// address is an address of this box for ever, made of the identity of the machine as systemd proposes it
// (machine-id(5)); it is marked as one that no maker has given.
func address(node string) string {
	id, err := os.ReadFile("/etc/machine-id")
	if err != nil || len(strings.TrimSpace(string(id))) == 0 {
		id = []byte(node)
	}
	sum := sha256.Sum256(append([]byte("hearthd satellite "), id...))
	return strings.ToUpper(net.HardwareAddr(append([]byte{sum[0]&^1 | 2}, sum[1:6]...)).String())
}
