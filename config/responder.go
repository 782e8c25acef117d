package config

import (
	"time"
)

// Responder reaches a speech-to-speech service with OpenAI's Realtime protocol, or GPT-Live's. An
// empty URL means that there is none, and that no audio leaves the house.
type Responder struct {
	URL      string `yaml:"url" form:"http"` // base, such as https://api.openai.com/v1
	Protocol string `yaml:"protocol" enum:"realtime,live"`
	Model    string `yaml:"model"`
	Voice    string `yaml:"voice"`
	// how much a model thinks that does; empty: its default
	Reasoning   string `yaml:"reasoning" enum:",minimal,low,medium,high,xhigh"`
	Transcriber string `yaml:"transcriber"` // model that writes down what people say; empty: nothing is
	Key         Secret `yaml:"key"`
	// semantic_vad or server_vad: who finds the end of speech where no detector runs here
	Detection  string        `yaml:"detection" enum:"semantic_vad,server_vad"`
	FirstAudio time.Duration `yaml:"first_audio" min:"500ms" max:"30s"` // after it the thinker answers instead
	// how long the connection is kept after a turn
	Idle     time.Duration `yaml:"idle" min:"1s" max:"10m"`
	Converse bool          `yaml:"converse"` // the window stays open until it has said goodbye
	Daily    float64       `yaml:"daily"`    // budget of a day, in the money of Prices; 0: none is spent
	Monthly  float64       `yaml:"monthly"`  // and of a month
	Prices   Prices        `yaml:"prices"`
}

// Prices are what a million tokens cost, and a minute of a session or of speech where a model is
// paid by time. A price that is Known is taken from the model (Rates).
type Prices struct {
	Currency    string  `yaml:"currency" need:"yes" form:"currency"`
	TextIn      float64 `yaml:"text_in"`
	TextCached  float64 `yaml:"text_cached"`
	TextOut     float64 `yaml:"text_out"`
	AudioIn     float64 `yaml:"audio_in"`
	AudioCached float64 `yaml:"audio_cached"`
	AudioOut    float64 `yaml:"audio_out"`

	SessionMinute float64 `yaml:"session_minute"`

	TranscriptIn     float64 `yaml:"transcript_in"`
	TranscriptOut    float64 `yaml:"transcript_out"`
	TranscriptMinute float64 `yaml:"transcript_minute"`
}

// amounts are all of them: six of a model that talks, one of a session, and three of a model that
// writes down speech.
func (p *Prices) amounts() [10]*float64 {
	return [...]*float64{&p.TextIn, &p.TextCached, &p.TextOut, &p.AudioIn, &p.AudioCached, &p.AudioOut,
		&p.SessionMinute, &p.TranscriptIn, &p.TranscriptOut, &p.TranscriptMinute}
}

// Route says what may go to the responder.
type Route struct {
	// auto: what no intent covers, as long as it works; local: nothing
	Policy string   `yaml:"policy" enum:"auto,local"`
	AtHome []string `yaml:"at_home" need:"yes"` // thinkers whose requests never do
	Hours  string   `yaml:"hours" form:"hours"` // when it may be asked, such as 07:00-22:30; empty: always
	// ThinkerHours are when the requests of some thinkers may go there, within Hours.
	ThinkerHours []ThinkerHours `yaml:"thinker_hours"`
}

// ThinkerHours are the hours of one thinker.
type ThinkerHours struct {
	Thinker string `yaml:"thinker" need:"yes"`
	Hours   string `yaml:"hours" need:"yes" form:"hours"`
}

// Choices are the policies that may be chosen while hearthd runs, or nil where nothing
// ever goes to a responder.
func (c *Config) Choices() []string {
	if c.Responder.URL == "" || c.Route.Policy == "local" {
		return nil
	}
	return []string{"auto", "local"}
}
