package micro

import (
	"hearthd/vad/wake/micro/feature"
	"hearthd/vad/wake/micro/tflite"
)

// row is one row of features as a network takes it.
type row [feature.Bands]int8

// mean is the mean feature, 0 to 255.
func (r *row) mean() int {
	sum := 0
	for _, v := range r {
		sum += int(v)
	}
	return sum/len(r) + 128
}

// history holds the last rows of a stream.
type history struct {
	rows  []row
	count int // rows since the stream began
}

func (h *history) push(r *row) {
	h.rows[h.count%len(h.rows)] = *r
	h.count++
}

// at returns row i of the stream, one of the last len(h.rows).
func (h *history) at(i int) *row { return &h.rows[i%len(h.rows)] }

// phase runs a network over one way to cut the stream into the blocks of rows
// that an inference takes.
type phase struct {
	net    *tflite.Interpreter
	stride int // rows per inference
	skip   int // rows until the first block
	filled int // rows in the input of net
}

// reset starts over, with a block that starts after skip rows.
func (p *phase) reset(skip int) {
	p.net.Reset()
	p.skip, p.filled = skip, 0
}

// push takes the next row. If it fills a block, the probability is returned, 255
// is 1.
func (p *phase) push(r *row) (probability uint8, ok bool) {
	if p.skip > 0 {
		p.skip--
		return 0, false
	}
	copy(p.net.Input()[p.filled*len(r):], r[:])
	if p.filled++; p.filled < p.stride {
		return 0, false
	}
	p.filled = 0
	p.net.Invoke()
	return in255(p.net.Output(), p.net.Floats()), true
}

// in255 returns the output of a network, 255 is 1. A float is scaled like the
// uint8 that other networks end with, whose scale is 1/256.
func in255(bytes []int8, floats []float32) uint8 {
	if len(floats) > 0 {
		return uint8(min(max(floats[0]*256+0.5, 0), 255))
	}
	return uint8(bytes[0])
}
