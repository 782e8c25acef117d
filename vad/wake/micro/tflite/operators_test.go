package tflite

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestConvolutionIsTheSumOfItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const steps, taps, in, out = 7, 3, 50, 17
	w, bias, scales := make([]int8, out*taps*in), make([]int32, out), make([]float32, out)
	for i := range w {
		w[i] = int8(rng.IntN(256) - 128)
	}
	for c := range out {
		bias[c], scales[c] = int32(rng.IntN(2000)-1000), 0.0001*float32(c+1)
	}
	for i := range in { // the largest sums that there can be
		w[i] = -128
	}
	n := mustLoad(t, one(opConv2D, []field{scalar(0, 1), scalar(1, 1), scalar(2, 2), scalar(3, 1)},
		act(0.5, -5, 1, steps, 1, in), act(0.25, -100, 1, 3, 1, out),
		weights(i8s(w...), scales, out, taps, 1, in), constant(typeInt32, i32s(bias...), out)))
	for round := range 50 {
		for i := range n.Input() {
			n.Input()[i] = int8(rng.IntN(256) - 128)
			if round == 0 {
				n.Input()[i] = -128
			}
		}
		n.Invoke()
		for r := range 3 {
			for c := range out {
				sum := bias[c]
				for k := range taps * in {
					sum += (int32(n.Input()[r*2*in+k]) + 5) * int32(w[c*taps*in+k])
				}
				m, err := newMultiplier(0.5 * float64(scales[c]) / 0.25)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := n.Output()[r*out+c], int8(min(max(m.apply(sum)-100, -100), 127)); got != want {
					t.Fatalf("row %d channel %d: %d, want %d", r, c, got, want)
				}
			}
		}
	}
}

func TestDepthwiseConvolutionKeepsChannelsApart(t *testing.T) {
	n := mustLoad(t, one(opDepthwise, []field{scalar(0, 1), scalar(1, 1), scalar(2, 1), scalar(3, 1)},
		act(1, 0, 1, 3, 1, 2), act(1, 3, 1, 2, 1, 2),
		weights(i8s(1, 10, 2, 20), []float32{1, 0.5}, 1, 2, 1, 2), constant(typeInt32, i32s(1, 4), 2)))
	copy(n.Input(), []int8{1, 2, 3, 1, 5, 0})
	n.Invoke()
	// 1·1+2·3+1+3, (10·2+20·1+4)/2+3; 1·3+2·5+1+3, (10·1+4)/2+3
	if want := []int8{11, 25, 17, 10}; !slices.Equal(n.Output(), want) {
		t.Errorf("%v, want %v", n.Output(), want)
	}
}

func TestFullyConnectedMultipliesByAMatrix(t *testing.T) {
	n := mustLoad(t, one(opFullyConnected, nil, act(1, 1, 1, 3), act(1, 0, 1, 2),
		weights(i8s(1, 2, 3, -1, -2, -3), []float32{1}, 2, 3), constant(typeInt32, i32s(0, 5), 2)))
	copy(n.Input(), []int8{2, 3, 4})
	n.Invoke()
	if want := []int8{14, -9}; !slices.Equal(n.Output(), want) {
		t.Errorf("%v, want %v", n.Output(), want)
	}
}

func TestElementwiseOperators(t *testing.T) {
	in := []int8{-128, -10, 0, 3, 100, 127}
	cases := []struct {
		name string
		file []byte
		want func(x float64) float64
		low  float64
		unit float64 // scale of the output
		zero float64
	}{
		{"LOGISTIC", one(opLogistic, nil, act(0.1, 0, 1, 6), act(1.0/256, -128, 1, 6)),
			func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, -128, 1.0 / 256, -128},
		{"QUANTIZE", one(opQuantize, nil, act(0.1, 0, 1, 6), act(0.2, 7, 1, 6)),
			func(x float64) float64 { return x }, -128, 0.2, 7},
		{"ADD", one(opAdd, []field{scalar(0, 1)}, act(0.1, 0, 1, 6), act(0.2, 7, 1, 6),
			weights(i8s(12), []float32{0.25}, 1)),
			func(x float64) float64 { return x + 3 }, 7, 0.2, 7},
		{"MUL", one(opMul, nil, act(0.1, 0, 1, 6), act(0.2, 7, 1, 6), weights(i8s(8), []float32{0.25}, 1)),
			func(x float64) float64 { return 2 * x }, -128, 0.2, 7},
	}
	for _, c := range cases {
		n := mustLoad(t, c.file)
		copy(n.Input(), in)
		n.Invoke()
		for i, x := range in {
			want := min(max(math.Round(c.want(float64(x)*0.1)/c.unit)+c.zero, c.low), 127)
			if got := float64(n.Output()[i]); math.Abs(got-want) > 1 {
				t.Errorf("%s of %d: %v, want %v", c.name, x, got, want)
			}
		}
	}
}

func TestQuantizeToUnsignedKeepsTheBits(t *testing.T) {
	out := act(1.0/256, 0, 1, 3)
	out.typ = typeUint8
	n := mustLoad(t, one(opQuantize, nil, act(1.0/256, -128, 1, 3), out))
	copy(n.Input(), []int8{-128, 0, 127})
	n.Invoke()
	for i, want := range []uint8{0, 128, 255} {
		if got := uint8(n.Output()[i]); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	}
	if !n.Unsigned() {
		t.Error("the output is signed")
	}
}

