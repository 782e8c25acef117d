package daemon

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"hearthd/audio"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/mqtt/contract"
	"hearthd/tools"
)

// errNotWAV refuses a recorded message.
const errNotWAV dialogue.Refusal = "sound is not a WAV file that can be played"

// speaker is the dialogue as MQTT knows it.
type speaker struct{ *dialogue.Dialogue }

// PlayAt plays a WAV file.
func (s speaker) PlayAt(ctx context.Context, text string, wav []byte, urgent bool, at time.Time) error {
	r, err := audio.NewWAVReader(bytes.NewReader(wav), audio.WAVOptions{})
	if err != nil {
		return errNotWAV
	}
	c, err := r.ReadAll()
	if err != nil {
		return errNotWAV
	}
	if c.Rate != audio.Rate {
		conv, err := audio.NewResampler(c.Rate, audio.Rate)
		if err != nil {
			return errNotWAV
		}
		c.Samples = conv.Flush(conv.Process(nil, c.Samples))
	}
	return s.Dialogue.PlayAt(ctx, text, c.Samples, urgent, at)
}

// intercom asks for a message, and sends what was recorded to the others.
func (d *peers) intercom(ctx context.Context, a announcement, others []string, sound []int16) (tools.Result, error) {
	if len(others) == 0 {
		return tools.Result{Text: "There is no other speaker."}, nil
	}
	if sound == nil {
		return tools.Result{Text: "What is your message?", Record: true}, nil
	}
	var wav bytes.Buffer
	if err := audio.EncodeWAV(&wav, audio.Chunk{Samples: sound, Rate: audio.Rate}); err != nil {
		return tools.Result{}, fmt.Errorf("encode message: %w", err)
	}
	a.Text, a.sound = "A message from the "+contract.Spoken(d.node)+".", wav.Bytes()
	return d.announceThere(ctx, a, false, others, nil)
}
