package silero

import (
	"encoding/binary"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hearthd/vad"
)

var _ vad.Detector = (*Detector)(nil)

var signalTo = flag.String("signal", "", "write the test signal to this file, for testdata/golden.mjs")

// real16k opens the model file, which is not in the repository.
func real16k(tb testing.TB) *Detector {
	tb.Helper()
	dir := os.Getenv("HEARTHD_TEST_MODELS")
	if dir == "" {
		tb.Skip("HEARTHD_TEST_MODELS does not name a folder with silero_vad_16k_op15.onnx")
	}
	d, err := Open(filepath.Join(dir, "silero_vad_16k_op15.onnx"))
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

func TestGoldenProbabilitiesOfOnnxruntimeAreMatched(t *testing.T) {
	signal := testSignal()
	if *signalTo != "" {
		var raw []byte
		for _, v := range signal {
			raw = binary.LittleEndian.AppendUint16(raw, uint16(v))
		}
		if err := os.WriteFile(*signalTo, raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d := real16k(t)
	golden, err := os.ReadFile("testdata/golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(golden))
	if len(lines) != testChunks {
		t.Fatalf("%d golden values for %d chunks", len(lines), testChunks)
	}
	worst := 0.0
	for i, line := range lines {
		want, err := strconv.ParseFloat(line, 64)
		if err != nil {
			t.Fatal(err)
		}
		got := float64(d.Probability(signal[i*chunk:][:chunk]))
		worst = max(worst, math.Abs(got-want))
		if math.Abs(got-want) > 1e-4 {
			t.Errorf("chunk %d: %.6f, onnxruntime says %.6f", i, got, want)
		}
	}
	t.Logf("largest difference %.1e", worst)
}

func TestResetForgetsTheStream(t *testing.T) {
	d := real16k(t)
	signal := testSignal()
	run := func() (p []float32) {
		for i := 100; i < 140; i++ {
			p = append(p, d.Probability(signal[i*chunk:][:chunk]))
		}
		return p
	}
	first := run()
	d.Reset()
	for i, p := range run() {
		if p != first[i] {
			t.Fatalf("chunk %d: %v after Reset, %v at first", i, p, first[i])
		}
	}
}

func TestProbabilityAllocatesNothing(t *testing.T) {
	d := handmade(t)
	x := testSignal()[:chunk]
	if n := testing.AllocsPerRun(5, func() { d.Probability(x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkProbability(b *testing.B) {
	d := real16k(b)
	signal := testSignal()
	i := 0
	for b.Loop() {
		d.Probability(signal[i*chunk:][:chunk])
		i = (i + 1) % testChunks
	}
}
