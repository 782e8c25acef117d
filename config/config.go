// Package config holds the configuration of hearthd: its keys, their defaults,
// loading from files and the environment, and validation that names every
// problem with its place. It runs no goroutine and imports nothing of hearthd;
// only daemon and cmd import it.
package config

import (
	"path/filepath"
	"strings"
	"time"
)

// Config is everything a household can set. The yaml tags are the key names;
// the shipped example file hearthd.yaml shows every key at its default.
type Config struct {
	// Node names this box on MQTT and in the log. Empty: the host name.
	Node      string    `yaml:"node"`
	Audio     Audio     `yaml:"audio"`
	Listen    Listen    `yaml:"listen"`
	Wake      Wake      `yaml:"wake"`
	STT       STT       `yaml:"stt"`
	TTS       TTS       `yaml:"tts"`
	Thinker   Thinker   `yaml:"thinker"`
	Responder Responder `yaml:"responder"`
	Route     Route     `yaml:"route"`
	Tools     Tools     `yaml:"tools"`
	Memory    Memory    `yaml:"memory"`
	MQTT      MQTT      `yaml:"mqtt"`
	Control   Control   `yaml:"control"`
	Console   Console   `yaml:"console"`
	Trace     Trace     `yaml:"trace"`
	Buttons   Buttons   `yaml:"keys"`
	Lights    []Light   `yaml:"lights"`
	Hooks     []Hook    `yaml:"hooks"`
	Log       Log       `yaml:"log"`
}

// Audio names the sound cards.
type Audio struct {
	Capture  string `yaml:"capture"`  // ALSA name
	Playback string `yaml:"playback"` // ALSA name
	// AEC is how the speaker's echo is cancelled, so that speech may interrupt an
	// answer: "auto", by hearthd, which listens through its own voice while the
	// echo is gone; "on", at any time; "off", not at all; "device", by the
	// microphone itself.
	AEC    string `yaml:"aec"`
	Volume int    `yaml:"volume"` // percent, until somebody changes it by voice
	// RestAfter is the silence after which the speaker's device is stopped until
	// it is needed again; 0 never.
	RestAfter time.Duration `yaml:"rest_after"`
}

// Listen sets how speech is cut out of the stream.
type Listen struct {
	Detector     string        `yaml:"detector"`      // neural, silero or none
	Silero       string        `yaml:"silero"`        // file of Silero's network
	AutoGain     bool          `yaml:"auto_gain"`     // bring speech to the level that detectors know
	Threshold    float64       `yaml:"threshold"`     // probability that starts speech
	Release      float64       `yaml:"release"`       // probability below which speech pauses
	PreRoll      time.Duration `yaml:"pre_roll"`      // audio kept from before onset
	MinSpeech    time.Duration `yaml:"min_speech"`    // less voice than this is no utterance
	EndSilence   time.Duration `yaml:"end_silence"`   // silence that ends an utterance
	MaxUtterance time.Duration `yaml:"max_utterance"` // longest utterance
}

// Wake sets what opens a turn.
type Wake struct {
	Engine   string        `yaml:"engine"`    // phrase, button or off
	Phrase   string        `yaml:"phrase"`    // what a transcript must begin with
	FollowUp time.Duration `yaml:"follow_up"` // after an answer, how long no phrase is needed
	Chime    bool          `yaml:"chime"`     // play an earcon when a turn opens
	Words    []WakeWord    `yaml:"words"`     // heard in the sound itself, beside engine phrase or button
}

// Choices are the words that may be chosen as the only one that is heeded: "all",
// "phrase" if the engine is that, and the names.
func (w *Wake) Choices() []string {
	list := []string{"all"}
	if w.Engine == "phrase" {
		list = append(list, "phrase")
	}
	for _, word := range w.Words {
		if word.Kind != "stop" {
			list = append(list, word.Called())
		}
	}
	return list
}

// WakeWord is one wake word and the spotter that hears it.
type WakeWord struct {
	// Model is the .json of a microWakeWord model, an enrolled word, or the name
	// that Server gives the word. Without a slash it is looked for among the
	// installed ones.
	Model  string  `yaml:"model"`
	Server string  `yaml:"server"` // a Wyoming wake server, host:port or unix:/path
	Name   string  `yaml:"name"`   // as events show it; empty: of the model
	Kind   string  `yaml:"kind"`   // wake or stop; empty: wake
	Route  string  `yaml:"route"`  // any, local or cloud; empty: any
	Cutoff float64 `yaml:"cutoff"` // 0: the model's own
}

// Called is the name of the word.
func (w WakeWord) Called() string {
	if w.Name != "" {
		return w.Name
	}
	base := filepath.Base(w.Model)
	return strings.ReplaceAll(strings.TrimSuffix(base, filepath.Ext(base)), "_", " ")
}

