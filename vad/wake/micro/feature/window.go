package feature

import "math"

const windowBits = 12

// newWindow is a Hann window whose zeros lie half a sample outside, computed in
// the precision of window_util.c.
func newWindow() (w [Window]int16) {
	arg := float32(math.Pi * 2 / Window)
	for i := range w {
		v := float32(0.5 - 0.5*math.Cos(float64(arg)*(float64(i)+0.5)))
		w[i] = int16(math.Floor(float64(v*(1<<windowBits)) + 0.5))
	}
	return w
}

// applyWindow writes the windowed samples to dst and returns the largest
// magnitude, except that -32768 does not count, as in window.c.
func applyWindow(dst []int16, pcm, window *[Window]int16) (peak int16) {
	dst = dst[:Window]
	for i, s := range pcm {
		v := int16(int32(s) * int32(window[i]) >> windowBits)
		dst[i] = v
		peak = max(peak, v, -v)
	}
	return peak
}
