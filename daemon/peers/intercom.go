package peers

import (
	"bytes"
	"context"
	"fmt"

	"hearthd/audio"
	"hearthd/daemon/mqtt/contract"
	"hearthd/tools"
)

// intercom asks for a message, and sends what was recorded to the others.
func (p *Peers) intercom(ctx context.Context, a announcement, others []string, sound []int16) (tools.Result, error) {
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
	a.Text, a.sound = "A message from the "+contract.Spoken(p.opt.Node)+".", wav.Bytes()
	return p.announceThere(ctx, a, false, others, nil)
}
