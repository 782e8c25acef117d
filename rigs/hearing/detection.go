package hearing

import (
	"hearthd/audio"
	"hearthd/rigs/hearing/bed"
	"hearthd/vad"
)

// Detector is an engine to be measured. Each run gets a new one.
type Detector struct {
	Name string
	New  func() (vad.Detector, error)
}

// Detection is how well one detector does in one condition.
type Detection struct {
	Scores
	Onset, Offset Times
	Missed        int // stretches of speech without an onset
	Stretches     int
}

// Add joins other to d.
func (d *Detection) Add(other Detection) {
	d.Scores.add(other.Scores)
	d.Onset, d.Offset = append(d.Onset, other.Onset...), append(d.Offset, other.Offset...)
	d.Missed += other.Missed
	d.Stretches += other.Stretches
}

// onset and release are the hysteresis that latencies are measured at.
const onsetAt, releaseAt = 0.5, 0.35

// Detect runs a fresh detector over the track. A frame is scored when all of its
// hops have the same label, and that is not Unsure.
//
// An onset is the end of the first frame from 0.5 up that follows one below 0.35,
// from 100 ms before a sentence to its end: a detector that hears speech all the
// time has none. An offset is the end of the last frame from 0.35 up before 200 ms
// without one.
func Detect(e Detector, t *bed.Track) (Detection, error) {
	det, err := e.New()
	if err != nil {
		return Detection{}, err
	}
	var d Detection
	n := det.FrameSamples()
	p := make([]float32, 0, len(t.Samples)/n)
	for at := 0; at+n <= len(t.Samples); at += n {
		p = append(p, det.Probability(t.Samples[at:at+n]))
		switch label, ok := frameLabel(t.Labels, at, at+n); {
		case !ok:
		case label == bed.Spoken:
			d.Speech = append(d.Speech, p[len(p)-1])
		default:
			d.Quiet = append(d.Quiet, p[len(p)-1])
		}
	}
	for _, turn := range t.Turns {
		d.follow(p, n, turn)
	}
	return d, nil
}

// frameLabel is the label that all hops of from..to have.
func frameLabel(labels []bed.Label, from, to int) (bed.Label, bool) {
	first := labels[from/bed.Hop]
	for i := from / bed.Hop; i <= (to-1)/bed.Hop; i++ {
		if i >= len(labels) || labels[i] != first || labels[i] == bed.Unsure {
			return 0, false
		}
	}
	return first, true
}

// follow finds where the detector began and ended to hear a sentence.
func (d *Detection) follow(p []float32, n int, turn bed.Turn) {
	const early, late, lull = audio.Rate / 10, audio.Rate, audio.Rate / 5
	d.Stretches++
	i, low := max(0, turn.From-early)/n, false
	for ; i < len(p) && (i+1)*n <= turn.To && !(low && p[i] >= onsetAt); i++ {
		low = low || p[i] < releaseAt
	}
	if i >= len(p) || (i+1)*n > turn.To {
		d.Missed++
		return
	}
	d.Onset = append(d.Onset, span((i+1)*n-turn.From))
	last := i
	for ; i < len(p) && (i+1)*n <= turn.To+late; i++ {
		if p[i] >= releaseAt {
			last = i
		} else if (i+1)*n > turn.To && (i-last)*n >= lull {
			break
		}
	}
	d.Offset = append(d.Offset, span((last+1)*n-turn.To))
}
