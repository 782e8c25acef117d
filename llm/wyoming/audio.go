package wyoming

import (
	"encoding/json"
	"fmt"

	"hearthd/audio"
)

// The messages that carry audio.
const (
	AudioStart = "audio-start"
	AudioChunk = "audio-chunk"
	AudioStop  = "audio-stop"
)

// Format is the data of audio-start and audio-chunk: samples per second, bytes
// per sample, samples per sample time.
type Format struct {
	Rate     int `json:"rate"`
	Width    int `json:"width"`
	Channels int `json:"channels"`
}

// FrameFormat returns the format of an audio.Frame.
func FrameFormat() Format { return Format{Rate: audio.Rate, Width: 2, Channels: 1} }

// Check refuses a format that is not mono S16 at 8 to 48 kHz, the range that
// hearthd's resampler is asked to convert.
func (f Format) Check() error {
	if f.Width != 2 || f.Channels != 1 || f.Rate < 8000 || f.Rate > 48000 {
		return fmt.Errorf("audio of %d Hz, %d bytes, %d channels is not mono 16 bit at 8 to 48 kHz", f.Rate,
			f.Width, f.Channels)
	}
	return nil
}

// Event returns an event of kind with f as its data.
func (f Format) Event(kind string, payload []byte) Event {
	data := fmt.Appendf(nil, `{"rate":%d,"width":%d,"channels":%d}`, f.Rate, f.Width, f.Channels)
	return Event{Type: kind, Data: json.RawMessage(data), Payload: payload}
}
