package stt

import (
	"encoding/binary"
	"math"
	"slices"

	"hearthd/audio"
)

const (
	step     = audio.Rate / 100 // samples of a level
	still    = 20               // steps of stillness that stay at either end, 200 ms
	lasting  = 3                // steps for which a voice is above the stillness at least
	standing = 10.              // dB by which it is, or half of what there is
)

// trim is pcm, little-endian S16, without most of the stillness before and after the
// voice. Pocketsphinx takes the noise of a quiet room for anything but silence: each
// step of it costs the right path so much that half a second puts it behind the beam,
// and what is found is "pick a number between ten and eight" for "hey hearth, what time
// is it". Where the voice does not stand out, all is kept.
func trim(pcm []byte) []byte {
	levels := make([]float64, len(pcm)/2/step)
	if len(levels) < lasting {
		return pcm
	}
	for i := range levels {
		sum := 1. // of what is digitally silent there is a level, too
		for k := i * step; k < (i+1)*step; k++ {
			v := float64(int16(binary.LittleEndian.Uint16(pcm[2*k:])))
			sum += v * v
		}
		levels[i] = 10 * math.Log10(sum)
	}
	sorted := slices.Sorted(slices.Values(levels))
	floor, top := sorted[len(sorted)/10], sorted[len(sorted)*19/20]
	voice := floor + min(standing, (top-floor)/2)

	first, last, run := len(levels), -1, 0
	for i, l := range levels {
		if run++; l <= voice {
			run = 0
		}
		if run >= lasting {
			first, last = min(first, i+1-lasting), i
		}
	}
	if last < 0 {
		return pcm
	}
	from, to := max(first-still, 0), min(last+1+still, len(levels))
	if to == len(levels) {
		return pcm[2*step*from:]
	}
	return pcm[2*step*from : 2*step*to]
}
