package main

import (
	"context"
	"path/filepath"
	"time"

	"hearthd/llm/stt"
	"hearthd/rigs/hearing/bed"
)

// bench is what the sections of the report share.
type bench struct {
	models   string             // empty: none
	recorded string             // empty: none
	said     string             // empty: none
	orders   string             // empty: none
	server   stt.WyomingOptions // without an address: none
	keep     string             // file of what is heard of orders; empty: none
	state    string             // folder with installed wake words
	own      time.Duration
	people   []bed.Speech
	noises   []bed.Noise
	w        *report
}

func (b *bench) synthesise(ctx context.Context) error {
	for _, v := range bed.Voices() {
		list, err := bed.Say(ctx, v, bed.Manner{}, v.Text...)
		if err != nil {
			return err
		}
		b.people = append(b.people, list...)
	}
	b.noises = bed.Noises(b.people)
	return nil
}

// leftOut reports whether what one of the flags names is not there, and says so in place of a part.
func (b *bench) leftOut(flags ...string) bool {
	for _, name := range flags {
		need := map[string]struct{ dir, file, from string }{
			"recorded": {b.recorded, "*", "`rigs/hearing/recorded.sh`"},
			"said":     {b.said, "*/*.wav", "`rigs/hearing/said.sh`"},
			"orders":   {b.orders, "list.tsv", "`rigs/hearing/orders/fetch.sh`"},
			"models":   {b.models, "wake/*.json", "microWakeWord's models, which HEARTHD_TEST_MODELS names by default"},
		}[name]
		found, err := filepath.Glob(filepath.Join(need.dir, need.file))
		if need.dir == "" || err != nil || len(found) == 0 {
			b.w.text("Left out: `-%s` names no folder with `%s`, from %s.", name, need.file, need.from)
			return true
		}
	}
	return false
}
