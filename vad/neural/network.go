package neural

// hidden is the width of each layer.
const hidden = 80

// network is a dense layer and two gated recurrent ones (Cho et al. 2014) with
// one probability at the end.
type network struct {
	dense  matrix // [hidden][inputs]
	layers [2]layer
	out    [hidden]float32
	bias   float32

	in  [inputs]float32
	mid [hidden]float32
}

// layer is a gated recurrent unit:
//
//	r, z = σ(W·[x h] + b)    n = tanh(A·x + a + r·(B·h + c))    h' = (1-z)·n + z·h
type layer struct {
	gates matrix // [2·hidden][2·hidden]: r, then z, of x and h
	fresh matrix // [hidden][hidden]: A
	kept  matrix // [hidden][hidden]: B

	xh     [2 * hidden]float32 // x, then h
	rz     [2 * hidden]float32
	ax, bh [hidden]float32
}

func (n *network) reset() {
	for i := range n.layers {
		clear(n.layers[i].xh[:])
	}
}

// run rates n.in.
func (n *network) run() float32 {
	n.dense.times(n.mid[:], n.in[:])
	for i, v := range &n.mid {
		n.mid[i] = tanh(v)
	}
	x := n.mid[:]
	for i := range n.layers {
		x = n.layers[i].run(x)
	}
	sum := n.bias
	for i, w := range &n.out {
		sum += w * x[i]
	}
	return sigmoid(sum)
}

// run takes x and returns the layer's new state, which is borrowed.
func (l *layer) run(x []float32) []float32 {
	copy(l.xh[:hidden], x)
	h := l.xh[hidden:]
	l.gates.times(l.rz[:], l.xh[:])
	l.fresh.times(l.ax[:], l.xh[:hidden])
	l.kept.times(l.bh[:], h)
	for i, old := range h {
		r, z := sigmoid(l.rz[i]), sigmoid(l.rz[hidden+i])
		n := tanh(l.ax[i] + r*l.bh[i])
		h[i] = n + z*(old-n)
	}
	return h
}

// lanes is how many rows of a matrix are multiplied at once: as many sums as an
// adder has stages, twice.
const lanes = 8

// matrix is a linear map with its bias. Rows are interleaved by lanes: weights
// is [rows/lanes][columns][lanes].
type matrix struct {
	weights, bias []float32
	columns       int
}

// times writes the product with x, and the bias, to dst.
func (m *matrix) times(dst, x []float32) {
	w := m.weights
	x = x[:m.columns]
	for at := 0; at < len(dst); at += lanes {
		b := (*[lanes]float32)(m.bias[at:])
		s0, s1, s2, s3, s4, s5, s6, s7 := b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]
		for _, v := range x {
			q := (*[lanes]float32)(w)
			s0 += q[0] * v
			s1 += q[1] * v
			s2 += q[2] * v
			s3 += q[3] * v
			s4 += q[4] * v
			s5 += q[5] * v
			s6 += q[6] * v
			s7 += q[7] * v
			w = w[lanes:]
		}
		*(*[lanes]float32)(dst[at:]) = [lanes]float32{s0, s1, s2, s3, s4, s5, s6, s7}
	}
}
