package fourier

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
)

func TestTransformIsTheSumOfItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 4; n <= 1024; n *= 2 {
		r, err := NewReal(n)
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float32, n)
		for i := range x {
			x[i] = rng.Float32()*2 - 1
		}
		got := make([]complex64, r.Bins())
		r.Transform(got, x)
		for k := range got {
			var want complex128
			for i, v := range x {
				want += complex(float64(v), 0) * cmplx.Rect(1, -2*math.Pi*float64(i*k%n)/float64(n))
			}
			if d := cmplx.Abs(complex128(got[k]) - want); d > 1e-6*float64(n) {
				t.Fatalf("n %d bin %d: %v, want %v", n, k, got[k], want)
			}
		}
	}
}

func TestLengthsThatAreNoPowerOfTwoAreRefused(t *testing.T) {
	for _, n := range []int{-4, 0, 1, 2, 3, 6, 400, 1 << 17} {
		if _, err := NewReal(n); err == nil {
			t.Errorf("a transform of %d samples was made", n)
		}
	}
}

func TestTransformAllocatesNothing(t *testing.T) {
	r, err := NewReal(512)
	if err != nil {
		t.Fatal(err)
	}
	x, dst := make([]float32, 512), make([]complex64, r.Bins())
	if n := testing.AllocsPerRun(10, func() { r.Transform(dst, x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkTransform512(b *testing.B) {
	r, err := NewReal(512)
	if err != nil {
		b.Fatal(err)
	}
	x, dst := make([]float32, 512), make([]complex64, r.Bins())
	for b.Loop() {
		r.Transform(dst, x)
	}
}
