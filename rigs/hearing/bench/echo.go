package main

import (
	"context"
	"fmt"
	"time"

	"hearthd/audio/aec"
	"hearthd/config"
	"hearthd/rigs/hearing"
	"hearthd/rigs/hearing/bed"
)

// answers are what hearthd says for a while.
func (b *bench) answers(ctx context.Context, length time.Duration) (*bed.Dry, error) {
	own := bed.Own()
	list, err := bed.Say(ctx, own, bed.Manner{}, own.Text...)
	if err != nil {
		return nil, err
	}
	return bed.Answers(list, length.Seconds(), 6), nil
}

// echo measures what is left of the speaker's own voice.
func (b *bench) echo(ctx context.Context) error {
	b.w.title(2, "Its own voice")
	answers, err := b.answers(ctx, b.own)
	if err != nil {
		return err
	}
	words, err := b.words()
	if err != nil {
		return err
	}
	b.w.text("%v of answers by its own voice, from a small loudspeaker 13 cm from the microphone in a kitchen, at -26 "+
		"dBFS there. Echo suppression is the canceller's, in seconds of its own speech since the start. Ducked and cut: "+
		"answers per hour that hearthd would have interrupted by itself; woken: wake words that it heard from itself, of "+
		"the %d models above.", b.own, len(words))
	ears := b.ears(ctx, func(c *config.Config) { c.Wake.Words = words })
	var rows [][]string
	for _, path := range hearing.Paths(b.own) {
		a, err := hearing.Listens(ears, path, answers, nil)
		if err != nil {
			return err
		}
		erle := hearing.Suppress(aec.New(), path, answers)
		row := []string{path.Name}
		for _, db := range []float64{erle.After2, erle.After5, erle.After15, erle.Last} {
			row = append(row, fmt.Sprintf("%.0f dB", db))
		}
		for _, n := range []int{a.Ducks, a.Cuts, a.Wakes} {
			row = append(row, fmt.Sprintf("%.0f", float64(n)/a.Length.Hours()))
		}
		rows = append(rows, row)
	}
	b.w.table([]string{"path", "2-5 s", "5-10 s", "15-20 s", "last 10 s", "ducked / h", "cut / h", "woken / h"}, rows)
	return nil
}

// interruptions measures how people who speak over an answer are heard.
func (b *bench) interruptions(ctx context.Context) error {
	b.w.title(2, "Barge-in")
	b.w.text("People who begin in the middle of an answer, at its own level at the microphone and 6 dB below and above " +
		"it. In time: within 300 ms.")
	answers, err := b.answers(ctx, b.own)
	if err != nil {
		return err
	}
	ears := b.ears(ctx, nil)
	var rows [][]string
	for _, path := range hearing.Paths(b.own) {
		for _, level := range []float64{-6, 0, 6} {
			i, err := hearing.Interrupt(ears, path, answers, b.people, level, nil)
			if err != nil {
				return err
			}
			rows = append(rows, []string{path.Name, fmt.Sprintf("%+g dB", level), fmt.Sprint(i.Said),
				percent(i.Heard, i.Said), percent(i.InTime, i.Said), ms(i.Late.At(.5)), ms(i.Late.At(.95))})
		}
	}
	b.w.table([]string{"path", "person", "said", "heard", "in time", "late", "95 %"}, rows)
	return nil
}

// rooms measures both in other rooms.
func (b *bench) rooms(ctx context.Context) error {
	b.w.title(2, "Its own voice in other rooms")
	b.w.text("The same on one clock, by the RT60 of the room and the distance of the speaker from the microphone: what " +
		"hearthd would have interrupted by itself, per hour, and people at its own level.")
	answers, err := b.answers(ctx, b.own)
	if err != nil {
		return err
	}
	ears := b.ears(ctx, nil)
	var rows [][]string
	for _, path := range hearing.Rooms() {
		a, err := hearing.Listens(ears, path, answers, nil)
		if err != nil {
			return err
		}
		i, err := hearing.Interrupt(ears, path, answers, b.people, 0, nil)
		if err != nil {
			return err
		}
		rows = append(rows, []string{path.Name, fmt.Sprintf("%.0f", float64(a.Ducks)/a.Length.Hours()),
			fmt.Sprintf("%.0f", float64(a.Cuts)/a.Length.Hours()),
			fmt.Sprint(i.Said), percent(i.Heard, i.Said), percent(i.InTime, i.Said), ms(i.Late.At(.5)), ms(i.Late.At(.95))})
	}
	b.w.table([]string{"room", "ducked / h", "cut / h", "said", "heard", "in time", "late", "95 %"}, rows)
	return nil
}

// noisy measures both over noises.
func (b *bench) noisy(ctx context.Context) error {
	b.w.title(2, "Its own voice over noise")
	b.w.text("The same on one clock over a noise, 12 dB below its voice. Ducked and cut: answers that hearthd would "+
		"have interrupted by itself, per hour with its pauses, in which nothing is counted; silent: what the noise leads "+
		"to in %v in which the speaker is silent; in time: interruptions by people at its own level.", b.own)
	answers, err := b.answers(ctx, b.own)
	if err != nil {
		return err
	}
	ears, path := b.ears(ctx, nil), hearing.Paths(b.own)[0]
	var rows [][]string
	for _, name := range []string{"tap", "frying", "dishes", "fan", "appliances", "music"} {
		over := &hearing.Over{Noise: b.noise(name), Level: path.Path.Level - 12}
		a, err := hearing.Listens(ears, path, answers, over)
		if err != nil {
			return err
		}
		silent, err := hearing.Waits(ears, over, b.own)
		if err != nil {
			return err
		}
		i, err := hearing.Interrupt(ears, path, answers, b.people, 0, over)
		if err != nil {
			return err
		}
		rate := func(n int) string { return fmt.Sprintf("%.0f", float64(n)/b.own.Hours()) }
		rows = append(rows, []string{name, rate(a.Ducks), rate(a.Cuts), rate(silent.Ducks), rate(silent.Cuts),
			fmt.Sprint(i.Said), percent(i.Heard, i.Said), percent(i.InTime, i.Said), ms(i.Late.At(.5)), ms(i.Late.At(.95))})
	}
	b.w.table([]string{"noise", "ducked / h", "cut / h", "silent: ducked", "cut", "said", "heard", "in time", "late",
		"95 %"}, rows)
	return ctx.Err()
}
