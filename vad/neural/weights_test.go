package neural

import (
	"math"
	"strings"
	"testing"
)

func TestLoadRefusesWhatIsNoDetectorAndSaysWhatItWanted(t *testing.T) {
	other := []byte(embedded)
	other[8]++ // hidden
	broken := []byte(embedded)
	broken[100] ^= 1
	for name, c := range map[string]struct{ file, want string }{
		"nothing":       {"", `begins with "hvad"`},
		"foreign":       {strings.Repeat("RIFF", 100), `begins with "hvad"`},
		"header only":   {embedded[:header], "bytes, want"},
		"cut off":       {embedded[:len(embedded)-1], "bytes, want"},
		"too long":      {embedded + "x", "bytes, want"},
		"another shape": {string(other), "version, inputs, hidden, layers"},
		"bit flipped":   {string(broken), "checksum"},
	} {
		if _, err := load(c.file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", name, err, c.want)
		}
	}
}

func TestWeightsFitTheirBudget(t *testing.T) {
	if len(embedded) > 256<<10 { // what the issue allows in the binary
		t.Errorf("weights have %d bytes", len(embedded))
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(embedded))
	f.Add([]byte(embedded[:200]))
	f.Add([]byte("hvad"))
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := load(string(b))
		if err != nil || string(b) != embedded { // another file with a right checksum may hold any numbers
			return
		}
		for range 3 {
			if p := n.run(); !(p >= 0 && p <= 1) {
				t.Fatalf("probability %v", p)
			}
		}
	})
}

func TestApproximationsAreClose(t *testing.T) {
	for x := -9.0; x < 9; x += 1e-3 {
		if d := math.Abs(float64(tanh(float32(x))) - math.Tanh(x)); d > 2e-5 {
			t.Fatalf("tanh(%v) is off by %v", x, d)
		}
	}
	for x := float32(1e-8); x < 1e6; x *= 1.01 {
		if d := math.Abs(float64(log(x)) - math.Log(float64(x))); d > 3e-6 {
			t.Fatalf("log(%v) is off by %v", x, d)
		}
	}
}
