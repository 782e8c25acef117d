package prints

import (
	"math"

	"hearthd/audio"
	"hearthd/llm/wyoming"
	"hearthd/memory"
)

// margin is by how much the cosine to the nearest person has to exceed that to the second: a tenth of the way from
// unlike to alike.
const margin = 0.1

// nearest is the person whom a print is of, or empty, and the cosines to the two who are nearest. Prints of other
// models say nothing.
func nearest(heard wyoming.Print, known []memory.VoicePrint) (who string, best, second float64) {
	means := make(map[string][]float32)
	for _, k := range known {
		if k.Model != heard.Model || len(k.Print) != len(heard.Print) {
			continue
		}
		if means[k.Person] == nil {
			means[k.Person] = make([]float32, len(k.Print))
		}
		for i, v := range k.Print {
			means[k.Person][i] += v
		}
	}
	best, second = -1, -1
	for person, mean := range means {
		if !normalise(mean) {
			continue
		}
		switch c := cosine(mean, heard.Print); {
		case c > best:
			who, best, second = person, c, best
		case c > second:
			second = c
		}
	}
	if best < heard.Likely || best-second < margin {
		who = ""
	}
	return who, best, second
}

// cosine is that of two vectors of length 1.
func cosine(a, b []float32) (c float64) {
	for i := range a {
		c += float64(a[i]) * float64(b[i])
	}
	return c
}

// normalise makes the length of v 1. It reports false where v has none.
func normalise(v []float32) bool {
	length := math.Sqrt(cosine(v, v))
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return false
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
	return true
}

// quiet is how far below its loudest 20 ms a voice is not heard any more, as power: 30 dB.
const quiet = 1e-3

// voiced are the samples without the pauses, up to longest.
func voiced(samples []int16) []int16 {
	power := func(f []int16) (p float64) {
		for _, s := range f {
			p += float64(s) * float64(s)
		}
		return p
	}
	loudest := 0.0
	for at := 0; at+audio.FrameSamples <= len(samples); at += audio.FrameSamples {
		loudest = max(loudest, power(samples[at:at+audio.FrameSamples]))
	}
	var out []int16
	for at := 0; at+audio.FrameSamples <= len(samples) && len(out) < longest; at += audio.FrameSamples {
		if f := samples[at : at+audio.FrameSamples]; loudest > 0 && power(f) >= quiet*loudest {
			out = append(out, f...)
		}
	}
	return out
}
