package fourier

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
)

// lengths are of every radix, alone and mixed: 400 and 640 are frames with their
// overlap, 16000 is what the canceller searches for delays.
var lengths = []int{4, 8, 10, 16, 20, 32, 40, 50, 64, 160, 256, 320, 400, 512, 640, 1600}

func newReal(t testing.TB, n int) *Real {
	t.Helper()
	r, err := NewReal(n)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTransformIsTheSumOfItsDefinitionForthAndBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range lengths {
		r := newReal(t, n)
		x, back, got := make([]float32, n), make([]float32, n), make([]complex64, r.n/2+1)
		for i := range x {
			x[i] = rng.Float32()*2 - 1
		}
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
		r.Inverse(back, got)
		for i := range x {
			if d := back[i] - x[i]; d > 1e-5 || d < -1e-5 {
				t.Fatalf("n %d sample %d: %v came back as %v", n, i, x[i], back[i])
			}
		}
	}
}

func TestLengthsThatAreNotMadeOfTwosAndFivesAreRefused(t *testing.T) {
	for _, n := range []int{-4, 0, 1, 2, 3, 5, 6, 25, 14, 480, 1 << 17} {
		if _, err := NewReal(n); err == nil {
			t.Errorf("a transform of %d samples was made", n)
		}
	}
}

func TestTransformsAllocateNothing(t *testing.T) {
	for _, n := range []int{512, 640} {
		r := newReal(t, n)
		x, dst := make([]float32, n), make([]complex64, r.n/2+1)
		if a := testing.AllocsPerRun(10, func() { r.Transform(dst, x); r.Inverse(x, dst) }); a != 0 {
			t.Errorf("%d samples: %v allocations", n, a)
		}
	}
}

func BenchmarkTransform(b *testing.B) {
	for _, n := range []int{256, 512, 640, 16000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := newReal(b, n)
			x, dst := make([]float32, n), make([]complex64, r.n/2+1)
			for i := range x {
				x[i] = float32(i % 17)
			}
			for b.Loop() {
				r.Transform(dst, x)
			}
		})
	}
}
