package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"hearthd/config"
	"hearthd/rigs/hearing"
	"hearthd/rigs/hearing/bed"
)

// radio is how long wake words are listened for in talk without any.
const radio = 15 * time.Minute

// wakes measures the wake words whose models there are.
func (b *bench) wakes(ctx context.Context) error {
	b.w.title(2, "Wake words from models")
	if b.leftOut("models") {
		return nil
	}
	words, err := b.words()
	if err != nil {
		return err
	}
	b.w.text("Missed, of %d times each that English synthesisers said the word two metres away in a kitchen, over tap, "+
		"fan, music and babble in turn; late: from its end, clean, median; and heard per hour of talk radio without the "+
		"word. The models were trained by others.", len(manners())*len(bed.Talkers()))
	ears := b.ears(ctx, func(c *config.Config) { c.Wake.Words = words })
	imagined, err := hearing.Radio(ears, b.people, radio)
	if err != nil {
		return err
	}
	var rows [][]string
	for i, w := range words {
		said, err := talkers(ctx, w.Called())
		if err != nil {
			return err
		}
		row, err := b.word(ears, w.Called(), said, i)
		if err != nil {
			return err
		}
		rows = append(rows, append(row, fmt.Sprintf("%.1f", float64(imagined[w.Called()])/radio.Hours())))
	}
	b.w.table(wordHead("word"), rows)
	return ctx.Err()
}

func wordHead(first string) []string {
	return []string{first, "clean", "20 dB", "10 dB", "5 dB", "0 dB", "late", "imagined / h"}
}

// word is a row without its last cell.
func (b *bench) word(ears hearing.Ears, name string, said []bed.Speech, i int) ([]string, error) {
	clean, err := hearing.Wake(ears, name, said, nil, 0)
	if err != nil {
		return nil, err
	}
	row := []string{name, fmt.Sprint(clean.Missed)}
	for k, snr := range hearing.SNRs() {
		noise := b.noise([]string{"tap", "fan", "music", "babble"}[(i+k)%4])
		got, err := hearing.Wake(ears, name, said, noise, snr)
		if err != nil {
			return nil, err
		}
		row = append(row, fmt.Sprint(got.Missed))
	}
	return append(row, ms(clean.Late.At(.5))), nil
}

// words are the models of the folder.
func (b *bench) words() ([]config.WakeWord, error) {
	if b.models == "" {
		return nil, nil
	}
	files, err := filepath.Glob(filepath.Join(b.models, "wake", "*.json"))
	if err != nil {
		return nil, fmt.Errorf("find wake words: %w", err)
	}
	var list []config.WakeWord
	for _, f := range files {
		f, err := filepath.Abs(f)
		if err != nil {
			return nil, fmt.Errorf("find wake words: %w", err)
		}
		list = append(list, config.WakeWord{Model: f})
	}
	return list, nil
}

// manners are how everybody says the word.
func manners() []bed.Manner {
	return []bed.Manner{{}, {Tempo: 0.85, Pitch: 0.95}, {Tempo: 1.15, Pitch: 1.08}}
}

// talkers says a word in every manner of everybody.
func talkers(ctx context.Context, word string) ([]bed.Speech, error) {
	var list []bed.Speech
	for _, v := range bed.Talkers() {
		for _, m := range manners() {
			said, err := bed.Say(ctx, v, m, word+".")
			if err != nil {
				return nil, err
			}
			list = append(list, said...)
		}
	}
	return list, nil
}

// noise is the noise of that name.
func (b *bench) noise(name string) *bed.Noise {
	i := slices.IndexFunc(b.noises, func(n bed.Noise) bool { return n.Name == name })
	return &b.noises[i]
}
