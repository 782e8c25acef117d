package enrolled

import (
	"math"
	"slices"
	"time"

	"hearthd/audio"
)

// Limits of a word, in hops of 10 ms.
const (
	minWord = 35
	maxWord = 200
	// maxPath is the longest stretch of a stream that a word is compared with: it
	// may be spoken half as fast.
	maxPath = 2 * maxWord
)

// What separates a word from the silence around it.
const (
	underPeak  = 1e-3 // of the power of the loudest hop, 30 dB
	overSilent = 5    // times the power of the quietest tenth, 7 dB
	maxPause   = 30   // hops between parts of a word, at most
	margin     = 8    // hops of silence that a recording must have at either end
)

// utterance is one recording with its word found.
type utterance struct {
	recording
	check Check
}

// find looks for the word in x.
func find(f *front, x []int16) utterance {
	var u utterance
	if len(x) > maxRecording {
		u.check.Problem = TooLong
		return u
	}
	frames := make([]powers, max(0, (len(x)-window-1)/hop+1))
	levels := make([]float32, len(frames))
	for i := range frames {
		f.measure(x[i*hop:], &frames[i])
		levels[i] = frames[i].total()
	}
	if len(frames) < minWord+2*margin {
		u.check.Problem = TooShort
		return u
	}
	from, until := bounds(levels)
	u.recording = newRecording(frames[from:until])
	u.check = Check{
		Speech: time.Duration(until-from) * 10 * time.Millisecond,
		Level:  decibels(x[from*hop : until*hop]),
		Noise:  decibels(slices.Concat(x[:from*hop], x[until*hop:])),
	}
	u.check.Problem = judge(x[from*hop:until*hop], from, len(frames)-until, u.check)
	return u
}

// bounds returns the stretch around the loudest hop that pauses do not end.
func bounds(levels []float32) (from, until int) {
	sorted := slices.Sorted(slices.Values(levels))
	least := max(underPeak*sorted[len(sorted)-1], overSilent*sorted[len(sorted)/10])
	peak := slices.Index(levels, sorted[len(sorted)-1])
	from, until = peak, peak+1
	for i := peak; i >= 0 && from-i <= maxPause; i-- {
		if levels[i] > least {
			from = i
		}
	}
	for i := peak; i < len(levels) && i-until < maxPause; i++ {
		if levels[i] > least {
			until = i + 1
		}
	}
	return from, until
}

// judge says what is wrong with a word, with so many hops before and after it.
func judge(word []int16, before, after int, c Check) Problem {
	clipped := 0
	for _, v := range word {
		if v > maxSample || v < -maxSample {
			clipped++
		}
	}
	hops := len(word) / hop
	switch {
	case c.Level < minLevel:
		return TooQuiet
	case clipped > len(word)/1000:
		return Clipped
	case before < margin || after < margin:
		return Cut
	case c.Level-c.Noise < minRange:
		return Noisy
	case hops < minWord:
		return TooShort
	case hops > maxWord:
		return TooLong
	}
	return Good
}

// decibels is the level of x in dBFS, -96 for silence.
func decibels(x []int16) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	const full = 32768 * 32768
	return max(-96, 10*math.Log10(sum/full/float64(max(1, len(x)))+1e-12))
}

// maxRecording is the longest recording that is looked at, in samples.
const maxRecording = 10 * audio.Rate
