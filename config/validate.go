package config

import (
	"fmt"
	"math"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// Validate returns every value that cannot be worked with. Problems carry the
// key, the value and the reason; Load adds the place.
func (c *Config) Validate() Problems {
	k := new(checker)
	c.checkTexts(k)
	if c.Node != "" {
		k.match("node", c.Node, nodeName, "must be letters, digits, - and _, at most 64")
	}
	k.filled("audio.capture", c.Audio.Capture)
	k.filled("audio.playback", c.Audio.Playback)
	k.oneOf("audio.aec", c.Audio.AEC, "auto", "on", "off", "device")
	k.between("audio.volume", c.Audio.Volume, 0, 100)
	k.duration("audio.rest_after", c.Audio.RestAfter, 0, time.Hour)
	c.checkListen(k)
	c.Wake.check(k)
	c.checkSpeech(k)
	c.Thinker.check(k)
	c.Responder.check(k)
	c.Route.check(k)
	k.filled("tools.dir", c.Tools.Dir)
	if _, err := time.LoadLocation(c.Tools.Timezone); err != nil {
		k.add("tools.timezone", c.Tools.Timezone, "is not a known time zone")
	}
	if _, _, ok := Hours(c.Tools.QuietHours); c.Tools.QuietHours != "" && !ok {
		k.add("tools.quiet_hours", c.Tools.QuietHours, "must be like 22:00-07:00")
	}
	c.Tools.Intents.check(k)
	c.Tools.Ring.check(k)
	checkMCP(k, c.Tools.MCP)
	c.Tools.checkServices(k)
	c.Tools.Home.check(k)
	c.Tools.Calendar.check(k)
	c.Tools.Knowledge.check(k)
	c.Memory.check(k)
	c.MQTT.check(k)
	c.Buttons.check(k)
	checkLights(k, c.Lights)
	checkHooks(k, c.Hooks)
	c.Console.check(k)
	c.Trace.check(k)
	k.oneOf("log.level", c.Log.Level, "debug", "info", "warn", "error")
	return k.problems
}

// checkTexts bounds every text and list, and checks the secrets.
func (c *Config) checkTexts(k *checker) {
	for _, key := range Keys() {
		switch v := field(c, key); v.Kind() {
		case reflect.String:
			k.short(key, v.String())
			if s, ok := v.Interface().(Secret); ok && !s.valid() {
				k.add(key, "", "must be file:/PATH or credential:NAME; the secret itself does not stand here")
			}
		case reflect.Slice:
			if v.Len() > maxList {
				k.add(key, "", fmt.Sprintf("has more than %d entries", maxList))
			}
		}
	}
}

func (c *Config) checkListen(k *checker) {
	l := &c.Listen
	k.oneOf("listen.detector", l.Detector, "neural", "silero", "none")
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
	k.duration("listen.pre_roll", l.PreRoll, 0, 2*time.Second)
	k.duration("listen.min_speech", l.MinSpeech, 50*time.Millisecond, 2*time.Second)
	k.duration("listen.end_silence", l.EndSilence, 200*time.Millisecond, 5*time.Second)
	k.duration("listen.max_utterance", l.MaxUtterance, 2*time.Second, 60*time.Second)
	// As package vad wants it, whose onset is shorter than the tenth of a second.
	if l.MaxUtterance <= max(l.MinSpeech+l.EndSilence, l.PreRoll+100*time.Millisecond) {
		k.add("listen.max_utterance", l.MaxUtterance.String(),
			"must be longer than listen.min_speech and listen.end_silence together, and than listen.pre_roll")
	}
}

func (w *Wake) check(k *checker) {
	k.oneOf("wake.engine", w.Engine, "phrase", "button", "off")
	k.match("wake.phrase", w.Phrase, wakePhrase, "must be one to five words in small letters")
	k.duration("wake.follow_up", w.FollowUp, 0, time.Minute)
	w.checkWords(k)
}

// checkWords checks the acoustic wake words; whether their files are there shows when
// they are opened.
func (w *Wake) checkWords(k *checker) {
	names := make(map[string]bool)
	for i, w := range w.Words {
		key := func(name string) string { return fmt.Sprintf("wake.words[%d].%s", i, name) }
		k.filled(key("model"), w.Model)
		if w.Server != "" {
			k.address(key("server"), w.Server)
			if host := hostOf(w.Server); !inHouse(host) {
				k.add(key("server"), host, "is outside the house, and a wake server is sent all that is heard")
			}
		}
		k.match(key("name"), w.Called(), wordName, "must be letters, digits, spaces, - and ', at most 64")
		if names[w.Called()] {
			k.add(key("name"), w.Called(), "stands twice")
		}
		if w.Called() == "all" || w.Called() == "phrase" {
			k.add(key("name"), w.Called(), "is reserved; give it another name")
		}
		names[w.Called()] = true
		k.oneOf(key("kind"), w.Kind, "", "wake", "stop")
		k.oneOf(key("route"), w.Route, "", "any", "local", "cloud")
		if !(w.Cutoff >= 0 && w.Cutoff < 1) {
			k.add(key("cutoff"), fmt.Sprint(w.Cutoff), "must be 0 or more, and below 1")
		}
		for name, text := range map[string]string{"model": w.Model, "server": w.Server} {
			k.short(key(name), text)
		}
	}
}

func (c *Config) checkSpeech(k *checker) {
	s, t := &c.STT, &c.TTS
	k.oneOf("stt.engine", s.Engine, "pocketsphinx", "wyoming", "openai", "command")
	k.filled("stt.language", s.Language)
	switch s.Engine {
	case "wyoming":
		k.address("stt.wyoming.address", s.Wyoming.Address)
		c.checkLocal(k, "stt.wyoming.address", hostOf(s.Wyoming.Address))
	case "openai":
		k.http("stt.openai.url", s.OpenAI.URL)
		k.filled("stt.openai.model", s.OpenAI.Model)
		if u, err := url.Parse(s.OpenAI.URL); err == nil {
			c.checkLocal(k, "stt.openai.url", u.Hostname())
		}
	case "command":
		k.command("stt.command.argv", s.Command.Argv)
		k.oneOf("stt.command.input", s.Command.Input, "stdin", "file")
		if strings.Contains(strings.Join(s.Command.Argv, " "), "{file}") != (s.Command.Input == "file") {
			k.add("stt.command.input", s.Command.Input, "must be file if {file} stands in stt.command.argv, and stdin otherwise")
		}
	}
	k.oneOf("tts.engine", t.Engine, "flite", "espeak-ng", "wyoming", "openai", "command")
	switch t.Engine {
	case "wyoming":
		k.address("tts.wyoming.address", t.Wyoming.Address)
	case "openai":
		k.http("tts.openai.url", t.OpenAI.URL)
		k.filled("tts.voice", t.Voice)
		k.oneOf("tts.openai.format", t.OpenAI.Format, "pcm", "wav")
		k.between("tts.openai.rate", t.OpenAI.Rate, 8000, 96000)
	case "command":
		k.command("tts.command.argv", t.Command.Argv)
	}
}

// checkLocal keeps the first promise: with the transcript as the wake word, every
// sentence in the room goes to the recogniser, so that must be in the house.
func (c *Config) checkLocal(k *checker, key, host string) {
	if c.Wake.Engine == "phrase" && !inHouse(host) {
		k.add(key, host, "is outside the house, and wake.engine phrase would send it every sentence that is spoken; use wake.engine button")
	}
}

func (t *Thinker) check(k *checker) {
	t.checkProviders(k)
	if t.URL == "" && len(t.Providers) == 0 {
		return
	}
	if t.URL != "" {
		k.http("thinker.url", t.URL)
		k.filled("thinker.model", t.Model)
	}
	k.duration("thinker.embed_wait", t.EmbedWait, 0, 10*time.Second)
	k.duration("thinker.keep_alive", t.KeepAlive, 0, 7*24*time.Hour)
	k.between("thinker.num_ctx", t.NumCtx, 2048, 1<<20)
	k.between("thinker.max_tokens", t.MaxTokens, 1000, 1<<20)
	k.between("thinker.max_messages", t.MaxMessages, 4, 200)
}

func (t *Thinker) checkProviders(k *checker) {
	names := make(map[string]bool)
	for i, p := range t.Providers {
		key := func(name string) string { return fmt.Sprintf("thinker.providers[%d].%s", i, name) }
		k.match(key("name"), p.Name, nodeName, "must be letters, digits, - and _, at most 64")
		if names[p.Name] {
			k.add(key("name"), p.Name, "stands twice")
		}
		names[p.Name] = true
		k.http(key("url"), p.URL)
		k.filled(key("model"), p.Model)
		if !p.Key.valid() {
			k.add(key("key"), "", "must be file:/PATH or credential:NAME; the secret itself does not stand here")
		}
	}
}

func (m *Memory) check(k *checker) {
	k.between("memory.turns", m.Turns, 100, 100_000)
	k.between("memory.notes", m.Notes, 100, 1_000_000)
	k.between("memory.max_mb", m.MaxMB, 10, 100_000)
	k.duration("memory.reflect_after", m.ReflectAfter, time.Second, 24*time.Hour)
	k.oneOf("memory.units", m.Units, "metric", "imperial")
	for i, name := range m.People {
		k.match(fmt.Sprintf("memory.people[%d]", i), name, wordName, "must be letters, digits, spaces, - and ', at most 64")
	}
}
