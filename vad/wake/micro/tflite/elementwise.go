package tflite

import (
	"fmt"
	"math"
)

// lookup maps each byte by a table of 256.
type lookup struct {
	x, y  []int8
	table [256]int8 // index: the bits of the input
}

func (l *lookup) run() {
	y := l.y[:len(l.x)]
	for i, v := range l.x {
		y[i] = l.table[uint8(v)]
	}
}

// newLookup tabulates f over every int8.
func newLookup(x, y *tensor, f func(v int32) int8) (step, error) {
	if len(x.data) != len(y.data) {
		return nil, fmt.Errorf("%v becomes %v", x.shape, y.shape)
	}
	l := &lookup{x: x.data, y: y.data}
	for v := int32(-128); v < 128; v++ {
		l.table[uint8(v)] = f(v)
	}
	return l, nil
}

// newLogistic makes a LOGISTIC: the sigmoid, rounded to the output's scale.
func newLogistic(o *operator) (step, error) {
	x, y := o.in[0], o.out[0]
	if err := quantized(x, y); err != nil {
		return nil, err
	}
	in, out := x.scale[0], 1/y.scale[0]
	return newLookup(x, y, func(v int32) int8 {
		p := float32(1 / (1 + math.Exp(-float64(in*float32(v-x.zero)))))
		return clamp8(int32(math.Round(float64(p*out)))+y.zero, -128)
	})
}

// newQuantize makes a QUANTIZE from int8 to another scale of int8 or uint8.
func newQuantize(o *operator) (step, error) {
	x, y := o.in[0], o.out[0]
	if err := quantized(x); err != nil {
		return nil, err
	}
	low, high := int32(-128), int32(127)
	switch {
	case len(y.scale) != 1 || y.typ != typeInt8 && y.typ != typeUint8:
		return nil, fmt.Errorf("%q has type %d and %d scales: want int8 or uint8 and one", y.name, y.typ, len(y.scale))
	case y.typ == typeUint8:
		low, high = 0, 255
	}
	m, err := newMultiplier(float64(x.scale[0]) / float64(y.scale[0]))
	if err != nil {
		return nil, err
	}
	return newLookup(x, y, func(v int32) int8 {
		return int8(min(max(m.apply(v-x.zero)+y.zero, low), high))
	})
}

// dequantize looks each byte up in a table of 256 floats.
type dequantize struct {
	x     []int8
	y     []float32
	table [256]float32 // index: the bits of the input
}

func (d *dequantize) run() {
	y := d.y[:len(d.x)]
	for i, v := range d.x {
		y[i] = d.table[uint8(v)]
	}
}

// newDequantize makes a DEQUANTIZE from int8 or uint8 to float32.
func newDequantize(o *operator) (step, error) {
	x, y := o.in[0], o.out[0]
	switch {
	case x.typ != typeInt8 && x.typ != typeUint8 || len(x.scale) != 1:
		return nil, fmt.Errorf("%q has type %d and %d scales: want int8 or uint8 and one", x.name, x.typ, len(x.scale))
	case y.typ != typeFloat32 || len(x.data) != len(y.floats):
		return nil, fmt.Errorf("%v becomes %v of type %d: want as many float32", x.shape, y.shape, y.typ)
	}
	d := &dequantize{x: x.data, y: y.floats}
	for i := range d.table {
		v := int32(int8(i))
		if x.typ == typeUint8 {
			v = int32(i)
		}
		d.table[i] = x.scale[0] * float32(v-x.zero)
	}
	return d, nil
}
