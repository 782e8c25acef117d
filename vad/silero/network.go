package silero

import "math"

// frames is the number of spectra of a chunk, and of outputs of the first
// convolution.
const frames = 4

// network is what follows the spectrum. Convolutions have three taps and one
// frame of zero padding on each side; a tap that meets nothing but padding is
// left out of the weights.
type network struct {
	conv1 []float32 // [128][129][3]
	conv2 []float32 // [64][128][3]
	conv3 []float32 // [64][64][2], two frames to one: the first tap sees padding
	conv4 []float32 // [128][64], one frame to one: the outer taps see padding
	bias  [4][]float32
	gates []float32 // [128 cells][4 gates][128 inputs, 128 of the state]
	gateB []float32 // [128][4]
	out   []float32 // [128]
	outB  float32

	in    [bins][frames]float32
	mid1  [128][frames]float32
	mid2  [64 * 2]float32
	mid3  [64]float32
	lstm  [2 * cells]float32 // input of the LSTM, and its last output
	carry [cells]float32     // cell state
}

func newNetwork(w *weights) network {
	return network{
		conv1: w.conv[0], conv2: w.conv[1],
		conv3: taps(w.conv[2], 1, 3), conv4: taps(w.conv[3], 1, 2), bias: w.bias,
		gates: packGates(w), gateB: packBiases(w), out: w.out, outB: w.outBias[0],
	}
}

// taps keeps the taps from to until of filters of three.
func taps(w []float32, from, until int) []float32 {
	var kept []float32
	for i := 0; i < len(w); i += 3 {
		kept = append(kept, w[i+from:i+until]...)
	}
	return kept
}

// packGates puts the four rows of a cell, input and state, one after the other.
func packGates(w *weights) []float32 {
	var packed []float32
	for c := range cells {
		for g := range 4 {
			row := (g*cells + c) * cells
			packed = append(packed, w.input[row:row+cells]...)
			packed = append(packed, w.state[row:row+cells]...)
		}
	}
	return packed
}

func packBiases(w *weights) []float32 {
	packed := make([]float32, 4*cells)
	for i := range packed {
		c, g := i/4, i%4
		packed[i] = w.biasIn[g*cells+c] + w.biasSt[g*cells+c]
	}
	return packed
}

func (n *network) reset() {
	clear(n.lstm[:])
	clear(n.carry[:])
}

// run takes the magnitudes in n.in through the network.
func (n *network) run() float32 {
	n.first()
	n.second()
	for o := range n.mid3 {
		n.mid3[o] = relu(n.bias[2][o] + dot(n.conv3[o*128:][:128], n.mid2[:]))
	}
	for o := range cells {
		n.lstm[o] = relu(n.bias[3][o] + dot(n.conv4[o*64:][:64], n.mid3[:]))
	}
	return n.decode()
}

// first is the convolution of 129 bins to 128 channels, stride 1: four frames
// to four.
func (n *network) first() {
	for o := range n.mid1 {
		w := n.conv1[o*bins*3:][:bins*3]
		b := n.bias[0][o]
		s0, s1, s2, s3 := b, b, b, b
		for i := range n.in {
			x := &n.in[i]
			w0, w1, w2 := w[0], w[1], w[2]
			w = w[3:]
			s0 += w1*x[0] + w2*x[1]
			s1 += w0*x[0] + w1*x[1] + w2*x[2]
			s2 += w0*x[1] + w1*x[2] + w2*x[3]
			s3 += w0*x[2] + w1*x[3]
		}
		n.mid1[o] = [frames]float32{relu(s0), relu(s1), relu(s2), relu(s3)}
	}
}

// second is the convolution of 128 channels to 64, stride 2: four frames to two.
func (n *network) second() {
	for o := range 64 {
		w := n.conv2[o*128*3:][:128*3]
		s0, s1 := n.bias[1][o], n.bias[1][o]
		for i := range n.mid1 {
			x := &n.mid1[i]
			w0, w1, w2 := w[0], w[1], w[2]
			w = w[3:]
			s0 += w1*x[0] + w2*x[1]
			s1 += w0*x[1] + w1*x[2] + w2*x[3]
		}
		n.mid2[2*o], n.mid2[2*o+1] = relu(s0), relu(s1)
	}
}

// decode is the LSTM (Hochreiter and Schmidhuber 1997, with a forget gate, in
// PyTorch's order of gates) and the output.
func (n *network) decode() float32 {
	var h [cells]float32
	y := n.outB
	for c := range cells {
		i, f, g, o := dot4(n.gates[c*8*cells:][:8*cells], &n.lstm)
		b := n.gateB[4*c:][:4]
		n.carry[c] = sigmoid(f+b[1])*n.carry[c] + sigmoid(i+b[0])*tanh(g+b[2])
		h[c] = sigmoid(o+b[3]) * tanh(n.carry[c])
		y += n.out[c] * relu(h[c])
	}
	copy(n.lstm[cells:], h[:])
	return sigmoid(y)
}

// dot is the scalar product of two vectors whose length is a multiple of four.
// Four sums keep the adders of the processor busy.
func dot(w, x []float32) float32 {
	var a, b, c, d float32
	for len(w) >= 4 && len(x) >= 4 {
		a += w[0] * x[0]
		b += w[1] * x[1]
		c += w[2] * x[2]
		d += w[3] * x[3]
		w, x = w[4:], x[4:]
	}
	return a + b + c + d
}

// dot4 multiplies four rows of w by x.
func dot4(w []float32, x *[2 * cells]float32) (a, b, c, d float32) {
	const row = 2 * cells
	w0, w1, w2, w3 := (*[row]float32)(w), (*[row]float32)(w[row:]), (*[row]float32)(w[2*row:]),
		(*[row]float32)(w[3*row:])
	for i, v := range x {
		a += w0[i] * v
		b += w1[i] * v
		c += w2[i] * v
		d += w3[i] * v
	}
	return a, b, c, d
}

func relu(x float32) float32    { return max(x, 0) }
func sqrt(x float32) float32    { return float32(math.Sqrt(float64(x))) }
func sigmoid(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }
func tanh(x float32) float32    { return float32(1 - 2/(math.Exp(2*float64(x))+1)) }