// STT chooses the recogniser.
type STT struct {
	Engine   string     `yaml:"engine"` // pocketsphinx, wyoming, openai or command
	Language string     `yaml:"language"`
	Wyoming  WyomingSTT `yaml:"wyoming"`
	OpenAI   OpenAISTT  `yaml:"openai"`
	Command  CommandSTT `yaml:"command"`
}

// WyomingSTT reaches a Wyoming speech-to-text server.
type WyomingSTT struct {
	Address string `yaml:"address"` // host:port or unix:/path
	Model   string `yaml:"model"`
}

// OpenAISTT reaches a server with the OpenAI transcription endpoint.
type OpenAISTT struct {
	URL   string `yaml:"url"`
	Model string `yaml:"model"`
	Key   Secret `yaml:"key"` // file:PATH or credential:NAME
}

// CommandSTT runs a program for each utterance.
type CommandSTT struct {
	Argv  []string `yaml:"argv"`
	Input string   `yaml:"input"` // stdin or file; file puts the path at {file}
}

// TTS chooses the voice.
type TTS struct {
	Engine  string     `yaml:"engine"` // flite, espeak-ng, wyoming, openai or command
	Voice   string     `yaml:"voice"`  // as the engine names it; empty: the engine's default
	Wyoming WyomingTTS `yaml:"wyoming"`
	OpenAI  OpenAITTS  `yaml:"openai"`
	Command CommandTTS `yaml:"command"`
}

// WyomingTTS reaches a Wyoming text-to-speech server.
type WyomingTTS struct {
	Address string `yaml:"address"`
}

// OpenAITTS reaches a server with the OpenAI speech endpoint.
type OpenAITTS struct {
	URL    string `yaml:"url"`
	Model  string `yaml:"model"`
	Key    Secret `yaml:"key"`
	Format string `yaml:"format"` // pcm or wav
	Rate   int    `yaml:"rate"`   // samples per second of pcm
}

// CommandTTS runs a program for each sentence; it writes a WAV on stdout.
type CommandTTS struct {
	Argv []string `yaml:"argv"` // text goes to {text}, or to stdin without one
}

// Thinker reaches an Ollama. An empty URL means that there is none, and that the first of
// Providers answers instead.
type Thinker struct {
	URL        string `yaml:"url"`
	Model      string `yaml:"model"`
	SmartModel string `yaml:"smart_model"` // for thinkers of the tier smart; empty: Model
	EmbedModel string `yaml:"embed_model"` // finds what is alike in meaning; empty: words alone
	// EmbedWait is what an answer may be late by for the meaning of its request.
	EmbedWait time.Duration `yaml:"embed_wait"`
	KeepAlive time.Duration `yaml:"keep_alive"`
	NumCtx    int           `yaml:"num_ctx"` // tokens; raised to what MaxTokens needs
	Think     bool          `yaml:"think"`
	// MaxTokens and MaxMessages bound what a model is told: prompt, tools and
	// conversation.
	MaxTokens   int        `yaml:"max_tokens"`
	MaxMessages int        `yaml:"max_messages"`
	Dir         string     `yaml:"dir"`       // folder of thinkers, *.yaml
	Prompts     string     `yaml:"prompts"`   // folder of system.txt, reflect.txt, summary.txt
	Providers   []Provider `yaml:"providers"` // servers that a thinker may name
}

// Provider is a server with OpenAI's chat endpoint.
type Provider struct {
	Name       string `yaml:"name"`
	URL        string `yaml:"url"` // up to and with /v1
	Model      string `yaml:"model"`
	SmartModel string `yaml:"smart_model"` // empty: Model
	Key        Secret `yaml:"key"`         // file:PATH or credential:NAME; empty: none
}

// Memory bounds what is kept.
type Memory struct {
	Turns   int  `yaml:"turns"`   // finished turns kept
	Notes   int  `yaml:"notes"`   // notes kept
	MaxMB   int  `yaml:"max_mb"`  // of the database; the oldest turns and notes go first
	Reflect bool `yaml:"reflect"` // note what is worth remembering of what was said
	// ReflectAfter is the silence after a turn before the model is asked about it.
	ReflectAfter time.Duration `yaml:"reflect_after"`
	// People are those that may be told apart; what nobody is named for belongs to
	// the household.
	People []string `yaml:"people"`
	// Place and Units hold as long as nobody has said otherwise.
	Place string `yaml:"place"`
	Units string `yaml:"units"` // metric or imperial
}

