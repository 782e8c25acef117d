package main

import (
	"context"
	"fmt"
	"iter"
	"time"

	"hearthd/audio"
	"hearthd/config"
	"hearthd/daemon/ears"
	"hearthd/daemon/engines"
	"hearthd/rigs/hearing"
	"hearthd/rigs/hearing/bed"
)

// ears are the daemon's under its default configuration, changed by with.
func (b *bench) ears(ctx context.Context, with func(*config.Config)) hearing.Ears {
	c := config.Default()
	if with != nil {
		with(&c)
	}
	return func(near, far []int16) iter.Seq2[ears.Heard, error] {
		o := ears.HearOptions{Setup: engines.Ears(&c, b.state), Near: (*hearing.Samples)(&near)}
		if far != nil {
			o.Reference = (*hearing.Samples)(&far)
		}
		return ears.Hear(ctx, o)
	}
}

// turns measures utterances, and what noise alone leads to.
func (b *bench) turns(ctx context.Context) error {
	b.w.title(2, "Utterances")
	b.w.text("The whole front end with the default configuration, sentence by sentence. Whole: one utterance that " +
		"misses no more than 100 ms at either end. End: from the last sample of a sentence to the decision that it is " +
		"over. Extra: utterances in which nobody spoke.")
	ears := b.ears(ctx, nil)
	found := make(map[string]*hearing.Turns)
	err := hearing.Conditions(b.people, b.noises, hearing.TrackSeconds, func(c hearing.Condition) error {
		t, err := hearing.Follow(ears, c.Track)
		if err != nil || c.Talk {
			return err
		}
		if found[c.Place()] == nil {
			found[c.Place()] = &hearing.Turns{}
		}
		found[c.Place()].Add(t)
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	var rows [][]string
	for _, place := range hearing.Places() {
		t := found[place]
		rows = append(rows, []string{place, fmt.Sprint(t.Said), percent(t.Found, t.Said), percent(t.Whole, t.Said),
			ms(t.End.At(.5)), ms(t.End.At(.95)), fmt.Sprint(t.False), fmt.Sprint(t.Capped)})
	}
	b.w.table([]string{"condition", "sentences", "found", "whole", "end", "95 %", "extra", "capped"}, rows)
	return b.alone(ctx, ears)
}

// alone lets each noise go on for a while without anybody who speaks.
func (b *bench) alone(ctx context.Context, ears hearing.Ears) error {
	const each, dbfs = 3 * time.Minute, -30
	b.w.text("Noise alone at %d dBFS, %v each: utterances per hour that would have been turns if a wake word had been "+
		"said.", dbfs, each)
	var head, row []string
	for i, n := range b.noises {
		t, err := hearing.Follow(ears, bed.Alone(n, int(audio.Samples(each)), dbfs, uint64(i)))
		if err != nil {
			return err
		}
		head, row = append(head, n.Name), append(row, fmt.Sprintf("%.0f", t.FalsePerHour()))
	}
	b.w.table(head, [][]string{row})
	return ctx.Err()
}
