package tflite

import (
	"errors"
	"fmt"
)

// dense multiplies rows of bytes by a matrix: a convolution in time of a network
// with one column, or a fully connected layer. Each row is a run of taps·channels
// bytes of the input; runs overlap if every is less than their length.
//
// Three weights lie in one 64-bit word, 21 bits apart, so that one product and
// one sum serve three outputs: sums of block products stay within ±2^20, hence
// apart, and are unpacked before the next block. Four words side by side make the
// best of an input byte that was loaded.
type dense struct {
	x, y   []int8
	rows   int
	every  int            // bytes from one row of x to the next
	length int            // of a row
	block  int            // products that a lane can sum
	packed [][words]int64 // [outputs/12 rounded up · length]
	out    output
}

const (
	laneBits = 21
	lanes    = 3
	words    = 4
	group    = lanes * words // outputs that are computed together
)

func (d *dense) run() {
	n := len(d.out.bias)
	for r := range d.rows {
		x := d.x[r*d.every:][:d.length]
		y := d.y[r*n:][:n]
		for c := 0; c < n; c += group {
			sums := d.sums(x, d.packed[c/group*d.length:][:d.length])
			for i, s := range sums[:min(group, n-c)] {
				y[c+i] = d.out.byte(c+i, s)
			}
		}
	}
}

func (d *dense) products() int64 { return int64(d.rows) * int64(len(d.out.bias)) * int64(d.length) }

// sums multiplies a row by the weights of one group of outputs.
func (d *dense) sums(x []int8, w [][words]int64) (sums [group]int32) {
	for k := 0; k < len(x); k += d.block {
		s := x[k:min(k+d.block, len(x))]
		t := w[k:][:len(s)]
		var a0, a1, a2, a3 int64
		for i, v := range s {
			u, q := int64(v), &t[i]
			a0 += u * q[0]
			a1 += u * q[1]
			a2 += u * q[2]
			a3 += u * q[3]
		}
		for i, a := range [words]int64{a0, a1, a2, a3} {
			for l := range lanes - 1 {
				v := a << (64 - laneBits) >> (64 - laneBits)
				sums[lanes*i+l] += int32(v)
				a = (a - v) >> laneBits
			}
			sums[lanes*i+lanes-1] += int32(a)
		}
	}
	return sums
}

// newDense makes the step that multiplies by w, [outputs][length].
func newDense(x, y *tensor, w []int8, o output, rows, every int) (*dense, error) {
	n := len(o.bias)
	d := &dense{x: x.data, y: y.data, rows: rows, every: every, length: len(w) / n, out: o}
	if rows < 1 || rows*n != len(d.y) || (rows-1)*every+d.length > len(d.x) {
		return nil, fmt.Errorf("%v by %d×%d gives %v", x.shape, n, d.length, y.shape)
	}
	largest := int32(1)
	for _, v := range w {
		largest = max(largest, int32(v), -int32(v))
	}
	d.block = (1<<(laneBits-1) - 1) / int(128*largest)
	d.packed = make([][words]int64, (n+group-1)/group*d.length)
	for c := range n {
		for k, v := range w[c*d.length:][:d.length] {
			d.packed[c/group*d.length+k][c%group/lanes] += int64(v) << (c % lanes * laneBits)
		}
	}
	return d, nil
}

// newConv makes a CONV_2D (inputs: [1,T,1,C], filter [N,taps,1,C], bias; options:
// 0 padding, 1 and 2 strides, 3 activation, 4 and 5 dilation).
func newConv(o *operator) (step, error) {
	x, w, y := o.in[0], o.in[1], o.out[0]
	taps, every, err := column(o, x, w, y, 1, 4)
	if err != nil {
		return nil, err
	}
	n := y.channels()
	if w.shape[0] != n || w.channels() != x.channels() {
		return nil, fmt.Errorf("filter %v from %v to %v", w.shape, x.shape, y.shape)
	}
	out, err := newOutput(o, o.options.byte(3), n,
		func(c int) []int8 { return w.data[c*taps*x.channels():][:taps*x.channels()] }, perChannel)
	if err != nil {
		return nil, err
	}
	return newDense(x, y, w.data, out, y.shape[1], every*x.channels())
}

// newFullyConnected makes a FULLY_CONNECTED (inputs: the row, [N][length], bias;
// options: 0 activation, 1 weights format).
func newFullyConnected(o *operator) (step, error) {
	x, w, y := o.in[0], o.in[1], o.out[0]
	if err := quantized(x, y); err != nil {
		return nil, err
	}
	if w.typ != typeInt8 || !w.constant || len(w.shape) != 2 || w.channels() != x.size() || w.shape[0] != y.size() ||
		o.options.byte(1) != 0 {
		return nil, fmt.Errorf("%v by %v gives %v: want one row by a constant int8 matrix", x.shape, w.shape, y.shape)
	}
	scales := perMatrix
	if len(w.scale) > 1 {
		scales = perChannel
	}
	out, err := newOutput(o, o.options.byte(0), w.shape[0],
		func(c int) []int8 { return w.data[c*x.size():][:x.size()] }, scales)
	if err != nil {
		return nil, err
	}
	return newDense(x, y, w.data, out, 1, x.size())
}

// column checks that a convolution runs along one column of bytes without
// padding or dilation, and returns its taps and its stride in time. In the
// options, the two strides begin at field strides, the two dilations at dilations.
func column(o *operator, x, w, y *tensor, strides, dilations int) (taps, every int, err error) {
	if err := quantized(x, y); err != nil {
		return 0, 0, err
	}
	for _, t := range []*tensor{x, w, y} {
		if len(t.shape) != 4 || t.shape[2] != 1 {
			return 0, 0, fmt.Errorf("%q has shape %v: want one column", t.name, t.shape)
		}
	}
	taps, every = w.shape[1], int(o.options.int32(strides+1, 1))
	switch {
	case x.shape[0] != 1 || y.shape[0] != 1:
		err = errors.New("more than one batch")
	case w.typ != typeInt8 || !w.constant:
		err = fmt.Errorf("filter %q is no int8 constant", w.name)
	case o.options.int32(dilations, 1) != 1 || o.options.int32(dilations+1, 1) != 1:
		err = errors.New("the filter is dilated")
	case every < 1 || every > maxElements || taps > x.shape[1] || y.shape[1] != (x.shape[1]-taps)/every+1:
		err = fmt.Errorf("%v by %d taps every %d gives %v: want no padding", x.shape, taps, every, y.shape)
	}
	return taps, every, err
}
