package tflite

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestMultiplierRoundsAsGemmlowp(t *testing.T) {
	text, err := os.ReadFile("testdata/rounding.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(text))
	state := uint32(1)
	next := func() uint32 {
		state = state*1664525 + 1013904223
		return state
	}
	for i, line := range lines {
		want, err := strconv.ParseInt(line, 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		x := int32(next())
		x >>= next() >> 27
		mant := int32(next()>>2 | 1<<30)
		exp := int(next()>>27) - 28
		x >>= max(exp, 0)
		m := shifted(mant, exp)
		if got := m.apply(x); got != int32(want) {
			t.Fatalf("line %d: %d times %d·2^%d is %d, want %d", i+1, x, mant, exp-31, got, want)
		}
	}
	if len(lines) != 1000 {
		t.Errorf("%d lines", len(lines))
	}
}

func TestMultiplierIsTheNearest(t *testing.T) {
	for _, c := range []struct {
		real float64
		x    int32
		want int32
	}{{1, 7, 7}, {0.5, 7, 4}, {0.5, -7, -3}, {0.25, 6, 2}, {3, 5, 15}, {0, 100, 0}, {1e-12, 1 << 30, 0}} {
		m, err := newMultiplier(c.real)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.apply(c.x); got != c.want {
			t.Errorf("%d times %v is %d, want %d", c.x, c.real, got, c.want)
		}
	}
	if _, err := newMultiplier(1 << 31); err == nil {
		t.Error("a multiplier of 2^31 was made")
	}
}
