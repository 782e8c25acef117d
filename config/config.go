// Package config holds the configuration of hearthd: its keys, their defaults,
// loading from files and the environment, and validation that names every
// problem with its place. It runs no goroutine; only daemon and cmd import it.
package config

import (
	"bytes"
	_ "embed"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"time"
)

// Config is everything a household can set. The yaml tags are the key names;
// the shipped example file hearthd.yaml shows every key at its default.
type Config struct {
	// Node names this box on MQTT and in the log. Empty: the host name.
	Node      string    `yaml:"node" form:"node"`
	Audio     Audio     `yaml:"audio"`
	Listen    Listen    `yaml:"listen"`
	Wake      Wake      `yaml:"wake"`
	STT       STT       `yaml:"stt"`
	TTS       TTS       `yaml:"tts"`
	Thinker   Thinker   `yaml:"thinker"`
	Responder Responder `yaml:"responder"`
	Route     Route     `yaml:"route"`
	Tools     Tools     `yaml:"tools"`
	Media     Media     `yaml:"media"`
	Memory    Memory    `yaml:"memory"`
	MQTT      MQTT      `yaml:"mqtt"`
	Control   Control   `yaml:"control"`
	Console   Console   `yaml:"console"`
	Satellite Satellite `yaml:"satellite"`
	Trace     Trace     `yaml:"trace"`
	Buttons   Buttons   `yaml:"keys"`
	Lights    []Light   `yaml:"lights"`
	Hooks     []Hook    `yaml:"hooks"`
	Log       Log       `yaml:"log"`
}

// Audio names the sound cards.
type Audio struct {
	Capture  string `yaml:"capture" need:"yes"`  // ALSA name
	Playback string `yaml:"playback" need:"yes"` // ALSA name
	// AEC is how the speaker's echo is cancelled, so that speech may interrupt an answer: "auto",
	// by hearthd, which listens during its answers while no echo is left; "on", by hearthd, which
	// always does; "off", not at all; "device", by the microphone itself.
	AEC    string `yaml:"aec" enum:"auto,on,off,device"`
	Volume int    `yaml:"volume" min:"0" max:"100"` // percent, until somebody changes it by voice
	// RestAfter is the silence after which the speaker's device is stopped until
	// it is needed again; 0 never.
	RestAfter time.Duration `yaml:"rest_after" min:"0s" max:"1h"`
}

// Media is radio and music.
type Media struct {
	Folder   string `yaml:"folder" form:"path"`              // of music; empty: there is none
	Stations string `yaml:"stations" need:"yes" form:"path"` // file of the household's radio stations
	Volume   int    `yaml:"volume" min:"0" max:"100"`        // percent, under that of the speaker
	Decoder  string `yaml:"decoder" need:"yes"`              // the program ffmpeg
	// Directory of stations, for hearthctl radio search; empty: none is asked.
	Directory string        `yaml:"directory" form:"http"`
	Sources   []MediaSource `yaml:"sources"` // other players, which play through us
	// Everywhere is the pipe of a Snapcast server, or the name of the box that has it; empty: there is none.
	Everywhere string `yaml:"everywhere"`
}

// MediaSource is a program that writes samples to its standard output, or a FIFO that one writes.
type MediaSource struct {
	Name     string   `yaml:"name" need:"yes"`              // what people call it
	Command  []string `yaml:"command"`                      // program and arguments, or
	FIFO     string   `yaml:"fifo" form:"path"`             // what somebody else's program writes
	Rate     int      `yaml:"rate" min:"0" max:"192000"`    // samples per second; 0: 44100
	Format   string   `yaml:"format" enum:",s16le,s32le"`   // of a sample; empty: s16le
	Channels int      `yaml:"channels" min:"0" max:"8"`     // 0: 2
	When     string   `yaml:"when" enum:",wanted,always"`   // when it runs; empty: wanted
	Clock    string   `yaml:"clock" enum:",reader,program"` // who keeps time; empty: the reader
}

