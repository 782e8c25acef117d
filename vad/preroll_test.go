package vad

import (
	"slices"
	"testing"
	"time"

	"hearthd/audio"
)

func TestPreRollGivesBackTheFramesSinceAPosition(t *testing.T) {
	p, err := newPreRoll(60 * time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	var got []audio.Position
	each := func(since audio.Position) []audio.Position {
		got = got[:0]
		p.each(since, func(f *audio.Frame, at audio.Position) {
			if audio.Position(f[0]) != at/audio.FrameSamples {
				t.Errorf("frame at %d holds %d", at, f[0])
			}
			got = append(got, at)
		})
		return got
	}
	if g := each(0); len(g) != 0 {
		t.Errorf("an empty ring gave %v", g)
	}
	for i := range audio.Position(10) {
		p.Push(&audio.Frame{int16(i)}, i*audio.FrameSamples)
	}
	if g := each(0); !slices.Equal(g, []audio.Position{1920, 2240, 2560, 2880}) {
		t.Errorf("the whole ring is %v", g)
	}
	if g := each(2300); !slices.Equal(g, []audio.Position{2240, 2560, 2880}) {
		t.Errorf("since 2300: %v", g)
	}
	p.Reset()
	if g := each(0); len(g) != 0 {
		t.Errorf("a reset ring gave %v", g)
	}
}

func TestPreRollBoundsItsMemory(t *testing.T) {
	for _, d := range []time.Duration{-1, time.Hour} {
		if _, err := newPreRoll(d); err == nil {
			t.Errorf("%v: no error", d)
		}
	}
}
