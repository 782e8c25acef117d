package enrolled

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// How many recordings make a word.
const (
	minRecordings = 2
	maxRecordings = 8
)

// What a recording must be like. A converter that clips does so a little below
// full scale; 15 dB is where the word's own ends begin to be covered.
const (
	maxSample = 32700
	minLevel  = -50.0 // dBFS
	minRange  = 15.0  // dB between word and silence
)

// What distances mean. A distance is relative to how much a word's frames differ from their mean: 0
// is the same recording, and unrelated ones are near 1. Between recordings of one synthetic voice
// it is 0.3 to 0.6, between voices and between words 0.8 and more.
const maxSpread = 0.7 // from the nearest other recording, for those that agree

// ErrDisagree is the error of Learn when there are not two good recordings that
// agree. The Agreement says why.
var ErrDisagree = errors.New("recordings do not agree")

// Problem is what is wrong with a recording, in words for a person, or nothing.
type Problem string

// The problems.
const (
	Good      Problem = ""
	TooShort  Problem = "too short: choose a word of three syllables or more"
	TooLong   Problem = "too long: say the word alone, within two seconds"
	TooQuiet  Problem = "too quiet: speak up or come closer"
	Clipped   Problem = "too loud: step back or turn the microphone down"
	Noisy     Problem = "too much noise: record where it is quiet"
	Cut       Problem = "cut off: leave a moment of silence before and after the word"
	Different Problem = "unlike the others: say the word the same way"
)

// Check is what was found in one recording.
type Check struct {
	Problem  Problem
	Speech   time.Duration // length of the word
	Level    float64       // of the word, in dBFS
	Noise    float64       // of the rest, in dBFS
	Distance float32       // to the nearest other good recording; 0 alike, 1 unlike
}

// Agreement says how well recordings fit each other.
type Agreement struct {
	Checks []Check // one for each recording, in order
	Good   int     // recordings that the template holds
	Spread float32 // mean distance between these; 0 alike, 1 unlike
}

// Learn makes a template of a few recordings of one word by one voice, each of
// 16 kHz with a moment of silence before and after the word. Recordings with a
// problem are left out; when fewer than two are left the error is ErrDisagree.
// The recordings are borrowed until it returns.
func Learn(name string, recordings [][]int16) (*Template, Agreement, error) {
	var a Agreement
	if err := checkName(name); err != nil {
		return nil, a, err
	}
	if n := len(recordings); n < minRecordings || n > maxRecordings {
		return nil, a, fmt.Errorf("learn %q from %d recordings: want %d to %d", name, n, minRecordings, maxRecordings)
	}
	f, err := newFront()
	if err != nil {
		return nil, a, err
	}
	said := make([]utterance, len(recordings))
	for i, x := range recordings {
		said[i] = find(f, x)
	}
	a.compare(f, said)
	t := &Template{name: name}
	for _, u := range said {
		a.Checks = append(a.Checks, u.check)
		if u.check.Problem == Good {
			t.recordings = append(t.recordings, u.recording)
		}
	}
	if a.Good = len(t.recordings); a.Good < minRecordings {
		return nil, a, fmt.Errorf("learn %q: %w", name, ErrDisagree)
	}
	t.threshold = threshold(f, t.recordings)
	return t, a, nil
}

// compare keeps the largest group of recordings that are all like one of them: somebody who
// alternates between two words has recorded neither of them as often as that. It marks the others,
// and sets the spread of those that are kept.
func (a *Agreement) compare(f *front, said []utterance) {
	var al aligner
	var apart [maxRecordings][maxRecordings]float32
	var kept []int
	least := never
	for i := range said {
		u := &said[i]
		if u.check.Problem != Good {
			continue
		}
		u.check.Distance = 1
		alike, sum := []int{i}, float32(0)
		for k := range said {
			if k == i || said[k].check.Problem != Good {
				continue
			}
			d := min(1, al.between(f, &u.recording, &said[k].recording))
			apart[i][k] = d
			u.check.Distance = min(u.check.Distance, d)
			if d < maxSpread {
				alike, sum = append(alike, k), sum+d
			}
		}
		if len(alike) > len(kept) || len(alike) == len(kept) && sum < least {
			kept, least = alike, sum
		}
	}
	for i := range said {
		if u := &said[i]; u.check.Problem == Good && (len(kept) < minRecordings || !slices.Contains(kept, i)) {
			u.check.Problem = Different
		}
	}
	a.Spread = spread(&apart, kept)
}

// spread is the mean distance of the recordings of list from each other.
func spread(apart *[maxRecordings][maxRecordings]float32, list []int) float32 {
	var sum float32
	for _, i := range list {
		for _, k := range list {
			sum += apart[i][k]
		}
	}
	return sum / float32(max(1, len(list)*(len(list)-1)))
}
