package aec

import "math"

// intelligibility is how well x keeps the words of the speech in ref, about 0.4
// (nothing) to 1: the short-time objective intelligibility of Taal, Hendriks,
// Heusdens and Jensen (2011), with frames of 25 ms at 16 kHz instead of 25.6 ms
// at 10 kHz. Both are as long; frames 40 dB below the loudest of ref do not count.
func intelligibility(ref, x []float64) float64 {
	const segment = 30 // frames, 384 ms
	a, b := envelopes(ref), envelopes(x)
	loudest := 0.0
	for _, f := range a {
		loudest = math.Max(loudest, f[thirds])
	}
	var ra, rb [][thirds + 1]float64
	for i, f := range a {
		if f[thirds] > loudest*1e-4 {
			ra, rb = append(ra, f), append(rb, b[i])
		}
	}
	sum, n := 0.0, 0
	for at := 0; at+segment <= len(ra); at++ {
		for band := range thirds {
			sum += likeness(ra[at:at+segment], rb[at:at+segment], band)
			n++
		}
	}
	return sum / float64(n)
}

// likeness is the correlation of two envelopes, the second one scaled to the
// first and not allowed to be more than 15 dB off.
func likeness(a, b [][thirds + 1]float64, band int) float64 {
	var aa, bb float64
	for i := range a {
		aa += a[i][band] * a[i][band]
		bb += b[i][band] * b[i][band]
	}
	scale := math.Sqrt(aa / (bb + 1e-9))
	limit := 1 + math.Pow(10, 15.0/20)
	var sa, sb, xx, yy, xy float64
	n := float64(len(a))
	at := func(i int) (float64, float64) {
		return a[i][band], math.Min(b[i][band]*scale, a[i][band]*limit)
	}
	for i := range a {
		u, v := at(i)
		sa, sb = sa+u, sb+v
	}
	for i := range a {
		u, v := at(i)
		u, v = u-sa/n, v-sb/n
		xx, yy, xy = xx+u*u, yy+v*v, xy+u*v
	}
	return xy / (math.Sqrt(xx*yy) + 1e-9)
}

const thirds = 15 // of an octave, from 150 Hz

// envelopes are the third-octave levels of x every 12.5 ms, and the power of all.
func envelopes(x []float64) [][thirds + 1]float64 {
	const length, step = 400, 200
	t := newTransform(length)
	buf, spec := make([]float32, length), make([]complex64, length/2+1)
	var list [][thirds + 1]float64
	for at := 0; at+length <= len(x); at += step {
		for i := range buf {
			w := math.Sin(math.Pi * (float64(i) + 0.5) / length)
			buf[i] = float32(x[at+i] * w * w)
		}
		t.Transform(spec, buf)
		var f [thirds + 1]float64
		for k, v := range spec {
			p := float64(real(v)*real(v) + imag(v)*imag(v))
			f[thirds] += p
			hz := float64(k) * 16000 / length
			band := int(math.Floor(3*math.Log2(math.Max(hz, 1)/150) + 0.5))
			if band >= 0 && band < thirds {
				f[band] += p
			}
		}
		for i := range thirds {
			f[i] = math.Sqrt(f[i])
		}
		list = append(list, f)
	}
	return list
}
