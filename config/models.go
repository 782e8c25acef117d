package config

import (
	_ "embed"
	"slices"
	"sync"

	"hearthd/config/input"
)

// models.yaml is what is known of cloud models on a date.
//
//go:embed models.yaml
var modelsFile []byte

// Model is what is known of a cloud model.
type Model struct {
	Prices    Prices `yaml:"prices"`
	Ends      string `yaml:"ends"`      // date; empty: nothing is announced
	Successor string `yaml:"successor"` // empty: none is named
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

// unset is a price that is not set: that of the model holds.
const unset = -1

// Rates are the prices of a responder: those that are set, and otherwise what is known of its
// models. A model that is not known, or not as one that talks or writes down speech, costs as much
// as the dearest, and is named in unknown: the person who pays is never shown too little.
func (r *Responder) Rates() (p Prices, unknown []string) {
	type part struct {
		model    string
		from, to int // in amounts
	}
	parts := []part{{r.Model, 0, 6}, {r.Transcriber, 7, 10}}
	if r.Protocol == "live" { // it writes down speech by itself
		parts = []part{{r.Model, 6, 7}}
	}
	p = r.Prices
	all := p.amounts()
	for _, part := range parts {
		of := Models().Models[part.model].Prices
		rates := of.amounts()
		known := slices.ContainsFunc(rates[part.from:part.to], func(v *float64) bool { return *v > 0 })
		if !known {
			rates = dearest().amounts()
		}
		guessed := false
		for i := part.from; i < part.to; i++ {
			if *all[i] == unset {
				*all[i], guessed = *rates[i], !known
			}
		}
		if guessed && part.model != "" {
			unknown = append(unknown, part.model)
		}
	}
	for _, v := range all { // those of the other protocol
		*v = max(*v, 0)
	}
	return p, unknown
}

// dearest has the highest of each price that is known.
func dearest() *Prices {
	d := new(Prices)
	for _, m := range Models().Models {
		for i, price := range m.Prices.amounts() {
			*d.amounts()[i] = max(*d.amounts()[i], *price)
		}
	}
	return d
}
