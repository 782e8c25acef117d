package aec

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
)

func TestTransformIsTheSumOfItsDefinitionForthAndBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{4, 8, 20, 40, 160, 320, 640, 1600} {
		tr := newTransform(n)
		x, back, got := make([]float32, n), make([]float32, n), make([]complex64, n/2+1)
		for i := range x {
			x[i] = rng.Float32()*2 - 1
		}
		tr.forward(got, x)
		for k := range got {
			var want complex128
			for i, v := range x {
				want += complex(float64(v), 0) * cmplx.Rect(1, -2*math.Pi*float64(i*k%n)/float64(n))
			}
			if d := cmplx.Abs(complex128(got[k]) - want); d > 1e-6*float64(n) {
				t.Fatalf("n %d bin %d: %v, want %v", n, k, got[k], want)
			}
		}
		tr.inverse(back, got)
		for i := range x {
			if d := back[i] - x[i]; d > 1e-5 || d < -1e-5 {
				t.Fatalf("n %d sample %d: %v came back as %v", n, i, x[i], back[i])
			}
		}
	}
}

func BenchmarkTransform640(b *testing.B) {
	tr := newTransform(640)
	x, dst := make([]float32, 640), make([]complex64, 321)
	for i := range x {
		x[i] = float32(i % 17)
	}
	for b.Loop() {
		tr.forward(dst, x)
	}
}
