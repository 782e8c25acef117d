package silero

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"hearthd/config/input"
)

// Sizes of the network.
const (
	chunk   = 512 // samples
	context = 64  // samples of the chunk before, seen again
	window  = 256 // samples of a spectrum
	step    = 128 // samples from one spectrum to the next
	bins    = window/2 + 1
	cells   = 128 // of the LSTM
)

// maxFile bounds the model file; the real one has 1,289,603 bytes.
const maxFile = 4 << 20

// opset is the version of the operator set that the known file is written in.
const opset = 15

// wanted is said whenever a file is refused.
const wanted = "want silero_vad_16k_op15.onnx, version 5 or 6 of Silero VAD for 16 kHz in opset 15"

// weights are those of the file, in its order: output, input, tap.
type weights struct {
	basis          []float32 // of the spectrum: real, then imaginary rows
	conv           [4][]float32
	bias           [4][]float32
	input, state   []float32 // of the gates i, f, g, o, one row of cells each
	biasIn, biasSt []float32
	out, outBias   []float32
}

// load reads the weights at path.
func load(path string) (*weights, error) {
	b, err := input.ReadFile(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("read silero model %q: %s; %w", path, wanted, err)
	}
	w, err := decode(b)
	if err != nil {
		return nil, fmt.Errorf("read silero model %q: %s; found %w", path, wanted, err)
	}
	return w, nil
}

// decode takes the weights out of an ONNX file. Its errors say what was found.
func decode(b []byte) (*weights, error) {
	if len(b) > maxFile {
		return nil, fmt.Errorf("more than %d bytes", maxFile)
	}
	m, err := parse(b)
	if err != nil {
		return nil, err
	}
	if m.opset != opset {
		return nil, fmt.Errorf("an ONNX model in opset %d", m.opset)
	}
	w := &weights{}
	for _, t := range w.tensors() {
		if *t.into, err = m.take(t.name, t.dims); err != nil {
			return nil, err
		}
	}
	return w, checkBasis(w.basis)
}

// place says where a tensor of the file goes.
type place struct {
	name string
	dims []int
	into *[]float32
}

func (w *weights) tensors() []place {
	all := []place{{"model.stft.forward_basis_buffer", []int{2 * bins, 1, window}, &w.basis}}
	for i, dims := range [][]int{{128, bins, 3}, {64, 128, 3}, {64, 64, 3}, {cells, 64, 3}} {
		name := fmt.Sprintf("model.encoder.%d.reparam_conv.", i)
		all = append(all,
			place{name + "weight", dims, &w.conv[i]},
			place{name + "bias", dims[:1], &w.bias[i]})
	}
	return append(all,
		place{"model.decoder.rnn.weight_ih", []int{4 * cells, cells}, &w.input},
		place{"model.decoder.rnn.weight_hh", []int{4 * cells, cells}, &w.state},
		place{"model.decoder.rnn.bias_ih", []int{4 * cells}, &w.biasIn},
		place{"model.decoder.rnn.bias_hh", []int{4 * cells}, &w.biasSt},
		place{"model.decoder.decoder.2.weight", []int{1, cells, 1}, &w.out},
		place{"model.decoder.decoder.2.bias", []int{1}, &w.outBias})
}

// take returns the values of the tensor of that name and shape.
func (m *model) take(name string, dims []int) ([]float32, error) {
	t, ok := m.tensors[name]
	if !ok {
		return nil, fmt.Errorf("an ONNX model of %d tensors without %s", len(m.tensors), name)
	}
	n := 1
	for _, d := range dims {
		n *= d
	}
	if !slices.EqualFunc(t.dims, dims, func(a uint64, b int) bool { return a == uint64(b) }) {
		return nil, fmt.Errorf("an ONNX model whose %s is %s instead of %s", name, shape(t.dims), shape(dims))
	}
	v, err := t.floats(n)
	if err != nil {
		return nil, fmt.Errorf("an ONNX model whose %s has %w", name, err)
	}
	return v, nil
}

// checkBasis refuses a spectrum that is not the one that the detector computes
// with a fast transform instead: a Fourier transform under a periodic Hann window.
func checkBasis(basis []float32) error {
	hann := hannWindow()
	for k := range bins {
		for i, h := range hann {
			s, c := math.Sincos(-2 * math.Pi * float64(k*i%window) / window)
			re, im := float64(basis[k*window+i]), float64(basis[(bins+k)*window+i])
			// The file's own rounding is below 1e-6.
			if math.Abs(re-c*float64(h)) > 1e-4 || math.Abs(im-s*float64(h)) > 1e-4 {
				return errors.New("an ONNX model whose spectrum is not a Fourier transform under a Hann window")
			}
		}
	}
	return nil
}

// hannWindow is periodic, as the model was trained with.
func hannWindow() (h [window]float32) {
	for i := range h {
		h[i] = float32(0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/window))
	}
	return h
}
