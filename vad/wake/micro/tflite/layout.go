package tflite

import (
	"errors"
	"fmt"
	"slices"
)

// newReshape makes the output another name of the input's bytes: every tensor is
// written once per Invoke, before it is read.
func newReshape(o *operator) (step, error) {
	x, y := o.in[0], o.out[0]
	if x.typ != typeInt8 || y.typ != typeInt8 || x.size() != y.size() {
		return nil, fmt.Errorf("%v becomes %v: want as many int8", x.shape, y.shape)
	}
	y.data = x.data
	return nil, nil
}

// rows copies count runs of n bytes: from src, one every srcStride from srcFrom
// on, to dst in the same way. Concatenation, slice and split are made of it.
type rows struct {
	dst, src           []int8
	dstFrom, srcFrom   int
	dstEvery, srcEvery int
	n, count           int
}

func (r *rows) run() {
	d, s := r.dstFrom, r.srcFrom
	for range r.count {
		copy(r.dst[d:d+r.n], r.src[s:s+r.n])
		d += r.dstEvery
		s += r.srcEvery
	}
}

// sequence is several steps as one.
type sequence []step

func (q sequence) run() {
	for _, s := range q {
		s.run()
	}
}

// newConcatenation joins the inputs along one axis (options: 0 axis, 1
// activation). TensorFlow Lite wants equal scales of int8 inputs.
func newConcatenation(o *operator) (step, error) {
	y := o.out[0]
	axis := int(o.options.int32(0, 0))
	if axis < 0 {
		axis += len(y.shape)
	}
	if axis < 0 || axis >= len(y.shape) || o.options.byte(1) != 0 {
		return nil, fmt.Errorf("axis %d of %v, activation %d: want an axis and none", axis, y.shape, o.options.byte(1))
	}
	if err := quantized(y); err != nil {
		return nil, err
	}
	outer, every := product(y.shape[:axis]), product(y.shape[axis:])
	var q sequence
	at := 0
	for _, x := range o.in {
		if x == nil || len(x.shape) != len(y.shape) || !slices.Equal(x.shape[:axis], y.shape[:axis]) {
			return nil, fmt.Errorf("an input does not fit %v on axis %d", y.shape, axis)
		}
		if err := quantized(x); err != nil {
			return nil, err
		}
		if x.scale[0] != y.scale[0] || x.zero != y.zero {
			return nil, errors.New("an input has another scale than the output")
		}
		n := product(x.shape[axis:])
		q = append(q, &rows{dst: y.data, src: x.data, dstFrom: at, dstEvery: every, srcEvery: n, n: n, count: outer})
		at += n
	}
	if at != every {
		return nil, fmt.Errorf("inputs of %d bytes on axis %d of %v", at, axis, y.shape)
	}
	return q, nil
}

// newSlice cuts a box of step 1 out of the input (inputs: begin, end and strides
// per axis; options: 0 begin_mask, 1 end_mask, 2 to 4 other masks). At most one
// axis may be cut, as in every streaming network.
func newSlice(o *operator) (step, error) {
	x, y := o.in[0], o.out[0]
	if err := quantized(x, y); err != nil {
		return nil, err
	}
	for i := 2; i <= 4; i++ {
		if o.options.int32(i, 0) != 0 {
			return nil, errors.New("a mask other than those of begin and end is set")
		}
	}
	begin, end, stride := o.in[1], o.in[2], o.in[3]
	if len(x.shape) == 0 || len(y.shape) != len(x.shape) {
		return nil, fmt.Errorf("%v is cut to %v", x.shape, y.shape)
	}
	axis, from, cuts := 0, 0, 0
	for k, dim := range x.shape {
		for _, p := range []*tensor{begin, end, stride} {
			if !p.constant || len(p.ints) != len(x.shape) {
				return nil, fmt.Errorf("%q is no constant of %d numbers", p.name, len(x.shape))
			}
		}
		lo, hi := edge(begin.ints[k], dim, o.options.int32(0, 0)>>k, 0),
			edge(end.ints[k], dim, o.options.int32(1, 0)>>k, dim)
		if stride.ints[k] != 1 || hi-lo != y.shape[k] {
			return nil, fmt.Errorf("axis %d of %v from %d to %d by %d does not give %v", k, x.shape, lo, hi,
				stride.ints[k], y.shape)
		}
		if hi-lo != dim {
			axis, from = k, lo
			cuts++
		}
	}
	if cuts > 1 {
		return nil, fmt.Errorf("%d axes are cut: want one", cuts)
	}
	return cut(x, y, axis, from), nil
}

// edge resolves one end of a slice: masked it is or, negative it counts from the
// end of the axis.
func edge(v int32, dim int, mask int32, or int) int {
	i := int(v)
	switch {
	case mask&1 != 0:
		return or
	case i < 0:
		i += dim
	}
	return min(max(i, 0), dim)
}

// cut copies y, which is x from from on along one axis.
func cut(x, y *tensor, axis, from int) step {
	inner := product(x.shape[axis+1:])
	n := y.shape[axis] * inner
	return &rows{
		dst: y.data, src: x.data, dstEvery: n, srcFrom: from * inner, srcEvery: x.shape[axis] * inner,
		n: n, count: product(x.shape[:axis]),
	}
}

// newSplit cuts the input into outputs along one axis (inputs: sizes, axis).
func newSplit(o *operator) (step, error) {
	x := o.in[0]
	if err := quantized(x); err != nil {
		return nil, err
	}
	if !o.in[2].constant || len(o.in[2].ints) != 1 {
		return nil, errors.New("the axis is no constant")
	}
	axis := int(o.in[2].ints[0])
	if axis < 0 {
		axis += len(x.shape)
	}
	if axis < 0 || axis >= len(x.shape) {
		return nil, fmt.Errorf("axis %d of %v", axis, x.shape)
	}
	var q sequence
	from := 0
	for _, y := range o.out {
		if err := quantized(y); err != nil {
			return nil, err
		}
		want := slices.Clone(x.shape)
		if len(y.shape) == len(want) {
			want[axis] = y.shape[axis]
		}
		if !slices.Equal(y.shape, want) || from+want[axis] > x.shape[axis] {
			return nil, fmt.Errorf("%v is cut to %v", x.shape, y.shape)
		}
		q = append(q, cut(x, y, axis, from))
		from += y.shape[axis]
	}
	return q, nil
}
