package main

import (
	"context"
	"time"

	"hearthd/rigs/hearing/bed"
)

// bench is what the sections of the report share.
type bench struct {
	models   string // empty: none
	recorded string // empty: none
	said     string // empty: none
	orders   string // empty: none
	state    string // folder with installed wake words
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
