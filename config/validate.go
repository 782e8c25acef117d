package config

import (
	"fmt"
	"math"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Validate returns every value that cannot be worked with. Problems carry the
// key, the value and the reason; Load adds the place. What is checked here is what the
// tags of one field cannot say, see checker.
func (c *Config) Validate() Problems {
	k := new(checker)
	k.group("", reflect.ValueOf(*c))
	c.checkListen(k)
	c.checkSpeech(k)
	c.checkWords(k)
	c.checkThinker(k)
	c.checkResponder(k)
	c.checkTools(k)
	checkMCP(k, c.Tools.MCP)
	checkSources(k, c.Media.Sources)
	c.MQTT.check(k)
	c.checkHardware(k)
	together := func(key, cert, file string) {
		if (cert == "") != (file == "") {
			k.add(key+".key_file", file, fmt.Sprintf("%s.cert_file and %[1]s.key_file go together", key))
		}
	}
	if s := &c.Satellite; s.Key == "" && s.Listen != "" && !loopback(s.Listen) {
		k.add("satellite.key", "", "is needed where satellite.listen lets other machines connect")
	}
	together("mqtt", c.MQTT.CertFile, c.MQTT.KeyFile)
	together("console", c.Console.CertFile, c.Console.KeyFile)
	return k.problems
}

func (c *Config) checkListen(k *checker) {
	l := &c.Listen
	if l.Detector == "none" && c.Wake.Engine == "phrase" {
		k.add("wake.engine", c.Wake.Engine,
			"must be button or off where listen.detector is none, because nothing hears the phrase")
	}
	if l.Detector == "silero" {
		k.filled("listen.silero", l.Silero)
	}
	if math.IsNaN(l.Threshold) || l.Threshold <= 0 || l.Threshold >= 1 {
		k.add("listen.threshold", fmt.Sprint(l.Threshold), "must be above 0 and below 1")
	}
	if math.IsNaN(l.Release) || l.Release <= 0 || l.Release > l.Threshold {
		k.add("listen.release", fmt.Sprint(l.Release), "must be above 0 and not above listen.threshold")
	}
	// As package vad requires it, whose onset is shorter than the tenth of a second.
	if l.MaxUtterance <= max(l.MinSpeech+l.EndSilence, l.PreRoll+100*time.Millisecond) {
		k.add("listen.max_utterance", l.MaxUtterance.String(),
			"must be longer than listen.min_speech and listen.end_silence together, and than listen.pre_roll")
	}
}

// checkWords checks the acoustic wake words; whether their files are there shows when
// they are opened.
func (c *Config) checkWords(k *checker) {
	var names []string
	for i, w := range c.Wake.Words {
		key := fmt.Sprintf("wake.words[%d]", i)
		k.house(key+".server", hostOf(w.Server), "is outside the house, and a wake server is sent all that is heard")
		k.form(key+".name", w.Called(), "word")
		if w.Route == "homeassistant" && c.Satellite.Listen == "" {
			k.add(key+".route", w.Route, "is by way of satellite.listen, which is empty")
		}
		if w.Called() == "all" || w.Called() == "phrase" {
			k.add(key+".name", w.Called(), "is reserved; give it another name")
		}
		if !(w.Cutoff >= 0 && w.Cutoff < 1) {
			k.add(key+".cutoff", fmt.Sprint(w.Cutoff), "must be 0 or more, and below 1")
		}
		names = append(names, w.Called())
	}
	k.once("wake.words[%d].name", names)
}

func (c *Config) checkSpeech(k *checker) {
	s, t := &c.STT, &c.TTS
	switch s.Engine {
	case "wyoming":
		k.form("stt.wyoming.address", s.Wyoming.Address, "address")
		c.checkLocal(k, "stt.wyoming.address", hostOf(s.Wyoming.Address))
	case "openai":
		k.form("stt.openai.url", s.OpenAI.URL, "http")
		k.filled("stt.openai.model", s.OpenAI.Model)
		if u, err := url.Parse(s.OpenAI.URL); err == nil {
			c.checkLocal(k, "stt.openai.url", u.Hostname())
		}
	case "command":
		k.command("stt.command.argv", s.Command.Argv)
		if strings.Contains(strings.Join(s.Command.Argv, " "), "{file}") != (s.Command.Input == "file") {
			k.add("stt.command.input", s.Command.Input,
				"must be file if {file} stands in stt.command.argv, and stdin otherwise")
		}
	}
	switch t.Engine {
	case "wyoming":
		k.form("tts.wyoming.address", t.Wyoming.Address, "address")
	case "openai":
		k.form("tts.openai.url", t.OpenAI.URL, "http")
		k.filled("tts.voice", t.Voice)
	case "command":
		k.command("tts.command.argv", t.Command.Argv)
	}
}

// checkLocal keeps the first promise, that audio stays in the house: with the transcript as the
// wake word, every sentence in the room goes to the recogniser, so the recogniser must be in the
// house.
func (c *Config) checkLocal(k *checker, key, host string) {
	if c.Wake.Engine == "phrase" {
		k.house(key, host, "is outside the house, and wake.engine phrase would send it every sentence that is spoken; "+
			"use wake.engine button")
	}
}

func (c *Config) checkThinker(k *checker) {
	if c.Thinker.URL != "" {
		k.filled("thinker.model", c.Thinker.Model)
	}
	var names []string
	for _, p := range c.Thinker.Providers {
		names = append(names, p.Name)
	}
	k.once("thinker.providers[%d].name", names)
}

func (c *Config) checkResponder(k *checker) {
	r := &c.Responder
	if r.URL != "" {
		k.filled("responder.model", r.Model)
		if r.Protocol == "live" && c.Thinker.URL == "" && len(c.Thinker.Providers) == 0 {
			k.add("responder.protocol", r.Protocol, "needs a thinker (thinker.url), to whom it delegates")
		}
	}
	k.money("responder.daily", r.Daily)
	k.money("responder.monthly", r.Monthly)
	prices := reflect.ValueOf(r.Prices)
	for i := range prices.NumField() {
		if price := prices.Field(i); price.CanFloat() && price.Float() != unset {
			k.money("responder.prices."+prices.Type().Field(i).Tag.Get("yaml"), price.Float())
		}
	}
}

func (k *checker) money(key string, v float64) {
	if !(v >= 0 && v <= 1e6) { // NaN neither
		k.add(key, fmt.Sprint(v), "must be an amount of money, 0 to 1000000")
	}
}

func (c *Config) checkTools(k *checker) {
	t := &c.Tools
	t.Intents.check(k)
	if t.Weather.URL != "" {
		k.form("tools.weather.geocoding", t.Weather.Geocoding, "http")
	}
	if slices.Contains([]string{t.Home.Source, t.List.Source, t.Calendar.Source}, "homeassistant") && t.Home.URL == "" {
		k.form("tools.home.url", "", "http")
	}
	if len(t.Home.Floors) > 20 {
		k.add("tools.home.floors", fmt.Sprint(len(t.Home.Floors)), "must be 20 at most")
	}
	for i, f := range t.Home.Floors {
		if len(f.Areas) == 0 || len(f.Areas) > 100 {
			k.add(fmt.Sprintf("tools.home.floors[%d].areas", i), fmt.Sprint(len(f.Areas)), "must be 1 to 100 areas")
		}
	}
	// A password without encryption must stay in the house.
	if u, err := url.Parse(t.Calendar.URL); err == nil && u.Scheme == "http" {
		k.house("tools.calendar.url", u.Hostname(),
			"must begin with https:// outside the house: the password goes along")
	}
}

func checkMCP(k *checker, servers []MCPServer) {
	var names []string
	for i, s := range servers {
		key := fmt.Sprintf("tools.mcp[%d]", i)
		if (len(s.Command) > 0) == (s.URL != "") {
			k.add(key+".url", "", "name either a command or a url")
		} else if s.URL == "" {
			k.command(key+".command", s.Command)
			if s.Secret != "" && s.SecretIn == "" {
				k.add(key+".secret_in", "", "must name the environment variable of the secret")
			}
		}
		if len(s.Allow) == 0 {
			k.add(key+".allow", "", `must name the tools that are offered; "*" for all`)
		}
		names = append(names, s.Name)
	}
	k.once("tools.mcp[%d].name", names)
}

// maxSources bounds the other players of a box.
const maxSources = 16

// rates are those that players send.
var rates = []int{8000, 11025, 16000, 22050, 24000, 32000, 44100, 48000, 88200, 96000, 176400, 192000}

func checkSources(k *checker, list []MediaSource) {
	if len(list) > maxSources {
		k.add("media.sources", fmt.Sprint(len(list)), fmt.Sprintf("must be at most %d", maxSources))
	}
	var names []string
	for i, s := range list {
		key := fmt.Sprintf("media.sources[%d]", i)
		if (len(s.Command) > 0) == (s.FIFO != "") {
			k.add(key+".fifo", s.FIFO, "name either a command or a fifo")
		} else if s.FIFO == "" {
			k.command(key+".command", s.Command)
		}
		if s.Rate != 0 && !slices.Contains(rates, s.Rate) {
			k.add(key+".rate", fmt.Sprint(s.Rate), "must be one that players have, such as 44100 or 48000")
		}
		names = append(names, strings.ToLower(s.Name))
	}
	k.once("media.sources[%d].name", names)
}

// loopback reports whether only this machine can connect to an address.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip, wrong := netip.ParseAddr(host)
	return err == nil && (host == "localhost" || wrong == nil && ip.IsLoopback())
}

