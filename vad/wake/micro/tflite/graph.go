package tflite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Bounds of what a wake-word network may be. The largest one that ESPHome ships
// has 60 kB, 94 tensors, 59 operators and 50,000 elements.
const (
	maxFile     = 4 << 20
	maxTensors  = 2048
	maxOps      = 2048
	maxDims     = 5
	maxChannels = 4096    // with a scale each
	maxElements = 1 << 20 // of all tensors, and of all that operators take
	maxProducts = 1 << 21 // of an inference; ESPHome's have 25,000
	maxName     = 512
)

// The types of tensors that the networks use, as schema.fbs numbers them.
type dtype byte

const (
	typeFloat32  dtype = 0
	typeInt32    dtype = 2
	typeUint8    dtype = 3
	typeInt8     dtype = 9
	typeResource dtype = 13
)

// tensor is one value of a graph. Only the field that fits its type is set. A
// byte of a uint8 tensor is kept in an int8 with the same bits.
type tensor struct {
	name  string
	typ   dtype
	shape []int
	scale []float32 // one, or one per channel
	zero  int32     // the integer that stands for 0

	data     []int8
	ints     []int32
	floats   []float32
	constant bool
	variable *variable // of a resource
}

// variable is memory that lasts from one Invoke to the next.
type variable struct {
	name          string
	data, initial []int8
	rows          int // of one step in time each
}

// size is the number of elements.
func (t *tensor) size() int { return product(t.shape) }

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// channels is the length of the last axis.
func (t *tensor) channels() int {
	if len(t.shape) == 0 {
		return 1
	}
	return t.shape[len(t.shape)-1]
}

// operator is one node of a graph, before it is compiled.
type operator struct {
	code    opcode
	in, out []*tensor // an input that was left out is nil
	options table
}

type subgraph struct {
	in, out []*tensor
	ops     []operator
}

// parse reads the graph out of a file (schema.fbs of TensorFlow Lite, version 3).
func parse(data []byte) ([]subgraph, error) {
	switch {
	case len(data) > maxFile:
		return nil, fmt.Errorf("%d bytes: want at most %d", len(data), maxFile)
	case len(data) < 8 || string(data[4:8]) != "TFL3":
		return nil, errors.New(`not a TensorFlow Lite file: want "TFL3" at byte 4`)
	}
	f := &flat{b: data}
	model := f.table(f.follow(0))
	if v := model.int32(0, 0); v != 3 && f.err == nil {
		return nil, fmt.Errorf("schema version %d: want 3", v)
	}
	var codes []opcode
	for _, c := range model.tables(1, maxOps) {
		// Codes over 127 stand in a field that came later.
		codes = append(codes, opcode(max(int32(int8(c.byte(0))), c.int32(3, 0))))
	}
	buffers := model.tables(4, maxTensors)
	var graphs []subgraph
	for _, g := range model.tables(2, 8) {
		s, err := parseSubgraph(g, codes, buffers)
		if err = errors.Join(f.err, err); err != nil {
			return nil, err
		}
		graphs = append(graphs, s)
	}
	if f.err != nil {
		return nil, f.err
	}
	return graphs, nil
}

