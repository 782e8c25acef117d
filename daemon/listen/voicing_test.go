package listen

import (
	"math"
	"math/rand/v2"
	"testing"

	"hearthd/audio"
)

// pulses are what a throat makes: a short resonance, hz times a second.
func pulses(hz float64) func(i int) float64 {
	return func(i int) float64 {
		_, phase := math.Modf(float64(i) * hz / audio.Rate)
		t := phase / hz
		return 6000 * math.Exp(-t/0.003) * math.Sin(2*math.Pi*700*t)
	}
}

// crackles are resonances that begin at any time, over a hiss.
func crackles(r *rand.Rand) func(i int) float64 {
	since, size, hz := 0, 0.0, 0.0
	return func(int) float64 {
		if since++; r.IntN(50) == 0 {
			since, size, hz = 0, 8000*math.Pow(r.Float64(), 4), 1500+3000*r.Float64()
		}
		t := float64(since) / audio.Rate
		return 100*r.NormFloat64() + size*math.Exp(-t/0.001)*math.Sin(2*math.Pi*hz*t)
	}
}

func hiss(r *rand.Rand) func(i int) float64 {
	return func(int) float64 { return 300 * r.NormFloat64() }
}

// framesOf is a sound as frames.
func framesOf(sound func(i int) float64, n int) []audio.Frame {
	list := make([]audio.Frame, n)
	for i := range n * audio.FrameSamples {
		list[i/audio.FrameSamples][i%audio.FrameSamples] = int16(sound(i))
	}
	return list
}

func TestVoicesArePeriodicAndNoisesAreNot(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, c := range []struct {
		name  string
		sound func(i int) float64
		least float32 // share of frames that count as voiced
		most  float32
	}{
		{name: "deep voice", sound: pulses(85), least: 1, most: 1},
		{name: "man", sound: pulses(121), least: 1, most: 1},
		{name: "woman", sound: pulses(213), least: 1, most: 1},
		{name: "child", sound: pulses(390), least: 1, most: 1},
		{name: "hiss", sound: hiss(r), most: 0.01},
		{name: "crackling", sound: crackles(r), most: 0.02},
		{name: "mains", sound: func(i int) float64 { return 3000 * math.Sin(2*math.Pi*50*float64(i)/audio.Rate) }},
		{name: "offset", sound: func(i int) float64 { return 3000 + 100*r.NormFloat64() }, most: 0.01},
		{name: "silence", sound: func(int) float64 { return 0 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var v voicing
			list, n := framesOf(c.sound, 300), 0
			for i := range list {
				v.push(&list[i])
				rate := v.rate()
				if !(rate >= 0 && rate <= 1) {
					t.Fatalf("frame %d: %v", i, rate)
				}
				if i >= 3 && rate >= voicedFrom {
					n++
				}
			}
			if share := float32(n) / float32(len(list)-3); share < c.least || share > c.most {
				t.Errorf("voiced in %.3f of all frames: want %v to %v", share, c.least, c.most)
			}
		})
	}
}

func BenchmarkVoicing(b *testing.B) {
	var v voicing
	list := framesOf(pulses(121), 50)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		v.push(&list[i%len(list)])
		v.rate()
	}
}