func TestDequantizeMakesFloatsOfBytes(t *testing.T) {
	float := netTensor{shape: []int32{1, 3}}
	signed := mustLoad(t, one(opDequantize, nil, act(1.0/256, -128, 1, 3), float))
	copy(signed.Input(), []int8{-128, 0, 127})
	signed.Invoke()
	want := []float32{0, 0.5, 255.0 / 256}
	if !slices.Equal(signed.Floats(), want) || signed.Output() != nil || signed.Unsigned() {
		t.Errorf("%v, want %v; bytes %v", signed.Floats(), want, signed.Output())
	}

	unsigned := act(1.0/256, 0, 1, 3)
	unsigned.typ = typeUint8
	n := mustLoad(t, build(net{
		tensors: []netTensor{act(1.0/256, -128, 1, 3), unsigned, float}, in: []int32{0}, out: []int32{2},
		ops: []netOp{
			{code: opQuantize, in: []int32{0}, out: []int32{1}},
			{code: opDequantize, in: []int32{1}, out: []int32{2}},
		},
	}))
	copy(n.Input(), []int8{-128, 0, 127})
	n.Invoke()
	if !slices.Equal(n.Floats(), want) {
		t.Errorf("over uint8: %v, want %v", n.Floats(), want)
	}
	if a := testing.AllocsPerRun(10, n.Invoke); a != 0 {
		t.Errorf("%v allocations", a)
	}
}

func TestSplitAndSliceAndConcatenationMoveBytes(t *testing.T) {
	a := func(shape ...int32) netTensor { return act(1, 0, shape...) }
	file := build(net{
		tensors: []netTensor{
			a(1, 3, 1, 4), a(1, 3, 1, 1), a(1, 3, 1, 3), a(1, 2, 1, 3), a(1, 3, 1, 3), a(1, 5, 1, 3),
			constant(typeInt32, i32s(1, 3), 2), constant(typeInt32, i32s(3)),
			constant(typeInt32, i32s(0, -2, 0, 0), 4), constant(typeInt32, i32s(0, 3, 0, 0), 4),
			constant(typeInt32, i32s(1, 1, 1, 1), 4),
		},
		in: []int32{0}, out: []int32{5},
		ops: []netOp{
			{code: opSplitV, in: []int32{0, 6, 7}, out: []int32{1, 2}},
			{code: opStridedSlice, in: []int32{2, 8, 9, 10}, out: []int32{3},
				options: []field{scalar(0, 13), scalar(1, 13)}},
			{code: opReshape, in: []int32{2}, out: []int32{4}},
			{code: opConcatenation, in: []int32{3, 4}, out: []int32{5}, options: []field{scalar(0, -3)}},
		},
	})
	n := mustLoad(t, file)
	for i := range n.Input() {
		n.Input()[i] = int8(i)
	}
	n.Invoke()
	if want := []int8{5, 6, 7, 9, 10, 11, 1, 2, 3, 5, 6, 7, 9, 10, 11}; !slices.Equal(n.Output(), want) {
		t.Errorf("%v, want %v", n.Output(), want)
	}
}

// delay is a network with memory: it gives its input of one Invoke before.
func delay() []byte {
	handle := netTensor{typ: typeResource}
	name := []field{bytes(1, []byte("memory"))}
	return build(net{
		tensors: []netTensor{act(1, 0, 1, 2), act(1, 0, 1, 2), handle},
		in:      []int32{0}, out: []int32{1},
		ops: []netOp{
			{code: opCallOnce, options: []field{scalar(0, 1)}},
			{code: opVarHandle, out: []int32{2}, options: name},
			{code: opReadVariable, in: []int32{2}, out: []int32{1}},
			{code: opAssignVariable, in: []int32{2, 0}},
		},
	}, net{
		tensors: []netTensor{handle, weights(i8s(7, 8), []float32{1}, 1, 2)},
		ops: []netOp{
			{code: opVarHandle, out: []int32{0}, options: name},
			{code: opAssignVariable, in: []int32{0, 1}},
		},
	})
}

func TestVariablesLastUntilReset(t *testing.T) {
	n := mustLoad(t, delay())
	for range 2 {
		for _, want := range []int8{7, 1, 2} {
			n.Input()[0]++
			n.Invoke()
			if got := n.Output()[0]; got != want {
				t.Fatalf("%d, want %d", got, want)
			}
		}
		n.Reset()
		n.Input()[0] = 0
	}
	if n.Reach() != 2 {
		t.Errorf("reach of %d, want 2", n.Reach())
	}
}

func TestInvokeAllocatesNothing(t *testing.T) {
	n := mustLoad(t, delay())
	if a := testing.AllocsPerRun(10, n.Invoke); a != 0 {
		t.Errorf("%v allocations", a)
	}
}

func TestOperatorsThatAreNotImplementedAreNamed(t *testing.T) {
	for code, want := range map[opcode]string{40: "MEAN", 25: "operator 25", 1: "AVERAGE_POOL_2D"} {
		_, err := Load(one(code, nil, act(1, 0, 1), act(1, 0, 1)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
