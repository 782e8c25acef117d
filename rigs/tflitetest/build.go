// Package tflitetest writes TensorFlow Lite files for tests: networks of a few
// operators, and a wake word that needs no training. It imports nothing of hearthd.
package tflitetest

import (
	"encoding/binary"
	"math"
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

// Field is a value of four bytes in a table, or what is appended for an offset.
type Field struct {
	slot  int
	value uint32
	write func(w *builder)
}

func (w *builder) table(fields ...Field) {
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

// Scalar is a number.
func Scalar(slot int, v int32) Field { return Field{slot: slot, value: uint32(v)} }

func list[T any](slot int, vs []T, write func(w *builder, v T)) Field {
	return Field{slot: slot, write: func(w *builder) {
		w.u32(uint32(len(vs)))
		for _, v := range vs {
			write(w, v)
		}
	}}
}

// Ints is a vector of numbers.
func Ints(slot int, vs ...int32) Field {
	return list(slot, vs, func(w *builder, v int32) { w.u32(uint32(v)) })
}

// Bytes is a vector of bytes, or a text.
func Bytes(slot int, b []byte) Field {
	return list(slot, b, func(w *builder, v byte) { w.b = append(w.b, v) })
}

func sub(slot int, fields ...Field) Field {
	return Field{slot: slot, write: func(w *builder) { w.table(fields...) }}
}

func tables(slot int, ts ...[]Field) Field {
	return Field{slot: slot, write: func(w *builder) {
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

// Tensor is data, or the place of data that is computed. Type and shape are as in
// schema.fbs; data that is nil is computed.
type Tensor struct {
	Shape []int32
	Type  int32
	Scale []float32
	Zero  int64
	Data  []byte
}

// Op is one operator of a Net, by the indices of its tensors.
type Op struct {
	Code    int32
	In, Out []int32
	Options []Field
}

// Net is one subgraph.
type Net struct {
	Tensors []Tensor
	In, Out []int32
	Ops     []Op
}

// Build makes a file. Every operator gets a code of its own.
func Build(nets ...Net) []byte {
	var codes, buffers, graphs [][]Field
	buffers = append(buffers, nil)
	for _, n := range nets {
		var ts, ops [][]Field
		for _, t := range n.Tensors {
			buffer := int32(0)
			if t.Data != nil {
				buffer = int32(len(buffers))
				buffers = append(buffers, []Field{Bytes(0, t.Data)})
			}
			scales := list(2, t.Scale, func(w *builder, v float32) { w.u32(math.Float32bits(v)) })
			zeros := list(3, t.Scale, func(w *builder, _ float32) {
				w.b = binary.LittleEndian.AppendUint64(w.b, uint64(t.Zero))
			})
			ts = append(ts, []Field{Ints(0, t.Shape...), Scalar(1, t.Type), Scalar(2, buffer), Bytes(3, []byte("x")), sub(4, scales, zeros)})
		}
		for _, o := range n.Ops {
			ops = append(ops, []Field{Scalar(0, int32(len(codes))), Ints(1, o.In...), Ints(2, o.Out...), sub(4, o.Options...)})
			codes = append(codes, []Field{Scalar(0, min(o.Code, 127)), Scalar(3, o.Code)})
		}
		graphs = append(graphs, []Field{tables(0, ts...), Ints(1, n.In...), Ints(2, n.Out...), tables(3, ops...)})
	}
	w := &builder{}
	root := w.u32(0)
	w.b = append(w.b, "TFL3"...)
	w.here(root)
	w.table(Scalar(0, 3), tables(1, codes...), tables(2, graphs...), tables(4, buffers...))
	return w.b
}
