package esphome

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"math"
	"slices"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"hearthd/daemon/event"
)

// platform says by which messages a kind of entity is listed, shown and used, and which fields the first one has.
type platform struct {
	list, state, command  uint64
	icon, category, class protowire.Number
}

var (
	binarySensor = platform{list: 12, state: 21, icon: 8, category: 9, class: 5}
	sensor       = platform{list: 16, state: 25, icon: 5, category: 13, class: 9}
	switches     = platform{list: 17, state: 26, command: switchCommand, icon: 5, category: 8, class: 9}
	textSensor   = platform{list: 18, state: 27, icon: 5, category: 7, class: 8}
	number       = platform{list: 49, state: 50, command: numberCommand, icon: 5, category: 10, class: 13}
	button       = platform{list: 61, command: buttonCommand, icon: 5, category: 7, class: 8}
	mediaPlayer  = platform{list: 63, state: 64, command: playerCommand, icon: 5, category: 7}
)

// keyField is the field of the key in commands, as in states.
const keyField = 1

// Values of MediaPlayerState, MediaPlayerCommand and MediaPlayerEntityFeature.
const (
	playerIdle, playerPlaying, playerPaused = 1, 2, 3

	playIt, pauseIt, stopIt, toggleIt, louder, softer = 0, 1, 2, 5, 6, 7

	// pause, set the volume, play media, stop, play, browse, announce
	playerFeatures = 1 | 4 | 512 | 4096 | 16384 | 131072 | 1048576
)

// volumeStep is that of the commands for louder and softer, in percent.
const volumeStep = 5

// entity is one thing that Home Assistant shows or uses.
type entity struct {
	platform
	id, name, icon, class string
	diagnostic            bool
	more                  func(m *message)                                      // other fields of the list; or nil
	show                  func(m *message, n *State)                            // the state; nil: there is none
	obey                  func(ctx context.Context, c *session, f fields) error // nil: it only shows
}

// key identifies the entity, also after a restart.
func (e *entity) key() uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(e.id)) // which cannot fail
	return h.Sum32()
}

func (e *entity) listed() (m message) {
	m.text(1, e.id)
	m.fixed(2, e.key())
	m.text(3, e.name)
	m.text(e.platform.icon, e.icon)
	if e.class != "" {
		m.text(e.platform.class, e.class)
	}
	if e.diagnostic {
		m.number(e.category, 2)
	}
	if e.more != nil {
		e.more(&m)
	}
	return m
}

func (e *entity) shown(n *State) (m message) {
	m.fixed(keyField, e.key())
	e.show(&m, n)
	return m
}

// A switch that o switches, a button that presses it, and a text that may be missing.
func toggles(do func(box, context.Context, bool) error) func(context.Context, *session, fields) error {
	return func(ctx context.Context, c *session, f fields) error { return do(c.opt.Box, ctx, f.flag(2)) }
}

func presses(do func(box, context.Context) error) func(context.Context, *session, fields) error {
	return func(ctx context.Context, c *session, _ fields) error { return do(c.opt.Box, ctx) }
}

func skips(n int) func(context.Context, *session, fields) error {
	return func(_ context.Context, c *session, _ fields) error {
		c.opt.Player.Skip(n)
		return nil
	}
}

func shows(m *message, text string) {
	m.text(2, text)
	m.flag(3, text == "")
}