// Listen sets how speech is cut out of the stream.
type Listen struct {
	Detector string `yaml:"detector" enum:"neural,silero,none"` // neural, silero or none
	Silero   string `yaml:"silero"`                             // file of Silero's network
	// AutoGain brings speech to the level that detectors know.
	AutoGain     bool          `yaml:"auto_gain"`
	Threshold    float64       `yaml:"threshold"`                        // probability that starts speech
	Release      float64       `yaml:"release"`                          // probability below which speech pauses
	PreRoll      time.Duration `yaml:"pre_roll" min:"0s" max:"2s"`       // audio kept from before onset
	MinSpeech    time.Duration `yaml:"min_speech" min:"50ms" max:"2s"`   // less voice than this is no utterance
	EndSilence   time.Duration `yaml:"end_silence" min:"200ms" max:"5s"` // silence that ends an utterance
	MaxUtterance time.Duration `yaml:"max_utterance" min:"2s" max:"60s"` // longest utterance
}

// Wake sets what opens a turn.
type Wake struct {
	Engine   string        `yaml:"engine" enum:"phrase,button,off"` // phrase, button or off
	Phrase   string        `yaml:"phrase" need:"yes" form:"phrase"` // what a transcript must begin with
	FollowUp time.Duration `yaml:"follow_up" min:"0s" max:"1m"`     // after an answer, how long no phrase is needed
	Chime    bool          `yaml:"chime"`                           // play an earcon when a turn opens
	// Words are heard in the sound itself, beside engine phrase or button.
	Words []WakeWord `yaml:"words"`
}

// Choices are the words that may be chosen as the only one that is listened to: "all", "phrase" if
// the engine is that, and the names.
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
	Model  string  `yaml:"model" need:"yes"`
	Server string  `yaml:"server" form:"address"`                       // a Wyoming wake server, host:port or unix:/path
	Name   string  `yaml:"name"`                                        // as events show it; empty: of the model
	Kind   string  `yaml:"kind" enum:",wake,stop"`                      // wake or stop; empty: wake
	Route  string  `yaml:"route" enum:",any,local,cloud,homeassistant"` // empty: any
	Cutoff float64 `yaml:"cutoff"`                                      // 0: the model's own
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
	// pocketsphinx, wyoming, openai or command
	Engine   string     `yaml:"engine" enum:"pocketsphinx,wyoming,openai,command"`
	Language string     `yaml:"language" need:"yes"`
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
	Input string   `yaml:"input" enum:"stdin,file"` // file puts the path at {file}
}

// TTS chooses the voice.
type TTS struct {
	// flite, espeak-ng, wyoming, openai or command
	Engine  string     `yaml:"engine" enum:"flite,espeak-ng,wyoming,openai,command"`
	Voice   string     `yaml:"voice"` // as the engine names it; empty: the engine's default
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
	Format string `yaml:"format" enum:"pcm,wav"`
	Rate   int    `yaml:"rate" min:"8000" max:"96000"` // samples per second of pcm
}

// CommandTTS runs a program for each sentence; it writes a WAV on stdout.
type CommandTTS struct {
	Argv []string `yaml:"argv"` // text goes to {text}, or to stdin without one
}

// Thinker reaches an Ollama. An empty URL means that there is none, and that the first of
// Providers answers instead.
type Thinker struct {
	URL        string `yaml:"url" form:"http"`
	Model      string `yaml:"model"`
	SmartModel string `yaml:"smart_model"` // for thinkers of the tier smart; empty: Model
	EmbedModel string `yaml:"embed_model"` // finds texts by meaning; empty: by words alone
	// EmbedWait is how much later an answer may come because the meaning of its request is
	// computed.
	EmbedWait time.Duration `yaml:"embed_wait" min:"0s" max:"10s"`
	KeepAlive time.Duration `yaml:"keep_alive" min:"0s" max:"168h"`
	NumCtx    int           `yaml:"num_ctx" min:"2048" max:"1048576"` // tokens; raised to what MaxTokens needs
	Think     bool          `yaml:"think"`
	// MaxTokens and MaxMessages bound what is sent to a model: prompt, tools and conversation.
	MaxTokens   int        `yaml:"max_tokens" min:"1000" max:"1048576"`
	MaxMessages int        `yaml:"max_messages" min:"4" max:"200"`
	Dir         string     `yaml:"dir"`       // folder of thinkers, *.yaml
	Prompts     string     `yaml:"prompts"`   // folder of system.txt, reflect.txt, summary.txt
	Providers   []Provider `yaml:"providers"` // servers that a thinker may name
}

