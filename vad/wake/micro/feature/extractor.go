package feature

import "math/bits"

const (
	Step   = 160 // samples from one row to the next: 10 ms at 16 kHz
	Window = 480 // samples under one row: 30 ms
	Bands  = 40  // features in a row

	rate = 16000
)

// Extractor computes rows of features of one stream.
type Extractor struct {
	window  [Window]int16 // coefficients, 1 is 1<<windowBits
	fft     *fft
	bank    bank
	denoise denoise
	gain    gainTable
	log     curve

	pcm    [Window]int16 // the last samples
	filled int
	block  [fftSize]int16
	bands  [Bands]uint32
	row    [Bands]uint16
}

// New returns an Extractor at the beginning of a stream.
func New() *Extractor {
	return &Extractor{window: newWindow(), fft: newFFT(), bank: newBank(), gain: newGainTable(), log: newCurve()}
}

// Push takes the next samples and returns the row of the window that ends with
// them, nil while fewer than Window samples have come since Reset. A row is 0 to
// about 670 and is valid until the next call. It allocates nothing.
func (e *Extractor) Push(pcm *[Step]int16) *[Bands]uint16 {
	copy(e.pcm[:], e.pcm[Step:])
	copy(e.pcm[Window-Step:], pcm[:])
	if e.filled < Window {
		if e.filled += Step; e.filled < Window {
			return nil
		}
	}
	// The block is scaled up so that the fixed-point transform keeps as many
	// bits as it can; the amplitudes are scaled down again.
	peak := applyWindow(e.block[:Window], &e.pcm, &e.window)
	shift := 15 - bits.Len16(uint16(peak))
	for i, v := range e.block[:Window] {
		e.block[i] = int16(uint16(v) << shift)
	}
	spectrum := e.fft.transform(&e.block)
	e.bank.amplitudes(&e.bands, spectrum, shift)
	e.denoise.apply(&e.bands)
	e.gain.apply(&e.bands, &e.denoise.estimate)
	for i, v := range e.bands {
		e.row[i] = e.log.logarithm(v)
	}
	return &e.row
}

// Reset forgets the stream.
func (e *Extractor) Reset() {
	e.filled = 0
	clear(e.pcm[:])
	e.denoise = denoise{}
}

// Quantize scales a row to the int8 input of a network: in training 25.6 stands
// for 1 and 26 is the largest value (micro_wake_word.cpp of ESPHome).
func Quantize(dst []int8, row *[Bands]uint16) {
	const scale, divisor = 256, 666 // 25.6·26, rounded
	for i, v := range row {
		dst[i] = int8(min((int32(v)*scale+divisor/2)/divisor-128, 127))
	}
}
