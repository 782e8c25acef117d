package server

import (
	"context"

	"hearthd/audio"
	"hearthd/llm/wyoming"
)

// print makes the print of a voice.
func (v *visit) print(ctx context.Context, e wyoming.Event) error {
	samples, err := new(hearing).take(e)
	if err != nil {
		return err
	}
	if len(samples) > maxWhole {
		return refused("too-long", "the utterance is longer than %d s", maxWhole/audio.Rate)
	}
	var told wyoming.Print
	err = v.s.call(ctx, func() error {
		m, p, release, err := v.s.opt.Shelf.Printer()
		if err != nil {
			return err
		}
		defer release()
		told.Model, told.Likely = m.Name, m.Likely()
		told.Print, err = p.Print(samples)
		return err
	})
	if err != nil {
		return engine(err)
	}
	return v.tell(ctx, wyoming.VoicePrint, told)
}
