package config

import (
	"fmt"
	"reflect"
	"time"
)

// Responder reaches a speech-to-speech service with OpenAI's Realtime protocol. An
// empty URL means that there is none, and that no audio leaves the house.
type Responder struct {
	URL         string        `yaml:"url"` // base, such as https://api.openai.com/v1
	Model       string        `yaml:"model"`
	Voice       string        `yaml:"voice"`
	Transcriber string        `yaml:"transcriber"` // model that writes down what people say; empty: nothing is
	Key         Secret        `yaml:"key"`
	Detection   string        `yaml:"detection"`   // semantic_vad or server_vad, where no detector runs here
	FirstAudio  time.Duration `yaml:"first_audio"` // after it the thinker answers instead
	Idle        time.Duration `yaml:"idle"`        // the connection is kept for so long after a turn
	Converse    bool          `yaml:"converse"`    // the window stays open until it has said goodbye
	Daily       float64       `yaml:"daily"`       // budget of a day, in the money of Prices; 0: none is spent
	Monthly     float64       `yaml:"monthly"`     // and of a month
	Prices      Prices        `yaml:"prices"`
}

// Prices are what a million tokens cost, and a minute of speech where the transcriber
// is paid by time. One that is Known is that of the model (Rates).
type Prices struct {
	Currency    string  `yaml:"currency"`
	TextIn      float64 `yaml:"text_in"`
	TextCached  float64 `yaml:"text_cached"`
	TextOut     float64 `yaml:"text_out"`
	AudioIn     float64 `yaml:"audio_in"`
	AudioCached float64 `yaml:"audio_cached"`
	AudioOut    float64 `yaml:"audio_out"`

	TranscriptIn     float64 `yaml:"transcript_in"`
	TranscriptOut    float64 `yaml:"transcript_out"`
	TranscriptMinute float64 `yaml:"transcript_minute"`
}

// amounts are all of them: six of a model that talks, and three of one that writes down.
func (p *Prices) amounts() [9]*float64 {
	return [...]*float64{&p.TextIn, &p.TextCached, &p.TextOut, &p.AudioIn, &p.AudioCached, &p.AudioOut,
		&p.TranscriptIn, &p.TranscriptOut, &p.TranscriptMinute}
}

// Route says what may go to the responder.
type Route struct {
	Policy string   `yaml:"policy"`  // auto: what no intent covers, as long as it works; local: nothing
	AtHome []string `yaml:"at_home"` // thinkers whose requests never do
	Hours  string   `yaml:"hours"`   // when it may be asked, such as 07:00-22:30; empty: always
	// ThinkerHours are when the requests of some thinkers may go there, within Hours.
	ThinkerHours []ThinkerHours `yaml:"thinker_hours"`
}

// ThinkerHours are the hours of one thinker.
type ThinkerHours struct {
	Thinker string `yaml:"thinker"`
	Hours   string `yaml:"hours"`
}

// Choices are the policies that may be chosen while hearthd runs, or nil where nothing
// ever goes to a responder.
func (c *Config) Choices() []string {
	if c.Responder.URL == "" || c.Route.Policy == "local" {
		return nil
	}
	return []string{"auto", "local"}
}

// responder is the service that the defaults lead to, switched off.
func responder() Responder {
	prices := Prices{Currency: "USD"}
	for _, price := range prices.amounts() {
		*price = Known
	}
	return Responder{
		Model: "gpt-realtime-2.1", Voice: "marin", Transcriber: "gpt-transcribe", Key: "credential:hearthd.openai",
		Detection: "semantic_vad", FirstAudio: 4 * time.Second, Idle: 10 * time.Second, Daily: 1, Monthly: 10, Prices: prices,
	}
}

const currency = `^[A-Z]{3}$`

func (r *Responder) check(k *checker) {
	if r.URL != "" {
		k.http("responder.url", r.URL)
		k.filled("responder.model", r.Model)
	}
	k.oneOf("responder.detection", r.Detection, "semantic_vad", "server_vad")
	k.duration("responder.first_audio", r.FirstAudio, 500*time.Millisecond, 30*time.Second)
	k.duration("responder.idle", r.Idle, time.Second, 10*time.Minute)
	k.match("responder.prices.currency", r.Prices.Currency, currency, "must be three capital letters")
	k.money("responder.daily", r.Daily)
	k.money("responder.monthly", r.Monthly)
	prices := reflect.ValueOf(r.Prices)
	for i := range prices.NumField() {
		if price := prices.Field(i); price.CanFloat() && price.Float() != Known {
			k.money("responder.prices."+prices.Type().Field(i).Tag.Get("yaml"), price.Float())
		}
	}
}

func (k *checker) money(key string, v float64) {
	if !(v >= 0 && v <= 1e6) { // NaN neither
		k.add(key, fmt.Sprint(v), "must be an amount of money, 0 to 1000000")
	}
}

func (t *Route) check(k *checker) {
	k.oneOf("route.policy", t.Policy, "auto", "local")
	k.allFilled("route.at_home", t.AtHome)
	if _, _, ok := Hours(t.Hours); t.Hours != "" && !ok {
		k.add("route.hours", t.Hours, "must be like 07:00-22:30")
	}
	for i, h := range t.ThinkerHours {
		k.filled(fmt.Sprintf("route.thinker_hours[%d].thinker", i), h.Thinker)
		if _, _, ok := Hours(h.Hours); !ok {
			k.add(fmt.Sprintf("route.thinker_hours[%d].hours", i), h.Hours, "must be like 07:00-22:30")
		}
	}
}
