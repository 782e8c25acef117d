package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hearthd/audio"
	"hearthd/config"
	"hearthd/rigs/hearing"
	"hearthd/rigs/hearing/bed"
)

// strangers are the voices of rigs/hearing/said.sh that say word.
func (b *bench) strangers(word string) ([]bed.Speech, error) {
	files, err := filepath.Glob(filepath.Join(b.said, strings.ReplaceAll(word, " ", "_"), "*.wav"))
	if err != nil {
		return nil, fmt.Errorf("find voices: %w", err)
	}
	slices.Sort(files)
	var list []bed.Speech
	for _, f := range files {
		s, err := bed.Utterance(f)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// familiar are those of them whom the front end hears in a quiet room from close by: over a
// noise only they tell what the noise has done.
func (b *bench) familiar(e hearing.Ears, word string) (all int, list []bed.Speech, err error) {
	said, err := b.strangers(word)
	if err != nil {
		return 0, nil, err
	}
	found, _, err := hearing.Call(e, word, said, &hearing.Scene{Response: []float64{1}, Level: -28})
	if err != nil {
		return 0, nil, err
	}
	for i, ok := range found {
		if ok {
			list = append(list, said[i])
		}
	}
	return len(said), list, nil
}

// callers measures wake words of many voices over recorded noises, and in talk without any.
func (b *bench) callers(ctx context.Context) error {
	b.w.title(2, "Wake words of many voices")
	if b.leftOut("recorded", "said", "models") {
		return nil
	}
	words, err := b.words()
	if err != nil {
		return err
	}
	ears := b.ears(ctx, func(c *config.Config) { c.Wake.Words = words })
	scenes, err := b.calls(ctx)
	if err != nil {
		return err
	}
	imagined, talked, err := b.imagined(ctx, ears)
	if err != nil {
		return err
	}
	head := []string{"word", "voices"}
	for _, s := range scenes {
		head = append(head, s.Name)
	}
	var rows [][]string
	for _, word := range callable[:3] {
		all, said, err := b.familiar(ears, word)
		if err != nil {
			return err
		}
		row := []string{word, fmt.Sprintf("%d of %d", len(said), all)}
		for _, s := range scenes {
			found, others, err := hearing.Call(ears, word, said, &s)
			if err != nil {
				return err
			}
			row = append(row, fmt.Sprintf("%.1f %%, %d", 100-100*float64(hearing.Count(found))/float64(max(1, len(found))),
				others))
		}
		rows = append(rows, append(row, fmt.Sprint(imagined[word])))
	}
	b.w.text("Missed, of the synthetic voices of `said.sh` whom it hears in a quiet room from close by, at -34 dBFS "+
		"over recorded noises 10 dB "+
		"softer, and how often one of the other %d words was heard instead or too; reverb: three metres away in a kitchen "+
		"with an RT60 of 0.6 s. Imagined: wake words heard in %v of recorded people who talk with pauses of half a "+
		"second. The models were trained by others.", len(words)-1, talked.Round(time.Minute))
	b.w.table(append(head, "imagined"), rows)
	return ctx.Err()
}

// calls are the scenes in which people call.
func (b *bench) calls(ctx context.Context) ([]hearing.Scene, error) {
	const level, snr = -34, 10
	room := bed.Kitchen()
	room.RT60 = 0.6
	far := room.Response([3]float64{0.5, 0.5, 1.6}, [3]float64{2.9, 2.1, 1}, 5)
	scenes := []hearing.Scene{{Name: "reverb", Response: far, Level: level}}
	for _, r := range bed.RecordedNoises() {
		n, err := r.Noise(ctx, b.recorded)
		if err != nil {
			return nil, err
		}
		under := func(samples int) []float64 {
			x := n.Make(samples, 9)
			for i := range x {
				x[i] *= math.Pow(10, (level-snr)/20.0)
			}
			return x
		}
		scenes = append(scenes, hearing.Scene{Name: r.Name, Under: under, Response: []float64{1}, Level: level},
			hearing.Scene{Name: r.Name + ", reverb", Under: under, Response: far, Level: level})
	}
	return scenes, nil
}

// imagined counts the wake words that are heard in recorded talk.
func (b *bench) imagined(ctx context.Context, ears hearing.Ears) (count map[string]int, length time.Duration, err error) {
	const most, pause = 500, audio.Rate / 2
	count = make(map[string]int)
	for _, r := range bed.RecordedPeople() {
		people, err := r.Sentences(ctx, b.recorded, most)
		if err != nil {
			return nil, 0, err
		}
		var x []float64
		for _, s := range people {
			gain := math.Pow(10, -34/20.0) / math.Sqrt(s.Power())
			for _, v := range s.Sound {
				x = append(x, gain*v)
			}
			x = append(x, make([]float64, pause)...)
		}
		found, err := hearing.Imagine(ears, bed.Microphone(x, -68, 1))
		if err != nil {
			return nil, 0, err
		}
		for name, n := range found {
			count[name] += n
		}
		length += audio.Position(len(x)).Duration()
	}
	return count, length, nil
}
