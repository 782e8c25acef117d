package tflitetest

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
)

// Numbers of schema.fbs.
const (
	typeInt32, typeUint8, typeInt8       = 2, 3, 9
	opFullyConnected, opQuantize         = 9, 114
	rows, bands                          = 3, 40 // of features that microWakeWord takes at a time
	loudFrom                       int32 = 80    // mean feature, of 0 to 255; a quiet room gives up to 31, the onset of speech 200
)

// Loud is the network of a wake word that is any loud sound: its probability is 1
// where the mean of the features is far above that of a quiet room, else 0.
func Loud() []byte {
	weights := make([]byte, rows*bands)
	for i := range weights {
		weights[i] = 1
	}
	// The sum of features as int8 is 128 below that of bytes, for each.
	bias := binary.LittleEndian.AppendUint32(nil, uint32((128-loudFrom)*rows*bands))
	unit := []float32{1}
	return Build(Net{
		Tensors: []Tensor{
			{Shape: []int32{1, rows, bands}, Type: typeInt8, Scale: unit},
			{Shape: []int32{1, rows * bands}, Type: typeInt8, Scale: unit, Data: weights},
			{Shape: []int32{1}, Type: typeInt32, Data: bias},
			{Shape: []int32{1, 1}, Type: typeInt8, Scale: []float32{2}}, // so that 127 becomes 254
			{Shape: []int32{1, 1}, Type: typeUint8, Scale: unit},
		},
		In: []int32{0}, Out: []int32{4},
		Ops: []Op{
			{Code: opFullyConnected, In: []int32{0, 1, 2}, Out: []int32{3}},
			{Code: opQuantize, In: []int32{3}, Out: []int32{4}},
		},
	})
}

// LoudManifest names the network loud.tflite beside it.
const LoudManifest = `{"type": "micro", "wake_word": "Loud Sound", "model": "loud.tflite", "version": 2,
  "micro": {"probability_cutoff": 0.5, "sliding_window_size": 2, "feature_step_size": 10}}`

// WriteLoud writes that wake word into dir, and returns the path of its manifest.
func WriteLoud(dir, name string) (manifest string, err error) {
	manifest = filepath.Join(dir, name+".json")
	return manifest, errors.Join(
		os.WriteFile(filepath.Join(dir, "loud.tflite"), Loud(), 0o600), os.WriteFile(manifest, []byte(LoudManifest), 0o600))
}
