package gguf

import "math"

// attention holds the projections of one layer.
type attention struct{ q, k, v, o *tensor }

// The pairs of a head that RoPE turns: the slow ones tell what is latest, one does
// not turn and tells what is present, and the others tell one distance from all
// others.
const (
	// recencyPairs all say the same: each key is rounded to 16 bits, and the mean of
	// many orders neighbours.
	recencyPairs = 16
	presence     = recencyPairs
	firstNear    = recencyPairs + 1
	ropeBase     = 10000.0
	still        = 1e30 // a frequency factor that stops a pair
)

// nearPairs have the angles pi, pi/2, pi/4 … per position: the sum of their cosines
// has one peak within the context, which is 3 above any other distance.
func (b *brain) nearPairs() int { return int(math.Ceil(math.Log2(float64(b.context)))) }

func nearAngle(j int) float64 { return math.Pi / math.Pow(2, float64(j)) }

// frequencies sets the angle of each pair. Llama's are base^(-2i/width), and the
// factors of this tensor divide them.
func (b *brain) frequencies() *tensor {
	t := constant("rope_freqs.weight", b.headWidth/2, still)
	set := func(pair int, angle float64) {
		t.data[pair] = float32(math.Pow(ropeBase, -2*float64(pair)/float64(b.headWidth)) / angle)
	}
	for i := range recencyPairs {
		set(i, 1.5/float64(b.context)*(1-float64(i)/40)) // below a quarter turn, so the sine only rises
	}
	for j := range b.nearPairs() {
		set(firstNear+j, nearAngle(j))
	}
	return t
}

// lookBack copies the words of the position before, and whether the one before that
// ends a word.
func (b *brain) lookBack(a attention) {
	s := math.Sqrt(nearby) * math.Sqrt(math.Sqrt(float64(b.headWidth))) / b.scale[0]
	for head, distance := range []float64{1, 2} {
		at := head * b.headWidth
		for j := range b.nearPairs() {
			p := at + 2*(firstNear+j)
			turn := nearAngle(j) * distance
			a.q.put(p, b.one, s*math.Cos(turn))
			a.q.put(p+1, b.one, -s*math.Sin(turn))
			a.k.put(p, b.one, s)
		}
	}
	i := 0
	for c, cat := range b.v.categories {
		for value := range cat.values + 1 {
			a.v.put(i, b.places[c].own+value, 1/b.scale[0])
			a.o.put(b.places[c].behind+value, i, 1)
			i++
		}
	}
	for i := range 2 {
		a.v.put(b.headWidth+i, b.shuts+i, 1/b.scale[0])
		a.o.put(b.shutBefore+i, b.headWidth+i, 1)
	}
}

// findLatest has one head for each category: it attends to the latest position behind
// a whole word of the category, else to the start of the prompt.
func (b *brain) findLatest(a attention) {
	root := math.Sqrt(float64(b.headWidth))
	far := math.Sqrt(latest / recencyPairs * root)
	for c, cat := range b.v.categories {
		at := c * b.headWidth
		for i := range recencyPairs {
			a.q.put(at+2*i, b.one, far/b.scale[1])
			a.k.put(at+2*i+1, b.one, -far/b.scale[1])
		}
		p := at + 2*presence
		a.q.put(p, b.one, condition*root/unitKey/b.scale[1])
		a.k.put(p, b.shutBefore+1, unitKey/b.scale[1])
		a.k.put(p, b.opens+1, unitKey/b.scale[1])
		for value := range cat.values {
			a.k.put(p, b.places[c].behind+value, unitKey/b.scale[1])
		}
		// At the start both edges may count too, so that is what lacks.
		edges := float64(flag(b.v.tokens[b.v.bos].opens()) + flag(b.v.tokens[b.v.bos].shuts()))
		a.k.put(p, b.start+1, (restScore-edges)*unitKey/b.scale[1])
		for value := range cat.values + 1 {
			a.v.put(at+value, b.places[c].behind+value, 1/b.scale[1])
			a.v.put(at+value, b.places[c].rest+value, 1/b.scale[1])
			a.o.put(b.places[c].found+value, at+value, 1)
		}
	}
}