// entities are those that discovery over MQTT offers too, as far as the satellite itself does not show them.
func entities() []entity {
	return []entity{
		{platform: mediaPlayer, id: "media_player", name: "Media player", icon: "mdi:speaker",
			obey: obeyPlayer, show: showPlayer,
			more: func(m *message) {
				m.flag(8, true)
				m.number(11, playerFeatures)
			}},
		{platform: switches, id: "mute", name: "Microphone off", icon: "mdi:microphone-off", obey: toggles(box.SetMuted),
			show: func(m *message, n *State) { m.flag(2, n.Muted) }},
		{platform: switches, id: "dnd", name: "Do not disturb", icon: "mdi:bell-off-outline", obey: toggles(box.SetDND),
			show: func(m *message, n *State) { m.flag(2, n.DND) }},
		{platform: button, id: "listen", name: "Listen", icon: "mdi:account-voice", obey: presses(box.Listen)},
		{platform: button, id: "stop", name: "Stop", icon: "mdi:stop", obey: presses(box.Stop)},
		{platform: button, id: "repeat", name: "Repeat", icon: "mdi:replay", obey: presses(box.Repeat)},
		{platform: button, id: "media_next", name: "Next", icon: "mdi:skip-next", obey: skips(1)},
		{platform: button, id: "media_previous", name: "Previous", icon: "mdi:skip-previous", obey: skips(-1)},
		{platform: number, id: "media_volume", name: "Media volume", icon: "mdi:music-note",
			more: func(m *message) {
				m.float(7, 100)
				m.float(8, 1)
				m.text(11, "%")
				m.number(12, 2) // a slider
			},
			show: func(m *message, n *State) { m.float(2, float64(n.Media.Percent)) },
			obey: func(_ context.Context, c *session, f fields) error {
				to, err := percent(f.float(2))
				if err == nil {
					c.opt.Player.SetVolume(to)
				}
				return err
			}},
		{platform: textSensor, id: "state", name: "State", icon: "mdi:state-machine",
			show: func(m *message, n *State) { shows(m, string(n.State)) }},
		{platform: textSensor, id: "media", name: "Playing", icon: "mdi:radio",
			show: func(m *message, n *State) {
				shows(m, cmp.Or(n.Media.Title, n.Media.Station, n.Media.Source, n.Media.State))
			}},
		{platform: textSensor, id: "next_timer", name: "Next timer", class: "timestamp",
			show: func(m *message, n *State) { shows(m, next(n.Timers)) }},
		{platform: sensor, id: "timers", name: "Timers", icon: "mdi:timer-outline",
			more: func(m *message) { m.number(10, 1) }, // measured
			show: func(m *message, n *State) { m.float(2, float64(len(n.Timers))) }},
		{platform: binarySensor, id: "problem", name: "Problem", class: "problem", diagnostic: true,
			show: func(m *message, n *State) { m.flag(2, n.problem) }},
	}
}

// next is when the first timer ends that is not paused; empty: there is none.
func next(list []event.Timer) string {
	i := slices.IndexFunc(list, func(t event.Timer) bool { return t.LeftS == 0 })
	if i < 0 {
		return ""
	}
	return list[i].Ends.UTC().Format(time.RFC3339)
}

var errPercent = errors.New("the volume is not within 0 to 100 percent")

func percent(v float64) (int, error) {
	if !(v >= 0 && v <= 100) { // NaN neither
		return 0, errPercent
	}
	return int(math.Round(v)), nil
}

func showPlayer(m *message, n *State) {
	state := uint64(playerIdle)
	switch {
	case n.announcing > 0 || n.Media.State == "playing":
		state = playerPlaying
	case n.Media.State == "paused":
		state = playerPaused
	}
	m.number(2, state)
	m.float(3, float64(n.Volume)/100)
}

// obeyPlayer carries out a MediaPlayerCommandRequest.
func obeyPlayer(ctx context.Context, c *session, f fields) error {
	if f.flag(4) {
		to, err := percent(f.float(5) * 100)
		if err != nil {
			return err
		}
		return c.opt.Box.SetVolume(ctx, to)
	}
	if url := f.text(7); f.flag(6) {
		if len(url) > maxText {
			return errLong
		}
		if f.flag(8) && f.flag(9) {
			c.say(announcement{urls: []string{url}})
			return nil
		}
		c.opt.Player.Play(url)
		return nil
	}
	if f.flag(2) {
		return c.command(ctx, f.numbers[3])
	}
	return nil
}

func (c *session) command(ctx context.Context, what uint64) error {
	now := c.state()
	switch p := c.opt.Player; what {
	case playIt:
		p.Resume()
	case pauseIt:
		p.Pause()
	case stopIt:
		p.Stop()
		if now.announcing > 0 {
			return c.opt.Box.Stop(ctx)
		}
	case toggleIt:
		if !p.Pause() {
			p.Resume()
		}
	case louder:
		return c.opt.Box.SetVolume(ctx, min(now.Volume+volumeStep, 100))
	case softer:
		return c.opt.Box.SetVolume(ctx, max(now.Volume-volumeStep, 0))
	}
	return nil
}
