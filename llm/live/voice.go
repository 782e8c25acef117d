package live

import (
	"encoding/binary"
	"math"
	"time"
)

const (
	frame = rate / 50 // samples
	// loud is the level of speech, as the root of the mean square of a frame. What the service sends
	// between its utterances is below 33, and its speech above 330 (observed, 2026-09).
	loud = 100
	// lead is how much of the quiet before speech belongs to it, and trail of that behind it.
	lead  = 3 * frame
	trail = rate / 5
	// pause is longer than the pauses within an answer, and shorter than people wait for nothing.
	pause = rate * 6 / 5
	// breath is a pause after which speech may be another answer.
	breath = rate * 2 / 5
)

// voice finds speech in the one track that the service sends, silence included.
type voice struct {
	speaking bool    // within speech, or in a pause of it
	quiet    int     // samples since it was loud
	before   []int16 // the newest quiet
	rest     []int16 // less than a frame
}

// hear takes what comes next, and returns what of it is speech.
func (v *voice) hear(samples []int16) (speech []int16) {
	v.rest = append(v.rest, samples...)
	for len(v.rest) >= frame {
		f := v.rest[:frame]
		v.rest = v.rest[frame:]
		if level(f) >= loud {
			v.speaking, v.quiet = true, 0
			speech = append(append(speech, v.before...), f...)
			v.before = v.before[:0]
			continue
		}
		v.quiet += frame
		v.speaking = v.speaking && v.quiet < pause
		if v.speaking && v.quiet <= trail {
			speech = append(speech, f...)
			continue
		}
		v.before = append(v.before, f...)
		v.before = v.before[max(0, len(v.before)-lead):]
	}
	v.rest = append([]int16(nil), v.rest...)
	return speech
}

func level(f []int16) float64 {
	sum := 0.0
	for _, s := range f {
		sum += float64(s) * float64(s)
	}
	return math.Sqrt(sum / float64(len(f)))
}

// samplesOf reads audio as it is sent; half a sample is left out.
func samplesOf(data []byte) []int16 {
	list := make([]int16, len(data)/2)
	for i := range list {
		list[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
	}
	return list
}

func bytesOf(samples []int16) []byte {
	data := make([]byte, 0, 2*len(samples))
	for _, s := range samples {
		data = binary.LittleEndian.AppendUint16(data, uint16(s))
	}
	return data
}

// lasts is how long n samples are.
func lasts(n int) time.Duration { return time.Duration(n) * time.Second / rate }