// maxGroups bounds the groups that a box belongs to.
const maxGroups = 20

func (m *MQTT) check(k *checker) {
	switch m.Broker {
	case "off", "mdns", "mdns-tls":
	case "embedded":
		k.form("mqtt.listen", m.Listen, "host:port")
		if _, _, err := net.SplitHostPort(m.Listen); err == nil && !loopback(m.Listen) {
			k.add("mqtt.listen", m.Listen,
				"must be a loopback address: what goes through the embedded broker is not encrypted")
		}
	default:
		m.checkBroker(k)
	}
	for i, name := range m.Commands {
		k.oneOf(fmt.Sprintf("mqtt.commands[%d]", i), name, "say", "announce", "ask", "listen", "stop", "repeat", "mute",
			"dnd", "volume", "media", "timer", "tool", "wake", "route", "restart")
	}
	k.once("mqtt.commands[%d]", m.Commands)
	if m.House == "set" {
		k.add("mqtt.house", m.House, "is the name of something else")
	}
	if m.House == "" && (m.ShareTimers || m.ListsAt != "") {
		k.add("mqtt.house", m.House, "is needed for mqtt.share_timers and mqtt.lists_at")
	}
	if len(m.Groups) > maxGroups {
		k.add("mqtt.groups", fmt.Sprint(len(m.Groups)), fmt.Sprintf("are more than %d", maxGroups))
	}
}

