package config

import (
	"fmt"
	"math"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Longest texts that are taken.
const (
	maxText = 1000
	maxList = 64
)

const (
	nodeName    = `^[A-Za-z0-9_-]{1,64}$`
	topicLevel  = `^[A-Za-z0-9_-]{1,64}$`
	wordName    = `^[\p{L}0-9'-]+( [\p{L}0-9'-]+){0,7}$`
	countryCode = `^[a-z]{2}$`
	wakePhrase  = `^[a-z']+( [a-z']+){0,4}$`
)

// Validate returns every value that cannot be worked with. Problems carry the
// key, the value and the reason; Load adds the place.
func (c *Config) Validate() Problems {
	k := &checker{cfg: c}
	k.texts()
	if c.Node != "" {
		k.match("node", c.Node, nodeName, "must be letters, digits, - and _, at most 64")
	}
	k.filled("audio.capture", c.Audio.Capture)
	k.filled("audio.playback", c.Audio.Playback)
	k.oneOf("audio.aec", c.Audio.AEC, "auto", "on", "off", "device")
	k.between("audio.volume", c.Audio.Volume, 0, 100)
	k.duration("audio.rest_after", c.Audio.RestAfter, 0, time.Hour)
	k.listen()
	k.speech()
	k.thinker()
	k.responder()
	k.filled("tools.dir", c.Tools.Dir)
	if _, err := time.LoadLocation(c.Tools.Timezone); err != nil {
		k.add("tools.timezone", c.Tools.Timezone, "is not a known time zone")
	}
	k.intents()
	k.ring()
	k.mcp()
	k.services()
	k.home()
	k.calendar()
	k.knowledge()
	k.memory()
	k.mqtt()
	k.hardware()
	k.console()
	k.trace()
	k.oneOf("log.level", c.Log.Level, "debug", "info", "warn", "error")
	return k.problems
}

type checker struct {
	cfg      *Config
	problems Problems
}

func (k *checker) add(key, value, reason string) {
	k.problems = append(k.problems, Problem{Key: key, Value: value, Reason: reason})
}

// texts bounds every text and list, and checks the secrets.
func (k *checker) texts() {
	for _, key := range Keys() {
		switch v := field(k.cfg, key); v.Kind() {
		case reflect.String:
			if v.Len() > maxText {
				k.add(key, "", fmt.Sprintf("is longer than %d bytes", maxText))
			}
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

func (k *checker) listen() {
	l, w := &k.cfg.Listen, &k.cfg.Wake
	k.oneOf("listen.detector", l.Detector, "neural", "silero", "none")
	if l.Detector == "none" && w.Engine == "phrase" {
		k.add("wake.engine", w.Engine, "must be button or off where listen.detector is none, because nothing hears the phrase")
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
		k.add("listen.max_utterance", l.MaxUtterance.String(), "must be longer than listen.min_speech and listen.end_silence together, and than listen.pre_roll")
	}
	k.oneOf("wake.engine", w.Engine, "phrase", "button", "off")
	k.match("wake.phrase", w.Phrase, wakePhrase, "must be one to five words in small letters")
	k.duration("wake.follow_up", w.FollowUp, 0, time.Minute)
	k.words()
}

// words checks the acoustic wake words; whether their files are there shows when
// they are opened.
func (k *checker) words() {
	names := make(map[string]bool)
	for i, w := range k.cfg.Wake.Words {
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
			if len(text) > maxText {
				k.add(key(name), "", fmt.Sprintf("is longer than %d bytes", maxText))
			}
		}
	}
}

func (k *checker) speech() {
	s, t := &k.cfg.STT, &k.cfg.TTS
	k.oneOf("stt.engine", s.Engine, "pocketsphinx", "wyoming", "openai", "command")
	k.filled("stt.language", s.Language)
	switch s.Engine {
	case "wyoming":
		k.address("stt.wyoming.address", s.Wyoming.Address)
		k.local("stt.wyoming.address", hostOf(s.Wyoming.Address))
	case "openai":
		k.http("stt.openai.url", s.OpenAI.URL)
		k.filled("stt.openai.model", s.OpenAI.Model)
		if u, err := url.Parse(s.OpenAI.URL); err == nil {
			k.local("stt.openai.url", u.Hostname())
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

// local keeps the first promise: with the transcript as the wake word, every
// sentence in the room goes to the recogniser, so that must be in the house.
func (k *checker) local(key, host string) {
	if k.cfg.Wake.Engine == "phrase" && !inHouse(host) {
		k.add(key, host, "is outside the house, and wake.engine phrase would send it every sentence that is spoken; use wake.engine button")
	}
}

func inHouse(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	return !strings.Contains(host, ".") || strings.HasSuffix(host, ".local") ||
		strings.HasSuffix(host, ".lan") || strings.HasSuffix(host, ".home.arpa") || strings.HasSuffix(host, ".internal")
}

// hostOf is the host of host:port; a unix socket is in the house.
func hostOf(address string) string {
	if strings.HasPrefix(address, "unix:") {
		return "localhost"
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return "localhost" // address() has already refused it
	}
	return host
}

func (k *checker) thinker() {
	t := &k.cfg.Thinker
	k.providers()
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

func (k *checker) providers() {
	names := make(map[string]bool)
	for i, p := range k.cfg.Thinker.Providers {
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

func (k *checker) memory() {
	m := &k.cfg.Memory
	k.between("memory.turns", m.Turns, 100, 100_000)
	k.between("memory.notes", m.Notes, 100, 1_000_000)
	k.between("memory.max_mb", m.MaxMB, 10, 100_000)
	k.duration("memory.reflect_after", m.ReflectAfter, time.Second, 24*time.Hour)
	k.oneOf("memory.units", m.Units, "metric", "imperial")
	for i, name := range m.People {
		k.match(fmt.Sprintf("memory.people[%d]", i), name, wordName, "must be letters, digits, spaces, - and ', at most 64")
	}
}

func (k *checker) filled(key, value string) {
	if strings.TrimSpace(value) == "" {
		k.add(key, value, "must not be empty")
	}
}

// oneOf refuses all but choices; "" stands first where the key may be left out.
func (k *checker) oneOf(key, value string, choices ...string) {
	if !slices.Contains(choices, value) {
		k.add(key, value, "must be one of "+strings.TrimPrefix(strings.Join(choices, ", "), ", "))
	}
}

func (k *checker) match(key, value string, pattern string, reason string) {
	if !regexp.MustCompile(pattern).MatchString(value) {
		k.add(key, value, reason)
	}
}

func (k *checker) between(key string, value, low, high int) {
	if value < low || value > high {
		k.add(key, fmt.Sprint(value), fmt.Sprintf("must be between %d and %d", low, high))
	}
}

func (k *checker) duration(key string, value, low, high time.Duration) {
	if value < low || value > high {
		k.add(key, value.String(), fmt.Sprintf("must be between %v and %v", low, high))
	}
}

func (k *checker) command(key string, argv []string) {
	switch {
	case len(argv) == 0 || argv[0] == "":
		k.add(key, "", "must name a program")
	case strings.Contains(argv[0], "/") && !strings.HasPrefix(argv[0], "/"):
		k.add(key, argv[0], "must be an absolute path or a name on PATH")
	case strings.ContainsRune(strings.Join(argv, ""), 0):
		k.add(key, "", "holds a zero byte, which no argument may")
	}
}

func (k *checker) http(key, value string) {
	u, err := url.Parse(value)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil {
		k.add(key, "", "must be an http:// or https:// address without user and password")
	}
}

func (k *checker) address(key, value string) {
	if path, ok := strings.CutPrefix(value, "unix:"); ok {
		if !strings.HasPrefix(path, "/") {
			k.add(key, value, "must be unix:/PATH or HOST:PORT")
		}
		return
	}
	k.hostPort(key, value)
}

func (k *checker) hostPort(key, value string) {
	if host, port, err := net.SplitHostPort(value); err != nil || host == "" || port == "" {
		k.add(key, value, "must be HOST:PORT")
	}
}
