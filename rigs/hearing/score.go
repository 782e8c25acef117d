package hearing

import (
	"math"
	"slices"
	"time"
)

// Scores are what a detector made of frames whose truth is known.
type Scores struct {
	Speech, Quiet []float32
}

func (s *Scores) add(other Scores) {
	s.Speech = append(s.Speech, other.Speech...)
	s.Quiet = append(s.Quiet, other.Quiet...)
}

// AUC is the area under the receiver operating characteristic: how often a frame
// of speech is rated above one without, ties counting half (Hanley and McNeil
// 1982). NaN without frames of both kinds.
func (s Scores) AUC() float64 {
	type frame struct {
		p      float32
		speech bool
	}
	all := make([]frame, 0, len(s.Speech)+len(s.Quiet))
	for _, p := range s.Speech {
		all = append(all, frame{p, true})
	}
	for _, p := range s.Quiet {
		all = append(all, frame{p, false})
	}
	slices.SortFunc(all, func(a, b frame) int { return compare(a.p, b.p) })
	sum := 0.0 // of the ranks of speech
	for i := 0; i < len(all); {
		j, speech := i, 0
		for ; j < len(all) && all[j].p == all[i].p; j++ {
			if all[j].speech {
				speech++
			}
		}
		sum += float64(speech) * (float64(i+j) + 1) / 2
		i = j
	}
	n, m := float64(len(s.Speech)), float64(len(s.Quiet))
	return (sum - n*(n+1)/2) / (n * m)
}

// TruePositives is the share of the frames of speech that are rated above all
// but the share false of the frames without.
func (s Scores) TruePositives(false float64) float64 {
	if len(s.Speech) == 0 || len(s.Quiet) == 0 {
		return math.NaN()
	}
	quiet := slices.Clone(s.Quiet)
	slices.Sort(quiet)
	threshold := quiet[min(len(quiet)-1, int(math.Ceil(float64(len(quiet))*(1-false))))]
	n := 0
	for _, p := range s.Speech {
		if p > threshold {
			n++
		}
	}
	return float64(n) / float64(len(s.Speech))
}

func compare(a, b float32) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Times are delays, of which a report shows the median and the 95th percentile.
type Times []time.Duration

// At is the quantile q, 0 to 1, by nearest rank. The receiver is sorted.
func (t Times) At(q float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	slices.Sort(t)
	return t[max(0, int(math.Ceil(q*float64(len(t))))-1)]
}

// perHour is a count as a rate.
func perHour(n int, in time.Duration) float64 { return float64(n) / in.Hours() }
