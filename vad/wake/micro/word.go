package micro

import (
	"hearthd/vad/wake/micro/feature"
	"hearthd/vad/wake/micro/tflite"
)

// refractory is how many rows below the cutoff must pass after a detection
// before the next: 1 s, MIN_SLICES_BEFORE_DETECTION of ESPHome's
// streaming_model.h.
const refractory = 100

// word is one model at work. It follows StreamingModel and WakeWordModel of
// ESPHome, except that it does not stay deaf for the first second of a stream: it
// waits until the window is full.
type word struct {
	net    *tflite.Interpreter
	stride int // rows per inference
	rows   int // in the input of net
	cutoff uint32

	recent []uint8 // probabilities, 255 is 1
	last   int     // index of the newest
	ignore int     // rows until a detection counts
	mean   float32 // of recent as of the last inference, 0 to 1
}

func (w *word) reset() {
	w.net.Reset()
	w.rows, w.last, w.mean = 0, 0, 0
	w.disarm(w.stride * len(w.recent))
}

// disarm forgets the probabilities and lets nothing count for some rows.
func (w *word) disarm(rows int) {
	clear(w.recent)
	w.ignore = rows
}

// push takes a quantized row and says whether the word was heard as of it.
func (w *word) push(row *[feature.Bands]int8) bool {
	copy(w.net.Input()[w.rows*feature.Bands:], row[:])
	w.rows++
	inferred := w.rows == w.stride
	if inferred {
		w.rows = 0
		w.infer()
	}
	// The word that was just heard must be over before the next is awaited.
	if w.ignore > 0 && uint32(w.recent[w.last]) < w.cutoff {
		w.ignore--
	}
	if !inferred || w.ignore > 0 || w.sum() <= w.cutoff*uint32(len(w.recent)) {
		return false
	}
	w.disarm(refractory)
	return true
}

func (w *word) infer() {
	w.net.Invoke()
	w.last = (w.last + 1) % len(w.recent)
	w.recent[w.last] = uint8(w.net.Output()[0])
	w.mean = float32(w.sum()) / float32(255*len(w.recent))
}

func (w *word) sum() (s uint32) {
	for _, p := range w.recent {
		s += uint32(p)
	}
	return s
}
