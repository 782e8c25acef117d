package micro

import (
	"math"
	"strings"
	"testing"

	"hearthd/vad/wake/micro/feature"
)

// step is rows of a square wave of one level in dB.
type step struct {
	rows  int
	level float64
}

func heard(steps ...step) *levels {
	l := &levels{}
	for _, s := range steps {
		var pcm [feature.Step]int16
		for i := range pcm {
			pcm[i] = int16(math.Round(math.Pow(10, s.level/20))) * int16(1-2*(i&1))
		}
		for range s.rows {
			l.push(&pcm)
		}
	}
	return l
}

func TestAWordFollowsAPauseIfItStandsTenDecibelsOut(t *testing.T) {
	cases := []struct {
		name  string
		steps []step
		want  bool
	}{
		{"nothing before", []step{{100, 60}}, true},
		{"too little before", []step{{34, 60}, {100, 60}}, true},
		{"little before", []step{{35, 60}, {100, 60}}, false},
		{"talk", []step{{500, 60}}, false},
		{"12 dB above", []step{{300, 48}, {60, 60}, {20, 48}}, true},
		{"8 dB above", []step{{300, 52}, {60, 60}, {20, 52}}, false},
		{"a word of 100 ms", []step{{300, 40}, {10, 60}, {50, 40}}, true},
		{"a click", []step{{300, 52}, {3, 62}, {50, 52}}, false},
		{"talk before a short pause", []step{{300, 60}, {20, 30}, {60, 60}}, false},
		{"talk before a long pause", []step{{300, 60}, {120, 30}, {60, 60}}, true},
		{"digital silence", []step{{300, -100}, {60, 60}}, true},
	}
	for _, c := range cases {
		if got := heard(c.steps...).afterPause(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestAMarginLeavesACutoff(t *testing.T) {
	for _, margin := range []float64{-0.1, 0.5, math.NaN()} {
		_, err := New(&Model{Name: "a", Cutoff: 0.5, Margin: margin, Window: 5})
		if err == nil || !strings.Contains(err.Error(), "less than the cutoff") {
			t.Errorf("%v: %v", margin, err)
		}
	}
}

func TestFloatsAreScaledLikeBytes(t *testing.T) {
	for i := range 256 {
		b := int8(uint8(i))
		if got := in255(nil, []float32{float32(i) / 256}); got != in255([]int8{b}, nil) || int(got) != i {
			t.Errorf("%d/256 becomes %d", i, got)
		}
	}
	for v, want := range map[float32]uint8{-1: 0, 1: 255, 1e9: 255} {
		if got := in255(nil, []float32{v}); got != want {
			t.Errorf("%v becomes %d, want %d", v, got, want)
		}
	}
}
