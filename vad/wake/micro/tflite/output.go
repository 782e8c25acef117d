package tflite

import "fmt"

// The two ways in which TensorFlow Lite multiplies the scales of input and
// weights: in double precision where the weights have a scale per channel
// (PopulateConvolutionQuantizationParams), in single where they have one
// (GetQuantizedConvolutionMultipler).
func perChannel(x, w float32) float64 { return float64(x) * float64(w) }
func perMatrix(x, w float32) float64  { return float64(x * w) }

// newOutput makes the output of n channels of an operator whose first inputs are
// x, the weights and perhaps a bias. weights returns those of a channel.
func newOutput(o *operator, activation byte, n int, weights func(c int) []int8,
	scales func(x, w float32) float64) (output, error) {
	x, w, y := o.in[0], o.in[1], o.out[0]
	out := output{bias: make([]int32, n), scale: make([]multiplier, n), zero: y.zero, low: -128}
	switch activation {
	case 0:
	case 1: // ReLU
		out.low = y.zero
	default:
		return out, fmt.Errorf("activation %d: want none or RELU", activation)
	}
	if len(w.scale) != 1 && len(w.scale) != n || w.zero != 0 {
		return out, fmt.Errorf("weights with %d scales and zero point %d: want 1 or %d, and 0", len(w.scale), w.zero, n)
	}
	var bias []int32
	if len(o.in) > 2 && o.in[2] != nil {
		b := o.in[2]
		if b.typ != typeInt32 || !b.constant || len(b.ints) != n {
			return out, fmt.Errorf("bias %q is no constant of %d int32", b.name, n)
		}
		bias = b.ints
	}
	for c := range n {
		ws := w.scale[min(c, len(w.scale)-1)]
		var err error
		if out.scale[c], err = newMultiplier(scales(x.scale[0], ws) / float64(y.scale[0])); err != nil {
			return out, err
		}
		for _, v := range weights(c) {
			out.bias[c] -= x.zero * int32(v)
		}
		if bias != nil {
			out.bias[c] += bias[c]
		}
	}
	return out, nil
}

// output turns sums of products to bytes, per channel.
type output struct {
	bias  []int32 // with the zero point of the input folded in
	scale []multiplier
	zero  int32
	low   int32 // least output: the zero point after a ReLU
}

// byte returns the output of channel c.
func (o *output) byte(c int, sum int32) int8 {
	return clamp8(o.scale[c].apply(sum+o.bias[c])+o.zero, o.low)
}
