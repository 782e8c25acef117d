// Package g722 is the speech codec of ITU-T G.722 at 64 kbit/s: 16 kHz mono to one
// byte for two samples and back. Browsers speak it, so that a phone can be one more
// microphone and speaker without a resampler. It runs no goroutine, owns no buffer,
// allocates nothing per frame and imports nothing.
package g722

// The two bands of 8 kHz.
const (
	low = iota
	high
)

// band is the adaptive predictor and the adaptive scale of one band (G.722,
// section 3.6; names in brackets are the standard's).
type band struct {
	estimate int32    // of the next sample (S)
	poles    int32    // its part from the poles (SP)
	zeros    int32    // and from the zeros (SZ)
	signal   [2]int32 // reconstructed, newest first (R)
	partial  [2]int32 // partially reconstructed (P)
	diff     [6]int32 // quantised differences (D)
	a        [2]int32 // coefficients of the poles
	b        [6]int32 // and of the zeros
	log      int32    // of the scale (NB)
	scale    int32    // of the quantiser (DET)
}

func newBands() [2]band {
	// The least scales (section 3.5).
	return [2]band{low: {scale: 32}, high: {scale: 8}}
}

func clip(v int32) int32 { return min(max(v, -32768), 32767) }

// adapt takes the quantised difference of a sample into the predictor (blocks 4,
// figure 18).
func (s *band) adapt(d int32) {
	signal, partial := clip(s.estimate+d), clip(s.zeros+d)
	a := s.newPoles(partial)

	leak, step := int32(0), int32(128)
	if d == 0 {
		step = 0
	}
	var b [6]int32
	for i := range b {
		leak = step
		if (s.diff[i] < 0) != (d < 0) {
			leak = -step
		}
		b[i] = clip(leak + s.b[i]*32640>>15)
	}
	s.a, s.b = a, b
	s.signal = [2]int32{signal, s.signal[0]}
	s.partial = [2]int32{partial, s.partial[0]}
	copy(s.diff[1:], s.diff[:5])
	s.diff[0] = d

	s.poles = clip(clip(signal+signal)*s.a[0]>>15 + clip(s.signal[1]+s.signal[1])*s.a[1]>>15)
	s.zeros = 0
	for i := range s.b {
		s.zeros += clip(s.diff[i]+s.diff[i]) * s.b[i] >> 15
	}
	s.zeros = clip(s.zeros)
	s.estimate = clip(s.poles + s.zeros)
}

// newPoles are the coefficients of the poles after a partially reconstructed sample
// (UPPOL1 and UPPOL2).
func (s *band) newPoles(partial int32) [2]int32 {
	first := clip(s.a[0] << 2)
	if (s.partial[0] < 0) == (partial < 0) {
		first = -first
	}
	second := min(first, 32767) >> 7
	if (s.partial[1] < 0) == (partial < 0) {
		second += 128
	} else {
		second -= 128
	}
	second = min(max(second+s.a[1]*32512>>15, -12288), 12288)

	turn := int32(-192)
	if (s.partial[0] < 0) == (partial < 0) {
		turn = 192
	}
	bound := clip(15360 - second)
	return [2]int32{min(max(clip(turn+s.a[0]*32640>>15), -bound), bound), second}
}

// rescale follows the magnitude of a code (blocks 3, LOGSCL and SCALEL).
func (s *band) rescale(multiplier, most, shift int32) {
	s.log = min(max(s.log*127>>7+multiplier, 0), most)
	value, places := antilog[s.log>>6&31], shift-s.log>>11
	if places < 0 {
		s.scale = value << -places << 2
	} else {
		s.scale = value >> places << 2
	}
}

// lower takes a code of the lower band, of 6 bits, of which the predictor uses 4.
func (s *band) lower(code byte) {
	d := s.scale * inverse4[code>>2] >> 15
	s.rescale(multiplierLow[magnitudeLow[code>>2]], 18432, 8)
	s.adapt(d)
}

// higher takes a code of the higher band, of 2 bits, and returns its difference.
func (s *band) higher(code byte) {
	d := s.scale * inverse2[code] >> 15
	s.rescale(multiplierHigh[magnitudeHigh[code]], 22528, 10)
	s.adapt(d)
}

// Encoder is one direction of one call; its caller is one goroutine.
type Encoder struct {
	bands   [2]band
	history [24]int32 // of the filter, oldest first
}

// NewEncoder begins a stream.
func NewEncoder() *Encoder { return &Encoder{bands: newBands()} }

// Encode appends the codes of pcm, mono at 16 kHz and an even number of samples, to
// out: one byte for two samples.
func (e *Encoder) Encode(out []byte, pcm []int16) []byte {
	for i := 0; i+1 < len(pcm); i += 2 {
		copy(e.history[:], e.history[2:])
		e.history[22], e.history[23] = int32(pcm[i]), int32(pcm[i+1])
		var odd, even int32
		for j, c := range mirror {
			odd += e.history[2*j] * c
			even += e.history[2*j+1] * mirror[len(mirror)-1-j]
		}
		lowCode := e.bands[low].codeLow((even + odd) >> 14)
		e.bands[low].lower(lowCode)
		highCode := e.bands[high].codeHigh((even - odd) >> 14)
		e.bands[high].higher(highCode)
		out = append(out, highCode<<6|lowCode)
	}
	return out
}

// codeLow quantises a sample of the lower band (block 1L).
func (s *band) codeLow(x int32) byte {
	d := clip(x - s.estimate)
	size := d
	if d < 0 {
		size = -(d + 1)
	}
	i := 1
	for i < 30 && size >= levels[i]*s.scale>>12 {
		i++
	}
	if d < 0 {
		return codesBelow[i]
	}
	return codesAbove[i]
}

// codeHigh quantises a sample of the higher band (block 1H).
func (s *band) codeHigh(x int32) byte {
	d := clip(x - s.estimate)
	size, small := d, byte(0)
	if d < 0 {
		size = -(d + 1)
	}
	if size < 564*s.scale>>12 {
		small = 1
	}
	if d < 0 {
		return small
	}
	return 2 + small
}

// Decoder is one direction of one call; its caller is one goroutine.
type Decoder struct {
	bands   [2]band
	history [24]int32 // of the filter, oldest first
}

// NewDecoder begins a stream.
func NewDecoder() *Decoder { return &Decoder{bands: newBands()} }

// Decode appends two samples at 16 kHz for each byte of codes to pcm.
func (d *Decoder) Decode(pcm []int16, codes []byte) []int16 {
	for _, code := range codes {
		l, h := &d.bands[low], &d.bands[high]
		lowCode, highCode := code&63, code>>6
		// All six bits are heard, four of them predict (block 5L).
		r := min(max(l.estimate+l.scale*inverse6[lowCode]>>15, -16384), 16383)
		l.lower(lowCode)
		q := min(max(h.estimate+h.scale*inverse2[highCode]>>15, -16384), 16383)
		h.higher(highCode)
		copy(d.history[:], d.history[2:])
		d.history[22], d.history[23] = r+q, r-q
		var first, second int32
		for j, c := range mirror {
			second += d.history[2*j] * c
			first += d.history[2*j+1] * mirror[len(mirror)-1-j]
		}
		pcm = append(pcm, int16(clip(first>>11)), int16(clip(second>>11)))
	}
	return pcm
}
