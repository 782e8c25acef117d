package silero

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// What a model may hold. Silero's has 15 tensors of at most three dimensions.
const (
	maxTensors = 256
	maxDims    = 8
	maxName    = 128 // bytes
)

// model is what a reader of weights needs of an ONNX file. Field numbers are
// those of onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
type model struct {
	opset   uint64 // of the default operator set, 0 when the file names none
	tensors map[string]tensor
}

// tensor is an initializer of the graph. raw is a part of the file.
type tensor struct {
	kind uint64 // TensorProto.DataType, 1 for float32
	dims []uint64
	raw  []byte // little-endian values
}

// parse reads an ONNX file. The model keeps b.
func parse(b []byte) (*model, error) {
	switch {
	case len(b) == 0:
		return nil, errors.New("an empty file")
	case len(b) >= 8 && bytes.Equal(b[4:8], []byte("TFL3")):
		return nil, errors.New("a TensorFlow Lite model")
	}
	m := &model{tensors: make(map[string]tensor)}
	graphs := 0
	err := walk(b, func(f field) error {
		switch {
		case f.id == 7 && f.wire == protowire.BytesType: // graph
			graphs++
			return m.graph(f.bytes)
		case f.id == 8 && f.wire == protowire.BytesType: // opset_import
			return m.operators(f.bytes)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("no whole ONNX model: %w", err)
	}
	if graphs != 1 {
		return nil, fmt.Errorf("no ONNX model: %d graphs", graphs)
	}
	return m, nil
}

func (m *model) operators(b []byte) error {
	domain, version := "", uint64(0)
	err := walk(b, func(f field) error {
		switch {
		case f.id == 1 && f.wire == protowire.BytesType:
			domain = string(f.bytes[:min(len(f.bytes), maxName)])
		case f.id == 2 && f.wire == protowire.VarintType:
			version = f.number
		}
		return nil
	})
	if domain == "" || domain == "ai.onnx" {
		m.opset = version
	}
	return err
}

// graph reads the initializers. Those of the branches of an If are not looked
// for: that is where the models for two sample rates keep theirs.
func (m *model) graph(b []byte) error {
	return walk(b, func(f field) error {
		if f.id != 5 || f.wire != protowire.BytesType {
			return nil
		}
		name, t, err := readTensor(f.bytes)
		if err != nil {
			return err
		}
		if _, twice := m.tensors[name]; twice || len(m.tensors) == maxTensors {
			return fmt.Errorf("tensor %q is there twice, or one of more than %d", name, maxTensors)
		}
		m.tensors[name] = t
		return nil
	})
}

func readTensor(b []byte) (name string, t tensor, err error) {
	err = walk(b, func(f field) error {
		switch {
		case f.id == 1 && f.wire == protowire.VarintType:
			return t.addDim(f.number)
		case f.id == 1 && f.wire == protowire.BytesType: // packed
			return t.addDims(f.bytes)
		case f.id == 2 && f.wire == protowire.VarintType:
			t.kind = f.number
		case f.id == 8 && f.wire == protowire.BytesType:
			if len(f.bytes) > maxName {
				return fmt.Errorf("name of a tensor has %d bytes, want at most %d", len(f.bytes), maxName)
			}
			name = string(f.bytes)
		case f.id == 9 && f.wire == protowire.BytesType:
			t.raw = f.bytes
		}
		return nil
	})
	return name, t, err
}

func (t *tensor) addDims(b []byte) error {
	for len(b) > 0 {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		if err := t.addDim(v); err != nil {
			return err
		}
	}
	return nil
}

func (t *tensor) addDim(v uint64) error {
	if len(t.dims) == maxDims {
		return fmt.Errorf("tensor has more than %d dimensions", maxDims)
	}
	t.dims = append(t.dims, v)
	return nil
}

// floats returns the n values of a float32 tensor.
func (t tensor) floats(n int) ([]float32, error) {
	if t.kind != 1 || len(t.raw) != 4*n {
		return nil, fmt.Errorf("type %d in %d bytes, want float32 in %d", t.kind, len(t.raw), 4*n)
	}
	v := make([]float32, n)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.raw[4*i:]))
		if x := float64(v[i]); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, errors.New("a value that is not finite")
		}
	}
	return v, nil
}

// shape prints dimensions as 258x1x256.
func shape[T int | uint64](dims []T) string {
	s := make([]string, len(dims))
	for i, d := range dims {
		s[i] = fmt.Sprint(d)
	}
	return strings.Join(s, "x")
}
