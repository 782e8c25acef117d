package feature

import (
	"encoding/binary"
	"os"
	"testing"
)

// signal is what the library was fed for testdata/rows.u16: nine sections of
// 4,000 samples, in integers only.
func signal() []int16 {
	const section = 4000
	var out []int16
	x := uint32(1)
	noise := func() int16 {
		x = x*1664525 + 1013904223
		return int16(x >> 16)
	}
	triangle := func(phase uint32) int32 { // ±16384
		p := int32(phase & 0xffff)
		return min(p, 0x10000-p) - 16384
	}
	sections := []func(i int) int16{
		func(int) int16 { return noise() >> 2 },
		func(int) int16 { return 0 },
		func(int) int16 { return noise() >> 12 },
		func(int) int16 { return noise() },
		func(i int) int16 { return int16(-32768 + 65535*(i/37%2)) },
		func(i int) int16 { return int16(triangle(uint32(i * i * 4))) },
		func(int) int16 { return -32768 },
		func(i int) int16 { return int16(triangle(uint32(i*4100)) >> (8 - i/500)) },
		func(i int) int16 { return noise() >> (15 - i/250) },
	}
	for _, f := range sections {
		for i := range section {
			out = append(out, f(i))
		}
	}
	return out
}

func TestRowsAreThoseOfTheLibraryToTheBit(t *testing.T) {
	want, err := os.ReadFile("testdata/rows.u16")
	if err != nil {
		t.Fatal(err)
	}
	e := New()
	rows := 0
	for pcm := signal(); len(pcm) >= Step; pcm = pcm[Step:] {
		row := e.Push((*[Step]int16)(pcm))
		if row == nil {
			continue
		}
		for i, v := range row {
			if w := binary.LittleEndian.Uint16(want[2*(rows*Bands+i):]); v != w {
				t.Fatalf("row %d band %d: %d, want %d", rows, i, v, w)
			}
		}
		rows++
	}
	if rows != len(want)/2/Bands || rows < 200 {
		t.Errorf("%d rows, want %d", rows, len(want)/2/Bands)
	}
}

func TestResetForgetsTheStream(t *testing.T) {
	pcm := signal()
	e, fresh := New(), New()
	for i := 0; i < 100*Step; i += Step {
		e.Push((*[Step]int16)(pcm[i:]))
	}
	e.Reset()
	for i := 0; i < 20*Step; i += Step {
		a, b := e.Push((*[Step]int16)(pcm[i:])), fresh.Push((*[Step]int16)(pcm[i:]))
		if (a == nil) != (b == nil) || a != nil && *a != *b {
			t.Fatalf("step %d: %v, want %v", i/Step, a, b)
		}
	}
}

func TestQuantizeSpansTheRangeOfTraining(t *testing.T) {
	var row [Bands]uint16
	row[1], row[2], row[3], row[4] = 333, 666, 65535, 1
	dst := make([]int8, Bands)
	Quantize(dst, &row)
	for i, want := range []int8{-128, 0, 127, 127, -128} {
		if dst[i] != want {
			t.Errorf("%d becomes %d, want %d", row[i], dst[i], want)
		}
	}
}

func TestRootRoundsToTheNearest(t *testing.T) {
	for _, c := range []struct {
		n    uint64
		want uint32
	}{{0, 0}, {1, 1}, {2, 1}, {3, 2}, {6, 2}, {7, 3}, {1<<32 - 1, 0xffff}, {1 << 32, 0x10000},
		{0xffff*0xffff + 0xffff, 0xffff}, {1<<64 - 1, 1<<32 - 1}, {1 << 62, 1 << 31}} {
		if got := root(c.n); got != c.want {
			t.Errorf("root of %d: %d, want %d", c.n, got, c.want)
		}
	}
}

func TestPushAllocatesNothing(t *testing.T) {
	e, pcm := New(), signal()
	if n := testing.AllocsPerRun(100, func() { e.Push((*[Step]int16)(pcm)) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkSecond is a second of audio: 100 rows.
func BenchmarkSecond(b *testing.B) {
	e, pcm := New(), signal()
	for b.Loop() {
		for i := range 100 {
			e.Push((*[Step]int16)(pcm[i*Step:]))
		}
	}
}
