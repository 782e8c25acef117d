package tflite

import "fmt"

// pairwise combines two tensors element by element. b is as long as a, or is
// repeated: it then holds one value per channel, or one.
type pairwise struct {
	y, a, b []int8
	combine func(a, b int32) int32 // of values without their zero points
	za, zb  int32
	zero    int32
	low     int32
}

func (p *pairwise) run() {
	y, k := p.y[:len(p.a)], 0
	for i, v := range p.a {
		y[i] = clamp8(p.combine(int32(v)-p.za, int32(p.b[k])-p.zb)+p.zero, p.low)
		if k++; k == len(p.b) {
			k = 0
		}
	}
}

// newPairwise makes the step of an operator with the options: 0 activation.
func newPairwise(o *operator, combine func(a, b int32) int32) (step, error) {
	a, b, y := o.in[0], o.in[1], o.out[0]
	p := &pairwise{y: y.data, a: a.data, b: b.data, combine: combine, za: a.zero, zb: b.zero, zero: y.zero, low: -128}
	switch o.options.byte(0) {
	case 0:
	case 1: // ReLU
		p.low = y.zero
	default:
		return nil, fmt.Errorf("activation %d: want none or RELU", o.options.byte(0))
	}
	if n := len(p.b); len(p.y) != len(p.a) || n != len(p.a) && n != 1 && (n != a.channels() || n != b.channels()) {
		return nil, fmt.Errorf("%v and %v give %v", a.shape, b.shape, y.shape)
	}
	return p, nil
}

// newMul makes a MUL: the product of the scales is one multiplier.
func newMul(o *operator) (step, error) {
	a, b, y := o.in[0], o.in[1], o.out[0]
	if err := quantized(a, b, y); err != nil {
		return nil, err
	}
	m, err := newMultiplier(float64(a.scale[0]) * float64(b.scale[0]) / float64(y.scale[0]))
	if err != nil {
		return nil, err
	}
	return newPairwise(o, func(a, b int32) int32 { return m.apply(a * b) })
}

// addBits is how far the reference kernel shifts the terms of a sum to the left.
const addBits = 20

// newAdd makes an ADD: both terms are brought to twice the larger scale with 20
// bits to spare, added, and brought to that of the output.
func newAdd(o *operator) (step, error) {
	a, b, y := o.in[0], o.in[1], o.out[0]
	if err := quantized(a, b, y); err != nil {
		return nil, err
	}
	twice := 2 * float64(max(a.scale[0], b.scale[0]))
	ratios := [3]float64{float64(a.scale[0]) / twice, float64(b.scale[0]) / twice,
		twice / (1 << addBits * float64(y.scale[0]))}
	var m [3]multiplier
	for i, r := range ratios {
		var err error
		if m[i], err = newMultiplier(r); err != nil {
			return nil, err
		}
	}
	return newPairwise(o, func(a, b int32) int32 {
		return m[2].apply(m[0].apply(a<<addBits) + m[1].apply(b<<addBits))
	})
}
