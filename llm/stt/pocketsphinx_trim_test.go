package stt

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"hearthd/audio"
)

// sounds is little-endian S16: for each pair so many steps of noise of that level, in
// dB above one.
func sounds(parts ...float64) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var pcm []byte
	for ; len(parts) > 0; parts = parts[2:] {
		for range int(parts[0]) * step {
			v := math.Pow(10, parts[1]/20) * r.NormFloat64()
			pcm = binary.LittleEndian.AppendUint16(pcm, uint16(int16(math.Round(v))))
		}
	}
	return pcm
}

func TestTrimLeavesTheVoiceAndALittleStillness(t *testing.T) {
	for _, tt := range []struct {
		name       string
		pcm        []byte
		begin, end int // steps that go
	}{
		{"voice between stillness", sounds(70, 20, 100, 66, 60, 20), 50, 40},
		{"digital silence around it", sounds(70, -60, 100, 66, 60, -60), 50, 40},
		{"little stillness", sounds(10, 20, 100, 66, 15, 20), 0, 0},
		{"click before the voice", sounds(20, 20, 2, 70, 70, 20, 100, 66), 72, 0},
		{"words with a pause", sounds(50, 20, 60, 66, 80, 20, 30, 60, 50, 20), 30, 30},
		{"soft begin", sounds(70, 20, 20, 35, 80, 66, 60, 20), 50, 40},
		{"voice in loud noise", sounds(70, 50, 100, 60, 60, 50), 50, 40},
		{"noise alone", sounds(200, 40), 0, 0},
		{"nothing", nil, 0, 0},
		{"less than a voice", sounds(2, 60), 0, 0},
	} {
		got := trim(tt.pcm)
		want := tt.pcm[min(2*step*tt.begin, len(tt.pcm)) : len(tt.pcm)-2*step*tt.end]
		if len(got) != len(want) || len(got) > 0 && &got[0] != &want[0] {
			t.Errorf("%s: %d ms of %d are left, want %d", tt.name, len(got)/2*1000/audio.Rate,
				len(tt.pcm)/2*1000/audio.Rate, len(want)/2*1000/audio.Rate)
		}
	}
	odd := append(sounds(70, 20, 100, 66), make([]byte, 2*step-2)...)
	if got, want := trim(odd), len(odd)-2*step*50; len(got) != want {
		t.Errorf("what is no whole step at the end: %d bytes are left, want %d", len(got), want)
	}
}