// Provider is a server with OpenAI's chat endpoint.
type Provider struct {
	Name       string `yaml:"name" need:"yes" form:"node"`
	URL        string `yaml:"url" need:"yes" form:"http"` // up to and with /v1
	Model      string `yaml:"model" need:"yes"`
	SmartModel string `yaml:"smart_model"` // empty: Model
	Key        Secret `yaml:"key"`         // file:PATH or credential:NAME; empty: none
}

// Memory bounds what is kept.
type Memory struct {
	Turns   int  `yaml:"turns" min:"100" max:"100000"`  // finished turns kept
	Notes   int  `yaml:"notes" min:"100" max:"1000000"` // notes kept
	MaxMB   int  `yaml:"max_mb" min:"10" max:"100000"`  // of the database; the oldest turns and notes go first
	Reflect bool `yaml:"reflect"`                       // note what is worth remembering of what was said
	// ReflectAfter is the silence after a turn before the model is asked about it.
	ReflectAfter time.Duration `yaml:"reflect_after" min:"1s" max:"24h"`
	// People are those whose facts and notes are kept apart; what concerns none of them belongs to
	// the household.
	People []string `yaml:"people" need:"yes" form:"word"`
	// Voices is the hearth-speech of this box by which people are known by their voice; empty: nobody is.
	Voices string `yaml:"voices" form:"unix"`
	// Place and Units hold as long as nobody has said otherwise.
	Place string `yaml:"place"`
	Units string `yaml:"units" enum:"metric,imperial"` // metric or imperial
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
	Prefix   string `yaml:"prefix" need:"yes" form:"level"` // first topic level
	// Commands are those that are accepted.
	Commands []string `yaml:"commands"`
	// Discovery tells Home Assistant of this box, below DiscoveryPrefix; Area is where
	// it suggests to put it.
	Discovery       bool   `yaml:"discovery"`
	DiscoveryPrefix string `yaml:"discovery_prefix" need:"yes" form:"level"`
	Area            string `yaml:"area" bytes:"100"`
	// House is the name under which the boxes of one prefix find each other; empty: this box is on
	// its own. Groups are names that it is called by beside its own.
	House  string   `yaml:"house" form:"level"`
	Groups []string `yaml:"groups" need:"yes" bytes:"100"`
	// ShareTimers lets the other boxes ask for the timers of this one, and this one for
	// theirs. ListsAt names the box that keeps the lists; empty: each its own.
	ShareTimers bool   `yaml:"share_timers"`
	ListsAt     string `yaml:"lists_at" form:"node"`
}

// Control places the control socket. Empty: control.sock in the runtime folder.
type Control struct {
	Socket string `yaml:"socket"`
}

// Log sets what the journal shows.
type Log struct {
	Level string `yaml:"level" enum:"debug,info,warn,error"` // debug, info, warn or error
	// Transcripts says whether words that were heard and said stand in log, events and MQTT.
	Transcripts bool `yaml:"transcripts"`
}

// shipped is the configuration file, which has every key at its default.
//
//go:embed hearthd.yaml
var shipped []byte

var defaults = sync.OnceValue(func() Config {
	var text []byte // without remarks, which take longest to parse
	for line := range bytes.Lines(shipped) {
		if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) {
			text = append(text, line...)
		}
	}
	l := &loader{places: make(Origins)}
	if l.parse("hearthd.yaml", text); len(l.problems) > 0 {
		panic(l.problems) // a test reads the same file
	}
	return l.cfg
})

// Default is the configuration of a box on which nothing was set. It belongs to the caller.
func Default() Config {
	c := defaults()
	copyLists(reflect.ValueOf(&c).Elem())
	return c
}

func copyLists(group reflect.Value) {
	for i := range group.NumField() {
		switch v := group.Field(i); v.Kind() {
		case reflect.Struct:
			copyLists(v)
		case reflect.Slice:
			v.Set(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v))
		}
	}
}