// MQTT names the broker, and what it may ask.
type MQTT struct {
	// Broker is "embedded"; "off"; "mdns" or "mdns-tls", which look for one; or an
	// address: mqtt://host:1883, mqtts://host:8883, ws://host/path, wss://host/path.
	Broker   string `yaml:"broker"`
	Listen   string `yaml:"listen"` // address of the embedded broker
	User     string `yaml:"user"`
	Password Secret `yaml:"password"`
	CAFile   string `yaml:"ca_file"`
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"`
	Prefix   string `yaml:"prefix"` // first topic level
	// Commands are those that are obeyed.
	Commands []string `yaml:"commands"`
	// Discovery tells Home Assistant of this box, below DiscoveryPrefix; Area is where
	// it suggests to put it.
	Discovery       bool   `yaml:"discovery"`
	DiscoveryPrefix string `yaml:"discovery_prefix"`
	Area            string `yaml:"area"`
	// House is the household of the boxes of one prefix that know each other; empty:
	// this one is on its own. Groups are names that it is called by beside its own.
	House  string   `yaml:"house"`
	Groups []string `yaml:"groups"`
	// ShareTimers lets the other boxes ask for the timers of this one, and this one for
	// theirs. ListsAt names the box that keeps the lists; empty: each its own.
	ShareTimers bool   `yaml:"share_timers"`
	ListsAt     string `yaml:"lists_at"`
}

// Control places the control socket. Empty: control.sock in the runtime folder.
type Control struct {
	Socket string `yaml:"socket"`
}

// Log sets what the journal shows.
type Log struct {
	Level       string `yaml:"level"`       // debug, info, warn or error
	Transcripts bool   `yaml:"transcripts"` // words that were heard and said, in log, events and MQTT
}

// Default is the configuration of a box that nobody has touched.
func Default() Config {
	return Config{
		Audio: Audio{Capture: "default", Playback: "default", AEC: "auto", Volume: 70, RestAfter: 10 * time.Second},
		Listen: Listen{
			Detector: "neural", AutoGain: true, Threshold: 0.5, Release: 0.35,
			PreRoll: 400 * time.Millisecond, MinSpeech: 250 * time.Millisecond,
			EndSilence: 700 * time.Millisecond, MaxUtterance: 15 * time.Second,
		},
		Wake: Wake{
			Engine: "phrase", Phrase: "hey hearth", FollowUp: 6 * time.Second, Chime: true, Words: []WakeWord{},
		},
		STT: STT{
			Engine: "pocketsphinx", Language: "en",
			Wyoming: WyomingSTT{Address: "127.0.0.1:10300"},
			OpenAI:  OpenAISTT{URL: "https://api.openai.com/v1", Model: "gpt-transcribe", Key: "credential:hearthd.openai"},
			Command: CommandSTT{Argv: []string{}, Input: "stdin"},
		},
		TTS: TTS{
			Engine:  "flite",
			Wyoming: WyomingTTS{Address: "127.0.0.1:10200"},
			OpenAI: OpenAITTS{
				URL: "https://api.openai.com/v1", Key: "credential:hearthd.openai",
				Format: "pcm", Rate: 24000,
			},
			Command: CommandTTS{Argv: []string{}},
		},
		Thinker: Thinker{
			URL: "http://127.0.0.1:11434", Model: "qwen3:1.7b",
			EmbedWait: 15 * time.Millisecond,
			KeepAlive: 30 * time.Minute, NumCtx: 8192, MaxTokens: 8000, MaxMessages: 20,
			Dir: "/etc/hearthd/thinkers.d", Prompts: "/etc/hearthd/prompts", Providers: []Provider{},
		},
		Responder: responder(),
		Route:     Route{Policy: "auto", AtHome: []string{"home"}, ThinkerHours: []ThinkerHours{}},
		Tools: Tools{
			Dir: "/etc/hearthd/tools.d", MCP: []MCPServer{}, Intents: Intents{Language: "en", Dir: "/etc/hearthd/intents"},
			Ring: Ring{Limit: 5 * time.Minute, Volume: 60, Snooze: 9 * time.Minute},
			Home: defaultHome(), Calendar: defaultCalendar(), Knowledge: defaultKnowledge(),
		}.services(),
		Memory: Memory{
			Turns: 5000, Notes: 100_000, MaxMB: 300, Reflect: true, ReflectAfter: 5 * time.Minute, People: []string{},
			Units: "metric",
		},
		MQTT: MQTT{
			Broker: "embedded", Listen: "127.0.0.1:1883",
			Password: "credential:hearthd.mqtt", Prefix: "hearth",
			Commands: []string{
				"say", "announce", "ask", "listen", "stop", "repeat", "mute", "dnd", "volume", "timer", "tool", "wake", "route",
			},
			Discovery: true, DiscoveryPrefix: "homeassistant", House: "home", Groups: []string{},
		},
		Console: defaultConsole(),
		Trace:   Trace{Key: "credential:hearthd.trace"},
		Buttons: Buttons{Devices: []string{"auto"}, Step: 5, Actions: []Button{}}, Lights: []Light{}, Hooks: []Hook{},
		Log: Log{Level: "info"},
	}
}
