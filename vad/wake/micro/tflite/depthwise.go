package tflite

import "fmt"

// depthwise convolves each channel in time with taps of its own.
type depthwise struct {
	x, y  []int8
	rows  int
	every int    // bytes from one row to the next
	w     []int8 // [taps][channels]
	sum   []int32
	out   output
}

func (d *depthwise) run() {
	n := len(d.sum)
	for r := range d.rows {
		x := d.x[r*d.every:][:len(d.w)]
		clear(d.sum)
		for k := 0; k < len(x); k += n {
			s, w, sum := x[k:k+n], d.w[k:k+n], d.sum[:n]
			for c, v := range s {
				sum[c] += int32(v) * int32(w[c])
			}
		}
		y := d.y[r*n:][:n]
		for c, v := range d.sum {
			y[c] = d.out.byte(c, v)
		}
	}
}

func (d *depthwise) products() int64 { return int64(d.rows) * int64(len(d.w)) }

// newDepthwise makes a DEPTHWISE_CONV_2D (inputs: [1,T,1,C], filter [1,taps,1,C],
// bias; options: 0 padding, 1 and 2 strides, 3 multiplier, 4 activation, 5 and 6
// dilation).
func newDepthwise(o *operator) (step, error) {
	x, w, y := o.in[0], o.in[1], o.out[0]
	taps, every, err := column(o, x, w, y, 1, 5)
	if err != nil {
		return nil, err
	}
	n := y.channels()
	if w.shape[0] != 1 || w.channels() != n || x.channels() != n {
		return nil, fmt.Errorf("filter %v from %v to %v: want one per channel", w.shape, x.shape, y.shape)
	}
	column := make([]int8, taps)
	out, err := newOutput(o, o.options.byte(4), n, func(c int) []int8 {
		for k := range column {
			column[k] = w.data[k*n+c]
		}
		return column
	}, perChannel)
	if err != nil {
		return nil, err
	}
	return &depthwise{x: x.data, y: y.data, rows: y.shape[1], every: every * n, w: w.data, sum: make([]int32, n),
		out: out}, nil
}