// parseSubgraph stops early where g.f.err is set; its caller looks.
func parseSubgraph(g table, codes []opcode, buffers []table) (subgraph, error) {
	var s subgraph
	var tensors []*tensor
	elements := 0
	for _, t := range g.tables(0, maxTensors) {
		x, err := parseTensor(t, buffers)
		if err != nil {
			return s, fmt.Errorf("tensor %d: %w", len(tensors), err)
		}
		tensors = append(tensors, x)
		if g.f.err != nil {
			return s, nil
		}
		if elements += x.size() + len(x.scale); elements > maxElements {
			return s, fmt.Errorf("more than %d elements", maxElements)
		}
	}
	var err error
	pick := func(list []int32) []*tensor {
		out := make([]*tensor, len(list))
		for i, k := range list {
			switch {
			case k == -1: // an optional input that was left out
			case k >= 0 && int(k) < len(tensors):
				out[i] = tensors[k]
			default:
				err = fmt.Errorf("tensor %d of %d is named", k, len(tensors))
			}
		}
		return out
	}
	s.in, s.out = pick(g.int32s(1, maxTensors)), pick(g.int32s(2, maxTensors))
	for _, o := range g.tables(3, maxOps) {
		c := o.int32(0, 0)
		if c < 0 || int(c) >= len(codes) {
			return s, fmt.Errorf("operator code %d of %d is named", c, len(codes))
		}
		s.ops = append(s.ops, operator{code: codes[c], in: pick(o.int32s(1, 64)), out: pick(o.int32s(2, 64)),
			options: o.sub(4)})
	}
	return s, err
}

func parseTensor(t table, buffers []table) (*tensor, error) {
	x := &tensor{name: t.string(3, maxName), typ: dtype(t.byte(1))}
	size := 1
	for _, d := range t.int32s(0, maxDims) {
		if d < 1 || int(d) > maxElements/size {
			return nil, fmt.Errorf("a dimension of %d: want 1 or more and at most %d elements", d, maxElements)
		}
		size *= int(d)
		x.shape = append(x.shape, int(d))
	}
	if err := parseQuantization(t.sub(4), x); err != nil {
		return nil, err
	}
	k := t.int32(2, 0)
	if k < 0 || int(k) >= len(buffers) {
		return nil, fmt.Errorf("buffer %d of %d is named", k, len(buffers))
	}
	b, n := buffers[k].vector(0, 1, maxFile)
	x.constant = n > 0
	switch x.typ {
	case typeResource:
	case typeFloat32: // the output of DEQUANTIZE, never a constant
		if x.constant {
			return nil, fmt.Errorf("%q is a float32 constant: want a network that was quantized", x.name)
		}
		x.floats = make([]float32, size)
	case typeInt8, typeUint8:
		x.data = make([]int8, size)
		for i, v := range b[:min(n, size)] {
			x.data[i] = int8(v)
		}
	case typeInt32:
		x.ints = make([]int32, size)
		for i := range x.ints[:min(n/4, size)] {
			x.ints[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
		}
		size *= 4
	default:
		return nil, fmt.Errorf("%q has type %d: want int8, uint8, int32, float32 or a resource", x.name, x.typ)
	}
	if x.constant && n != size {
		return nil, fmt.Errorf("%q has %d bytes: want %d", x.name, n, size)
	}
	return x, nil
}

func parseQuantization(q table, x *tensor) error {
	b, n := q.vector(2, 4, maxChannels)
	for i := range n {
		s := math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		if !(s > 0) || math.IsInf(float64(s), 1) {
			return fmt.Errorf("%q has scale %v: want more than 0", x.name, s)
		}
		x.scale = append(x.scale, s)
	}
	b, n = q.vector(3, 8, maxChannels)
	for i := range n {
		z := int64(binary.LittleEndian.Uint64(b[8*i:]))
		if z < -128 || z > 255 || i > 0 && z != int64(x.zero) {
			return fmt.Errorf("%q has zero point %d: want one within a byte", x.name, z)
		}
		x.zero = int32(z)
	}
	return nil
}

// step is one compiled operator. It reads and writes buffers that it got when it
// was made.
type step interface{ run() }

// quantized checks that each tensor holds bytes of one scale.
func quantized(ts ...*tensor) error {
	for _, t := range ts {
		if t.typ != typeInt8 {
			return fmt.Errorf("%q has type %d: want int8", t.name, t.typ)
		}
		if len(t.scale) != 1 || t.zero < -128 || t.zero > 127 {
			return fmt.Errorf("%q has %d scales and zero point %d: want one scale", t.name, len(t.scale), t.zero)
		}
	}
	return nil
}
