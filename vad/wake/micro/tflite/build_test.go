package tflite

import (
	"encoding/binary"
	"math"
	"testing"
)

// builder writes FlatBuffers front to back: an offset is left open until what it
// refers to is appended.
type builder struct{ b []byte }

func (w *builder) u32(v uint32) int {
	w.b = binary.LittleEndian.AppendUint32(w.b, v)
	return len(w.b) - 4
}

// here sets the offset at pos to the end of the buffer.
func (w *builder) here(pos int) {
	for len(w.b)%4 != 0 {
		w.b = append(w.b, 0)
	}
	binary.LittleEndian.PutUint32(w.b[pos:], uint32(len(w.b)-pos))
}

// field is a value of four bytes in a table, or what write appends for an offset.
type field struct {
	slot  int
	value uint32
	write func(w *builder)
}

func (w *builder) table(fields ...field) {
	slots := 0
	for _, f := range fields {
		slots = max(slots, f.slot+1)
	}
	start := len(w.b)
	w.u32(0) // the distance back to the vtable, which comes last
	vtable := make([]uint16, slots)
	at := make([]int, len(fields))
	for i, f := range fields {
		at[i] = w.u32(f.value)
		vtable[f.slot] = uint16(at[i] - start)
	}
	back := start - len(w.b)
	binary.LittleEndian.PutUint32(w.b[start:], uint32(int32(back)))
	w.b = binary.LittleEndian.AppendUint16(w.b, uint16(4+2*slots))
	w.b = binary.LittleEndian.AppendUint16(w.b, uint16(4+4*len(fields)))
	for _, v := range vtable {
		w.b = binary.LittleEndian.AppendUint16(w.b, v)
	}
	for i, f := range fields {
		if f.write != nil {
			w.here(at[i])
			f.write(w)
		}
	}
}

func scalar(slot int, v int32) field { return field{slot: slot, value: uint32(v)} }

func list[T any](slot int, vs []T, write func(w *builder, v T)) field {
	return field{slot: slot, write: func(w *builder) {
		w.u32(uint32(len(vs)))
		for _, v := range vs {
			write(w, v)
		}
	}}
}

func ints(slot int, vs ...int32) field {
	return list(slot, vs, func(w *builder, v int32) { w.u32(uint32(v)) })
}

func bytes(slot int, b []byte) field {
	return list(slot, b, func(w *builder, v byte) { w.b = append(w.b, v) })
}

func sub(slot int, fields ...field) field {
	return field{slot: slot, write: func(w *builder) { w.table(fields...) }}
}

func tables(slot int, ts ...[]field) field {
	return field{slot: slot, write: func(w *builder) {
		w.u32(uint32(len(ts)))
		var at []int
		for range ts {
			at = append(at, w.u32(0))
		}
		for i, t := range ts {
			w.here(at[i])
			w.table(t...)
		}
	}}
}

// netTensor and netOp describe a network for build.
type netTensor struct {
	shape []int32
	typ   dtype
	scale []float32
	zero  int64
	data  []byte
}

type netOp struct {
	code    opcode
	in, out []int32
	options []field
}

type net struct {
	tensors []netTensor
	in, out []int32
	ops     []netOp
}

// build makes a file. Every operator gets a code of its own.
func build(nets ...net) []byte {
	var codes, buffers, graphs [][]field
	buffers = append(buffers, nil)
	for _, n := range nets {
		var ts, ops [][]field
		for _, t := range n.tensors {
			buffer := int32(0)
			if t.data != nil {
				buffer = int32(len(buffers))
				buffers = append(buffers, []field{bytes(0, t.data)})
			}
			scales := list(2, t.scale, func(w *builder, v float32) { w.u32(math.Float32bits(v)) })
			zeros := list(3, t.scale, func(w *builder, _ float32) {
				w.b = binary.LittleEndian.AppendUint64(w.b, uint64(t.zero))
			})
			ts = append(ts, []field{ints(0, t.shape...), scalar(1, int32(t.typ)), scalar(2, buffer), bytes(3, []byte("x")), sub(4, scales, zeros)})
		}
		for _, o := range n.ops {
			ops = append(ops, []field{scalar(0, int32(len(codes))), ints(1, o.in...), ints(2, o.out...), sub(4, o.options...)})
			codes = append(codes, []field{scalar(0, min(int32(o.code), 127)), scalar(3, int32(o.code))})
		}
		graphs = append(graphs, []field{tables(0, ts...), ints(1, n.in...), ints(2, n.out...), tables(3, ops...)})
	}
	w := &builder{}
	root := w.u32(0)
	w.b = append(w.b, "TFL3"...)
	w.here(root)
	w.table(scalar(0, 3), tables(1, codes...), tables(2, graphs...), tables(4, buffers...))
	return w.b
}

func i32s(vs ...int32) []byte {
	var b []byte
	for _, v := range vs {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

func i8s(vs ...int8) []byte {
	var b []byte
	for _, v := range vs {
		b = append(b, byte(v))
	}
	return b
}

func act(scale float32, zero int64, shape ...int32) netTensor {
	return netTensor{shape: shape, typ: typeInt8, scale: []float32{scale}, zero: zero}
}

func constant(typ dtype, data []byte, shape ...int32) netTensor {
	return netTensor{shape: shape, typ: typ, data: data}
}

// weights are an int8 constant with scales and a zero point of 0.
func weights(data []byte, scale []float32, shape ...int32) netTensor {
	return netTensor{shape: shape, typ: typeInt8, scale: scale, data: data}
}

// one makes a network of one operator from a tensor to a tensor, with constants
// as further inputs.
func one(code opcode, options []field, in, out netTensor, constants ...netTensor) []byte {
	n := net{tensors: append([]netTensor{in, out}, constants...), in: []int32{0}, out: []int32{1}}
	o := netOp{code: code, in: []int32{0}, out: []int32{1}, options: options}
	for i := range constants {
		o.in = append(o.in, int32(2+i))
	}
	n.ops = []netOp{o}
	return build(n)
}

func mustLoad(t *testing.T, file []byte) *Interpreter {
	t.Helper()
	n, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