// checkBroker checks the address of one.
func (m *MQTT) checkBroker(k *checker) {
	u, err := url.Parse(m.Broker)
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		k.add("mqtt.broker", "",
			"must be embedded, off, mdns, mdns-tls or an address such as mqtt://HOST[:PORT], without user and password")
		return
	}
	web := strings.HasPrefix(u.Scheme, "ws")
	switch {
	case !slices.Contains([]string{"mqtt", "mqtts", "ws", "wss"}, u.Scheme):
		k.add("mqtt.broker", "", "must begin with mqtt://, mqtts://, ws:// or wss://")
	case !web && u.Path != "" && u.Path != "/":
		k.add("mqtt.broker", "", "has a path, which only ws:// and wss:// take")
	case (u.Scheme == "mqtt" || u.Scheme == "ws") && (m.CAFile != "" || m.CertFile != ""):
		k.add("mqtt.broker", m.Broker, "must begin with mqtts:// or wss:// when certificates are set")
	}
}

func (c *Config) checkHardware(k *checker) {
	if len(c.Buttons.Devices) > 0 && len(c.Buttons.Keys()) == 0 {
		k.add("keys.actions", "", "leaves no key anything to do; keys.devices: [] reads none")
	}
	seen := make(map[[2]string]bool) // of light and state
	for i, l := range c.Lights {
		key := fmt.Sprintf("lights[%d].states", i)
		if len(l.States) == 0 {
			k.add(key, "", "must name states")
		}
		for _, s := range l.States {
			k.oneOf(key, s, "starting", "idle", "listening", "thinking", "tool_calling", "speaking", "muted", "faulted")
			if seen[[2]string{l.LED, s}] {
				k.add(key, s, "stands twice for this light")
			}
			seen[[2]string{l.LED, s}] = true
		}
	}
	for i, h := range c.Hooks {
		key := fmt.Sprintf("hooks[%d]", i)
		if len(h.On) == 0 {
			k.add(key+".on", "", "must name events")
		}
		for _, e := range h.On {
			k.oneOf(key+".on", e, "state", "woken", "hushed", "speech_started", "speech_ended", "heard", "ignored",
				"routed", "tool_started", "tool_finished", "said", "barge_in", "turn", "condition", "timers",
				"timer_fired", "ring_resumed", "ring_ended", "volume", "media", "mute", "dnd", "policy", "wake_word", "yielded")
		}
		k.command(key+".command", h.Command)
		if h.Timeout != 0 && (h.Timeout < time.Second || h.Timeout > 10*time.Minute) {
			k.add(key+".timeout", h.Timeout.String(), "must be between 1s and 10m0s")
		}
	}
}
