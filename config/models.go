package config

import (
	_ "embed"
	"sync"

	"hearthd/config/input"
)

// models.yaml is what is known of cloud models on a date.
//
//go:embed models.yaml
var modelsFile []byte

// Model is what is known of a cloud model.
type Model struct {
	TextIn           float64 `yaml:"text_in"`
	TextCached       float64 `yaml:"text_cached"`
	TextOut          float64 `yaml:"text_out"`
	AudioIn          float64 `yaml:"audio_in"`
	AudioCached      float64 `yaml:"audio_cached"`
	AudioOut         float64 `yaml:"audio_out"`
	TranscriptIn     float64 `yaml:"transcript_in"`
	TranscriptOut    float64 `yaml:"transcript_out"`
	TranscriptMinute float64 `yaml:"transcript_minute"`
	Ends             string  `yaml:"ends"`      // date; empty: nothing is announced
	Successor        string  `yaml:"successor"` // empty: none is named
}

// Catalogue is what is known of all of them.
type Catalogue struct {
	Date   string           `yaml:"date"`
	Models map[string]Model `yaml:"models"`
}

// Models reads what this version knows of cloud models. A test reads the same file, so
// that it cannot be damaged.
var Models = sync.OnceValue(func() Catalogue {
	var c Catalogue
	if err := input.DecodeYAML(modelsFile, &c); err != nil {
		panic(err)
	}
	return c
})

// Known is a price that is not set: that of the model holds.
const Known = -1

// Rates are the prices of a responder: those that are set, and for the others what is
// known of its models. A model that is not known, or not as one that talks or that writes
// down, costs what the dearest does, and is named in unknown: whoever pays is never told
// too little.
func (r *Responder) Rates() (p Prices, unknown []string) {
	p = r.Prices
	talks := Models().Models[r.Model]
	ok := talks.AudioOut > 0
	if !ok {
		talks = dearest()
	}
	guessed := false
	for price, known := range map[*float64]float64{
		&p.TextIn: talks.TextIn, &p.TextCached: talks.TextCached, &p.TextOut: talks.TextOut,
		&p.AudioIn: talks.AudioIn, &p.AudioCached: talks.AudioCached, &p.AudioOut: talks.AudioOut,
	} {
		if *price == Known {
			*price, guessed = known, true
		}
	}
	if guessed && !ok {
		unknown = append(unknown, r.Model)
	}
	writes := Models().Models[r.Transcriber]
	if ok = writes.TranscriptMinute > 0 || writes.TranscriptOut > 0; !ok {
		writes = dearest()
	}
	guessed = false
	for price, known := range map[*float64]float64{
		&p.TranscriptIn: writes.TranscriptIn, &p.TranscriptOut: writes.TranscriptOut, &p.TranscriptMinute: writes.TranscriptMinute,
	} {
		if *price == Known {
			*price, guessed = known, true
		}
	}
	if guessed && !ok && r.Transcriber != "" {
		unknown = append(unknown, r.Transcriber)
	}
	return p, unknown
}

// dearest has the highest of each price that is known.
func dearest() Model {
	var d Model
	for _, m := range Models().Models {
		d.TextIn, d.TextCached, d.TextOut = max(d.TextIn, m.TextIn), max(d.TextCached, m.TextCached), max(d.TextOut, m.TextOut)
		d.AudioIn, d.AudioCached, d.AudioOut = max(d.AudioIn, m.AudioIn), max(d.AudioCached, m.AudioCached), max(d.AudioOut, m.AudioOut)
		d.TranscriptIn, d.TranscriptOut = max(d.TranscriptIn, m.TranscriptIn), max(d.TranscriptOut, m.TranscriptOut)
		d.TranscriptMinute = max(d.TranscriptMinute, m.TranscriptMinute)
	}
	return d
}
