package silero

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// A writer of ONNX, to make models that no exporter would.

func varint(id int, v uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(id)<<3|uint64(protowire.VarintType)), v)
}

func message(id int, body ...[]byte) []byte {
	b := slices.Concat(body...)
	head := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(id)<<3|uint64(protowire.BytesType)), uint64(len(b)))
	return append(head, b...)
}

func initializer(name string, dims []int, values []float32) []byte {
	var t, raw []byte
	for _, d := range dims {
		t = append(t, varint(1, uint64(d))...)
	}
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return message(5, t, varint(2, 1), message(8, []byte(name)), message(9, raw))
}

// file is a model in the given operator set with the given initializers.
func file(version uint64, tensors ...[]byte) []byte {
	return slices.Concat(varint(1, 8), message(2, []byte("test")),
		message(8, varint(2, version)), message(7, slices.Concat(tensors...)))
}

// tensorsOf makes all that Silero's model holds, with small weights, and lets
// change alter each.
func tensorsOf(change func(name *string, dims []int, values []float32)) [][]byte {
	var all [][]byte
	n := noise(7)
	hann := hannWindow()
	for _, p := range (&weights{}).tensors() {
		name, dims, size := p.name, slices.Clone(p.dims), 1
		for _, d := range dims {
			size *= d
		}
		values := make([]float32, size)
		for i := range values {
			values[i] = float32(0.05 * n.next())
			if p.name == "model.stft.forward_basis_buffer" {
				k, x := i/window, i%window
				s, c := math.Sincos(-2 * math.Pi * float64(k%bins*x) / window)
				if k >= bins {
					c = s
				}
				values[i] = float32(c) * hann[x]
			}
		}
		if change != nil {
			change(&name, dims, values)
		}
		all = append(all, initializer(name, dims, values))
	}
	return all
}

// handmade is a detector of a hand-made model.
func handmade(t *testing.T) *Detector {
	t.Helper()
	w, err := decode(file(opset, tensorsOf(nil)...))
	if err != nil {
		t.Fatal(err)
	}
	d, err := build(w)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestForeignFilesAreRefusedWithWhatWasExpectedAndFound(t *testing.T) {
	good := file(opset, tensorsOf(nil)...)
	one := initializer("a", []int{1}, []float32{1})
	for _, tc := range []struct {
		name  string
		bytes []byte
		found string
	}{
		{"empty", nil, "an empty file"},
		{"text", []byte("<!DOCTYPE html>\n<html>not found</html>\n"), "no whole ONNX model"},
		{"git lfs pointer", []byte("version https://git-lfs.github.com/spec/v1\n"), "no whole ONNX model"},
		{"tflite", []byte("\x1c\x00\x00\x00TFL3\x14\x00\x20\x00"), "a TensorFlow Lite model"},
		{"cut in a tensor", good[:len(good)/2], "cut off: field 7"},
		{"cut in a length", good[:1], "cut off"},
		{"huge length", append(varint(1, 8), 0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f),
			"cut off: field 7"},
		{"no graph", slices.Concat(varint(1, 8), message(8, varint(2, opset))), "0 graphs"},
		{"opset 16", file(16, tensorsOf(nil)...), "in opset 16"},
		{"another model", file(opset, one), "an ONNX model of 1 tensors without model.stft.forward_basis_buffer"},
		{"a tensor twice", file(opset, one, one), "twice"},
		{"many dimensions", file(opset, initializer("a", make([]int, maxDims+1), nil)), "more than 8 dimensions"},
		{"a long name", file(opset, initializer(strings.Repeat("n", maxName+1), nil, nil)), "name of a tensor"},
		{"too large", make([]byte, maxFile+1), "more than"},
		{"8 kHz", file(opset, initializer("model.stft.forward_basis_buffer", []int{130, 1, 128},
			make([]float32, 130*128))),
			"is 130x1x128 instead of 258x1x256"},
		{"one tensor gone", file(opset, tensorsOf(func(name *string, _ []int, _ []float32) {
			if strings.HasSuffix(*name, "weight_hh") {
				*name = "other"
			}
		})...), "without model.decoder.rnn.weight_hh"},
		{"not finite", file(opset, tensorsOf(func(name *string, _ []int, v []float32) {
			if strings.HasSuffix(*name, "bias_ih") {
				v[3] = float32(math.NaN())
			}
		})...), "not finite"},
		{"another spectrum", file(opset, tensorsOf(func(name *string, _ []int, v []float32) {
			if strings.HasPrefix(*name, "model.stft") {
				v[300] += 0.1
			}
		})...), "not a Fourier transform"},
		{"twice the outputs", file(opset, tensorsOf(func(_ *string, dims []int, _ []float32) { dims[0] *= 2 })...),
			"258x1x256"},
		{"doubles", file(opset, message(5, varint(1, 258), varint(1, 1), varint(1, 256), varint(2, 11),
			message(8, []byte("model.stft.forward_basis_buffer")), message(9, make([]byte, 8)))), "want float32"},
	} {
		path := filepath.Join(t.TempDir(), "model.onnx")
		if err := os.WriteFile(path, tc.bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path)
		if err == nil {
			t.Errorf("%s: opened", tc.name)
			continue
		}
		for _, want := range []string{path, "want silero_vad_16k_op15.onnx", tc.found} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not say %q", tc.name, err, want)
			}
		}
		if len(err.Error()) > 500 {
			t.Errorf("%s: the message has %d bytes", tc.name, len(err.Error()))
		}
	}
}

func TestMissingFileIsAnErrorOfTheSystem(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "none.onnx")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestPackedDimensionsAreRead(t *testing.T) {
	packed := message(5, message(1, []byte{2, 0x80, 1}), varint(2, 1), message(8, []byte("a")))
	m, err := parse(file(opset, packed))
	if err != nil {
		t.Fatal(err)
	}
	if got := shape(m.tensors["a"].dims); got != "2x128" {
		t.Errorf("dimensions %s, want 2x128", got)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(file(opset, initializer("a", []int{1}, []float32{1})))
	f.Add([]byte("text"))
	f.Add([]byte("\x1c\x00\x00\x00TFL3"))
	f.Add(append(varint(1, 8), 0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := parse(b); err == nil && len(m.tensors) > maxTensors {
			t.Fatalf("%d tensors", len(m.tensors))
		}
		if _, err := decode(b); err != nil && len(err.Error()) > 600 {
			t.Fatalf("a message of %d bytes", len(err.Error()))
		}
	})
}
