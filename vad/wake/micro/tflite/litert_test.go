package tflite

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"hearthd/audio"
	"hearthd/vad/wake/micro/feature"
)

// single is a dense or depthwise step whose sums are rounded once, in single
// precision and to even, as XNNPACK does: the kernels of LiteRT on a CPU. The
// sums themselves are computed in the plainest way.
type single struct {
	x, y        []int8
	rows, every int
	weight      func(c, k int) (w int8, at int) // of product k of channel c, and where in the row its input is
	products    int
	out         output
}

func (s *single) run() {
	n := len(s.out.bias)
	for r := range s.rows {
		for c := range n {
			sum := s.out.bias[c]
			for k := range s.products {
				w, at := s.weight(c, k)
				sum += int32(w) * int32(s.x[r*s.every+at])
			}
			m := s.out.scale[c]
			scale := float32(math.Ldexp(float64(m.mant), int(m.left)-int(m.right)-31))
			v := int32(math.RoundToEven(float64(float32(sum) * scale)))
			s.y[r*n+c] = clamp8(v+s.out.zero, s.out.low)
		}
	}
}

// rounded makes a single of a step that is rounded twice.
func rounded(s step) step {
	switch d := s.(type) {
	case *dense:
		return &single{x: d.x, y: d.y, rows: d.rows, every: d.every, products: d.length, out: d.out,
			weight: func(c, k int) (int8, int) {
				word, lane := d.packed[c/group*d.length+k][c%group/lanes], c%lanes
				for range lane {
					word = (word - word<<(64-laneBits)>>(64-laneBits)) >> laneBits
				}
				return int8(word << (64 - laneBits) >> (64 - laneBits)), k
			}}
	case *depthwise:
		n := len(d.sum)
		return &single{x: d.x, y: d.y, rows: d.rows, every: d.every, products: len(d.w) / n, out: d.out,
			weight: func(c, k int) (int8, int) { return d.w[k*n+c], k*n + c }}
	}
	return s
}

// blocks returns what the networks were shown: three rows of features at a time,
// of the clips in the order of their names, then 300 blocks of noise.
func blocks(t *testing.T, dir string) []int8 {
	t.Helper()
	clips, err := filepath.Glob(filepath.Join(dir, "clips", "*.wav"))
	if err != nil || len(clips) == 0 {
		t.Fatalf("no clips in %s: %v", dir, err)
	}
	var out []int8
	e := feature.New()
	for _, p := range clips {
		c, err := audio.ReadWAV(p, audio.WAVOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for pcm := c.Samples; len(pcm) >= feature.Step; pcm = pcm[feature.Step:] {
			if row := e.Push((*[feature.Step]int16)(pcm)); row != nil {
				out = append(out, make([]int8, feature.Bands)...)
				feature.Quantize(out[len(out)-feature.Bands:], row)
			}
		}
	}
	x := uint32(7)
	for range 300 * 3 * feature.Bands {
		x = x*1664525 + 1013904223
		out = append(out, int8(x>>24))
	}
	return out
}

func TestNetworksGiveWhatLiteRTGives(t *testing.T) {
	dir := os.Getenv("HEARTHD_TEST_MODELS")
	if dir == "" {
		t.Skip("HEARTHD_TEST_MODELS names no folder with wake word models")
	}
	dir = filepath.Join(dir, "wake")
	in := blocks(t, dir)
	for _, name := range []string{"okay_nabu", "hey_jarvis", "alexa", "hey_mycroft", "stop"} {
		file, err := os.ReadFile(filepath.Join(dir, name+".tflite"))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("testdata", "litert", name+".u8"))
		if err != nil {
			t.Fatal(err)
		}
		once, twice := mustLoad(t, file), mustLoad(t, file)
		for i, s := range once.steps {
			once.steps[i] = rounded(s)
		}
		n, far := len(once.Input()), 0
		for i, w := range want {
			for _, x := range []*Interpreter{once, twice} {
				copy(x.Input(), in[i*n:])
				x.Invoke()
			}
			if got := uint8(once.Output()[0]); got != w {
				t.Fatalf("%s block %d: %d, want %d", name, i, got, w)
			}
			far = max(far, int(w)-int(uint8(twice.Output()[0])), int(uint8(twice.Output()[0]))-int(w))
		}
		// What the second rounding of the reference kernels makes of it.
		if far > 12 || len(want) != len(in)/n {
			t.Errorf("%s: %d outputs for %d blocks, off by up to %d", name, len(want), len(in)/n, far)
		}
		t.Logf("%s: rounding twice changes the probability by up to %d/255", name, far)
	}
}
