package llmtest

// realtimeVAD is the detection that a session asked for: semantic_vad, of which the
// protocol says what follows from it, and not how it hears.
type realtimeVAD struct {
	Type      string `json:"type"`
	Create    bool   `json:"create_response"`
	Interrupt bool   `json:"interrupt_response"`
	Eagerness string `json:"eagerness"`

	heard int    // samples of the session
	item  string // of the person who speaks; empty: nobody does
	quiet int    // samples since the last loud one
}

const (
	// realtimeLoud is the level from which this server takes a sample for speech, and
	// realtimeStop the silence that ends it.
	realtimeLoud = 1000
	realtimeStop = realtimeRate / 2
)

func (v *realtimeVAD) forget() { v.item, v.quiet = "", 0 }

// listen looks for speech in audio that was appended. mu is held.
func (c *realtimeConn) listen(audio []byte) {
	v := c.vad
	for i := 0; i+1 < len(audio); i += 2 {
		v.heard++
		if s := int16(audio[i]) | int16(audio[i+1])<<8; s < realtimeLoud && s > -realtimeLoud {
			v.quiet++
			if v.item != "" && v.quiet >= realtimeStop {
				c.stopped()
			}
			continue
		}
		v.quiet = 0
		if v.item != "" {
			continue
		}
		v.item = c.next("item")
		c.send(map[string]any{"type": "input_audio_buffer.speech_started", "item_id": v.item,
			"audio_start_ms": v.heard * 1000 / realtimeRate})
		if v.Interrupt && c.active != "" {
			c.end()
		}
	}
}

// stopped commits what the person has said.
func (c *realtimeConn) stopped() {
	v, id := c.vad, c.vad.item
	c.send(map[string]any{"type": "input_audio_buffer.speech_stopped", "item_id": id,
		"audio_end_ms": v.heard * 1000 / realtimeRate})
	c.committed(id)
	if v.Create {
		c.respond(&realtimeEvent{})
	}
}
