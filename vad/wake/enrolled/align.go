package enrolled

import "math"

// never is the cost of what cannot be reached.
const never = float32(math.MaxFloat32 / 4)

// distance of two cepstra: Euclidean.
func distance(a, b *cepstrum) float32 {
	var s, u float32
	for i := 0; i < numCeps; i += 2 {
		d, e := a[i]-b[i], a[i+1]-b[i+1]
		s += d * d
		u += e * e
	}
	return float32(math.Sqrt(float64(s + u)))
}

// Both kinds of matching are dynamic time warping (Sakoe and Chiba 1978) with
// steps of (1,1), (1,2) and (2,1), weighted by the frames that they cover: no
// stretch of one word is more than twice as fast as in the other.

// aligner compares whole words.
type aligner struct {
	rows [3][maxPath + 1]float32 // costs up to the last three frames of the one word
}

// align is the mean distance along the best path from one end of both words to
// the other. b has at most maxPath frames.
func (al *aligner) align(a, b []cepstrum) float32 {
	n, m := len(a), len(b)
	if n == 0 || m == 0 || m > maxPath || n > 2*m || m > 2*n {
		return never
	}
	// Index 0 is before the first frame.
	last2, last, now := al.rows[0][:m+1], al.rows[1][:m+1], al.rows[2][:m+1]
	bar(last2)
	bar(last)
	last[0] = 0
	for i := range a {
		bar(now)
		// What slopes of 1/2 to 2 reach from the start, and reach the end from.
		from := max(i/2-1, m-2*(n-i)-1, 0)
		until := min(2*i+2, m-(n-i)/2+1, m)
		for j := from; j < until; j++ {
			straight, slanted := last[j], last2[j]
			if j > 0 {
				slanted = min(slanted, last[j-1])
			}
			if min(straight, slanted) < never {
				d := distance(&a[i], &b[j])
				now[j+1] = min(straight+2*d, slanted+3*d)
			}
		}
		last2, last, now = last, now, last2
	}
	return last[m] / float32(n+m)
}

// bar makes every cost never.
func bar(costs []float32) {
	for i := range costs {
		costs[i] = never
	}
}

// column holds, for one frame of the stream, the cheapest path to each frame of
// a word and where it began. Index 0 is before the first frame.
type column struct {
	cost  []float32
	start []int
}

// tracker finds a word in a stream, frame by frame.
type tracker struct {
	now, last, last2 column
}

func newTracker(frames int) tracker {
	mk := func() column { return column{make([]float32, frames+1), make([]int, frames+1)} }
	t := tracker{mk(), mk(), mk()}
	t.reset()
	return t
}

func (t *tracker) reset() {
	for _, c := range []column{t.now, t.last, t.last2} {
		bar(c.cost)
	}
}

// push takes frame x, the at-th of the stream, and returns the mean distance of
// the best path of the word that ends here, and the frame that it began with.
// Paths above limit are dropped on the way.
func (t *tracker) push(word []cepstrum, x *cepstrum, at int, limit float32) (cost float32, start int) {
	t.now, t.last, t.last2 = t.last2, t.now, t.last
	now, last, last2 := t.now, t.last, t.last2
	last.cost[0], last.start[0] = 0, at
	now.cost[0] = never
	// A path may begin badly if a good rest makes up for it.
	slack := limit * float32(len(word)) / 2
	for i := range word {
		c, s := last2.cost[i], last2.start[i]
		if i > 0 && last.cost[i-1] < c {
			c, s = last.cost[i-1], last.start[i-1]
		}
		now.cost[i+1] = never
		if min(c, last.cost[i]) >= never {
			continue
		}
		d := distance(&word[i], x)
		c += 3 * d
		if straight := last.cost[i] + 2*d; straight < c {
			c, s = straight, last.start[i]
		}
		if c <= slack+limit*float32(i+1+at+1-s) {
			now.cost[i+1], now.start[i+1] = c, s
		}
	}
	n := len(word)
	if now.cost[n] >= never {
		return never, at
	}
	return now.cost[n] / float32(n+at+1-now.start[n]), now.start[n]
}
