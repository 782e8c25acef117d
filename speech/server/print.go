package server

import (
	"context"

	"hearthd/audio"
	"hearthd/llm/wyoming"
)

// print makes the print of a voice.
func (v *visit) print(ctx context.Context, e wyoming.Event) error {
	var f wyoming.Format
	if err := decode(e, &f); err != nil {
		return err
	}
	if f != wyoming.FrameFormat() {
		return refused("format", "audio of %d Hz, %d bytes, %d channels: want %d, 2, 1", f.Rate, f.Width, f.Channels,
			audio.Rate)
	}
	samples := new(hearing).take(e.Payload)
	if len(samples) > maxWhole {
		return refused("too-long", "the utterance is longer than %d s", maxWhole/audio.Rate)
	}
	var told wyoming.Print
	err := v.s.call(ctx, func() error {
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
