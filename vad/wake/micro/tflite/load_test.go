package tflite

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// samples are small networks of every operator.
func samples() [][]byte {
	w := weights(i8s(1, 10, 2, 20), []float32{1, 0.5}, 1, 2, 1, 2)
	return [][]byte{
		delay(),
		one(opDepthwise, []field{scalar(0, 1), scalar(1, 1), scalar(2, 1)}, act(1, 0, 1, 3, 1, 2),
			act(1, 3, 1, 2, 1, 2), w),
		one(opConv2D, []field{scalar(1, 1), scalar(2, 1)}, act(1, 0, 1, 2, 1, 2), act(1, 3, 1, 1, 1, 1),
			weights(i8s(1, 2, 3, 4), []float32{1}, 1, 2, 1, 2)),
		one(opFullyConnected, nil, act(1, 1, 1, 2), act(1, 0, 1, 1), weights(i8s(1, 2), []float32{1}, 1, 2)),
		one(opLogistic, nil, act(0.1, 0, 1, 2), act(1.0/256, -128, 1, 2)),
		one(opAdd, nil, act(0.1, 0, 1, 2), act(0.1, 0, 1, 2), weights(i8s(1), []float32{1}, 1)),
		one(opMul, nil, act(0.1, 0, 1, 2), act(0.1, 0, 1, 2), weights(i8s(1), []float32{1}, 1)),
		one(opConcatenation, nil, act(1, 0, 2), act(1, 0, 2)),
		one(opSplitV, nil, act(1, 0, 2), act(1, 0, 2), constant(typeInt32, i32s(2), 1), constant(typeInt32, i32s(0))),
		one(opStridedSlice, nil, act(1, 0, 2), act(1, 0, 1), constant(typeInt32, i32s(1), 1),
			constant(typeInt32, i32s(2), 1), constant(typeInt32, i32s(1), 1)),
		one(opReshape, nil, act(1, 0, 2), act(1, 0, 2, 1)),
		one(opDequantize, nil, act(1, 0, 2), netTensor{shape: []int32{2}}),
	}
}

func TestEveryPrefixOfAFileIsRefused(t *testing.T) {
	for i, file := range samples() {
		mustLoad(t, file)
		for n := range file {
			// The last bytes may be padding or a name that nobody reads.
			if _, err := Load(file[:n]); err == nil && n < len(file)-4 {
				t.Errorf("sample %d: %d of %d bytes were accepted", i, n, len(file))
			}
		}
	}
}

func TestForeignFilesAreRefusedWithWhatWasExpected(t *testing.T) {
	cases := map[string][]byte{
		`want "TFL3"`:        []byte("RIFF    WAVEfmt "),
		"want at most":       make([]byte, maxFile+1),
		"want one input":     build(net{}),
		"want one input and": build(),
		"schema version 0": append(binary.LittleEndian.AppendUint32(nil, 12),
			"TFL3\x04\x00\x04\x00\x04\x00\x00\x00"...),
		"want more than 0":      one(opReshape, nil, act(-1, 0, 2), act(1, 0, 2)),
		"zero point 300":        one(opReshape, nil, act(1, 300, 2), act(1, 0, 2)),
		"a dimension of 0":      one(opReshape, nil, act(1, 0, 0), act(1, 0, 2)),
		"at most 1048576 elem":  one(opReshape, nil, act(1, 0, 4096, 4096), act(1, 0, 2)),
		"more than 1048576":     one(opReshape, nil, act(1, 0, 1<<20), act(1, 0, 1<<20)),
		"has type 1":            one(opReshape, nil, netTensor{shape: []int32{1}, typ: 1}, act(1, 0, 1)),
		"float32 constant":      one(opMul, nil, act(1, 0, 1), act(1, 0, 1), constant(typeFloat32, i32s(0), 1)),
		"has type 0: want int8": one(opLogistic, nil, act(1, 0, 1), netTensor{shape: []int32{1}}),
		"[1] becomes [2]":       one(opDequantize, nil, act(1, 0, 1), netTensor{shape: []int32{2}}),
		"types 0 and 9": build(net{tensors: []netTensor{{shape: []int32{1}}, act(1, 0, 1)}, in: []int32{0},
			out: []int32{1}}),
		"want as many float32": one(opDequantize, nil, act(1, 0, 1), act(1, 0, 1)),
		"type 0 and 0 scales":  one(opDequantize, nil, netTensor{shape: []int32{1}}, netTensor{shape: []int32{1}}),
		"no padding": one(opConv2D, []field{scalar(1, 1), scalar(2, 1)}, act(1, 0, 1, 2, 1, 1),
			act(1, 0, 1, 2, 1, 1), weights(i8s(1, 2), []float32{1}, 1, 2, 1, 1)),
		// Twenty kilobytes that an inference takes seconds for.
		"2097152 products": one(opConv2D, []field{scalar(0, 1), scalar(1, 1), scalar(2, 1)}, act(1, 0, 1, 40000, 1, 1),
			act(1, 0, 1, 20001, 1, 1),
			weights(make([]byte, 20000), []float32{1}, 1, 20000, 1, 1)),
		"want none or RELU": one(opFullyConnected, []field{scalar(0, 3)}, act(1, 1, 1, 2), act(1, 0, 1, 1),
			weights(i8s(1, 2), []float32{1}, 1, 2)),
		"want less than 2^30": one(opQuantize, nil, act(1e20, 0, 1), act(1e-10, 0, 1)),
		"another scale":       one(opConcatenation, nil, act(1, 0, 2), act(2, 0, 2)),
		"no VAR_HANDLE":       one(opReadVariable, nil, netTensor{typ: typeResource}, act(1, 0, 2)),
	}
	for want, file := range cases {
		_, err := Load(file)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestTruncatedModelsAreRefused(t *testing.T) {
	dir := os.Getenv("HEARTHD_TEST_MODELS")
	if dir == "" {
		t.Skip("HEARTHD_TEST_MODELS names no folder with wake word models")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "wake", "*.tflite"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no models: %v", err)
	}
	for _, p := range paths {
		file, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		mustLoad(t, file)
		for n := 0; n < len(file); n += 997 {
			if _, err := Load(file[:n]); err == nil {
				t.Errorf("%s: %d of %d bytes were accepted", p, n, len(file))
			}
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, file := range samples() {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		n, err := Load(file)
		if err != nil {
			return
		}
		n.Invoke()
		n.Reset()
		n.Invoke()
	})
}
