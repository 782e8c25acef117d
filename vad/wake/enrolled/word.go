package enrolled

import (
	"math"
	"slices"
	"strconv"

	"hearthd/audio"
)

// pattern is a recording as it would sound in the stream: cepstra, normalised.
type pattern struct {
	frames []cepstrum
	moments
	spread float32 // mean distance of a frame from the mean
}

func newPattern(frames int) pattern { return pattern{frames: make([]cepstrum, frames)} }

// shape makes the pattern of r at the given level, under mask.
func (p *pattern) shape(f *front, r *recording, level float32, mask *powers) {
	for i := range r.frames {
		f.shape(&r.frames[i], level/r.level, mask, &p.frames[i])
	}
	p.moments = normalise(p.frames)
	p.spread = 0
	var origin cepstrum
	for i := range p.frames {
		p.spread += distance(&p.frames[i], &origin) / float32(len(p.frames))
	}
	p.spread = max(p.spread, minSpread)
}

// minSpread is the spread of near silence: words have 3.
const minSpread = 0.1

// moments are the mean of each coefficient and its square.
type moments struct{ mean, square cepstrum }

// apply takes the mean off x and divides it by the standard deviation (Viikki and
// Laurila 1998): a room shifts cepstra and makes their swings smaller.
func (m *moments) apply(x *cepstrum) {
	const least = 0.0025 // variance of next to nothing
	for c, v := range m.mean {
		x[c] = (x[c] - v) / float32(math.Sqrt(float64(max(least, m.square[c]-v*v))))
	}
}

// normalise applies their own moments to frames, and returns them.
func normalise(frames []cepstrum) (m moments) {
	part := 1 / float32(max(1, len(frames)))
	for i := range frames {
		for c, v := range frames[i] {
			m.mean[c] += part * v
			m.square[c] += part * v * v
		}
	}
	for i := range frames {
		m.apply(&frames[i])
	}
	return m
}

// The noise that both sides are seen in. An enrolled word gets what the stream
// has; then both get as much again, so that its fluctuation counts less. What is
// 20 dB below the word's level counts as silence, the last of the room with it.
const (
	blanket   = 1
	underWord = 1e-2
)

// masks are what is added to the stream and to an enrolled word at level.
func masks(noise *powers, level float32) (stream, enrolled powers) {
	least := max(minPower, level*underWord) / numBands
	for b, n := range noise {
		stream[b], enrolled[b] = least+blanket*n, least+(1+blanket)*n
	}
	return stream, enrolled
}

// word is one template in a Spotter.
type word struct {
	template *Template
	patterns []pattern
	trackers []tracker
	costs    []float32 // scratch, one for each pattern

	// The best recent path, as the hops of the stream that it covers.
	cost       float32
	start, end int

	rest audio.Position // nothing is found that ends before
}

func newWord(t *Template) *word {
	w := &word{template: t, cost: never, costs: make([]float32, len(t.recordings))}
	for _, r := range t.recordings {
		w.patterns = append(w.patterns, newPattern(len(r.frames)))
		w.trackers = append(w.trackers, newTracker(len(r.frames)))
	}
	return w
}

func (w *word) String() string { return strconv.Quote(w.template.name) }

// restart forgets all paths.
func (w *word) restart() {
	w.cost = never
	for i := range w.trackers {
		w.trackers[i].reset()
	}
}

// adapt brings the patterns into the noise of the stream, at the level of the
// speech in it.
func (w *word) adapt(f *front, noise *powers, level float32) {
	_, mask := masks(noise, level)
	for i := range w.patterns {
		w.patterns[i].shape(f, &w.template.recordings[i], level, &mask)
	}
}

// follow takes cepstrum x of hop number at. Where there is little speech of late,
// the speaker is taken to be the one that enrolled.
func (w *word) follow(x *cepstrum, speech *speech, at int) {
	const prior = 30 // hops
	for i := range w.patterns {
		p := &w.patterns[i]
		y, m := *x, speech.sum
		for c := range y {
			m.mean[c] = (m.mean[c] + prior*p.mean[c]) / (speech.count + prior)
			m.square[c] = (m.square[c] + prior*p.square[c]) / (speech.count + prior)
		}
		m.apply(&y)
		cost, start := w.trackers[i].push(p.frames, &y, at, proposal*p.spread)
		if cost /= p.spread; cost < w.cost {
			w.cost, w.start, w.end = cost, start, at
		}
	}
}

// compare is the distance of the word from a stretch of the stream, normalised:
// the mean over the two nearest recordings, since one of several may have been
// spoken oddly.
func (w *word) compare(al *aligner, stretch []cepstrum) float32 {
	for i := range w.patterns {
		w.costs[i] = al.align(w.patterns[i].frames, stretch) / w.patterns[i].spread
	}
	slices.Sort(w.costs)
	return (w.costs[0] + w.costs[1]) / 2
}
