package tflite

import (
	"encoding/binary"
	"testing"

	"hearthd/rigs/tflitetest"
)

type field = tflitetest.Field

func scalar(slot int, v int32) field { return tflitetest.Scalar(slot, v) }

func bytes(slot int, b []byte) field { return tflitetest.Bytes(slot, b) }

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

func build(nets ...net) []byte {
	var list []tflitetest.Net
	for _, n := range nets {
		made := tflitetest.Net{In: n.in, Out: n.out}
		for _, t := range n.tensors {
			made.Tensors = append(made.Tensors, tflitetest.Tensor{Shape: t.shape, Type: int32(t.typ), Scale: t.scale,
				Zero: t.zero, Data: t.data})
		}
		for _, o := range n.ops {
			made.Ops = append(made.Ops, tflitetest.Op{Code: int32(o.code), In: o.in, Out: o.out, Options: o.options})
		}
		list = append(list, made)
	}
	return tflitetest.Build(list...)
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
