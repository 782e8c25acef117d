package micro

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"hearthd/audio"
	"hearthd/vad/wake"
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
			l.push(&pcm, false)
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

func TestADetectorTellsThatNobodySpokeBeforeAWord(t *testing.T) {
	type part struct {
		rows   int
		silent bool
	}
	cases := []struct {
		name  string
		parts []part
		want  bool
	}{
		{"nothing before", []part{{100, false}}, false},
		{"nothing is known", []part{{500, false}}, false},
		{"silence, and no word", []part{{500, true}}, false},
		{"a click", []part{{300, true}, {9, false}, {40, true}}, false},
		{"a short word", []part{{300, true}, {10, false}, {40, true}}, true},
		{"a word", []part{{300, true}, {100, false}}, true},
		{"a word, and 0.6 s of talk", []part{{300, true}, {160, false}}, false},
		{"for a second and a half", []part{{300, false}, {150, true}, {100, false}}, true},
		{"with a noise in it", []part{{300, true}, {50, false}, {50, true}, {100, false}}, true},
		{"a pause of talk", []part{{300, false}, {149, true}, {100, false}}, false},
		{"long ago", []part{{300, true}, {300, false}}, false},
	}
	for _, c := range cases {
		l := &levels{}
		var pcm [feature.Step]int16
		for _, p := range c.parts {
			for range p.rows {
				l.push(&pcm, p.silent)
			}
		}
		if got := l.paused(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestAWordThatIsNotSureIsHeardIfNobodySpokeBefore(t *testing.T) {
	m, _ := loud(t)
	rng := rand.New(rand.NewPCG(1, 2))
	pcm := make([]int16, 5*audio.Rate)
	const begin = 3 * audio.Rate
	for i := range pcm {
		pcm[i] = int16(rng.IntN(2001) - 1000)
		if i >= begin && i < begin+audio.Rate/25 {
			pcm[i] = int16(rng.IntN(5001) - 2500)
		}
	}
	say := func(cutoff, margin float64, spoken bool, others ...*Model) (highest float32, found []wake.Detection) {
		m.Cutoff, m.Margin = cutoff, margin
		s, err := New(append([]*Model{m}, others...)...)
		if err != nil {
			t.Fatal(err)
		}
		var f audio.Frame
		for at := 0; at+len(f) <= len(pcm); at += len(f) {
			copy(f[:], pcm[at:])
			s.Spoken(spoken || at >= begin-audio.Rate/10)
			found = append(found, s.Push(&f, audio.Position(at))...)
			highest = max(highest, s.Scores(nil)[0])
		}
		return highest, found
	}
	highest, _ := say(1, 0, true)
	if highest < 0.5 {
		t.Fatalf("the sound has a score of %v", highest)
	}
	cutoff := min(1, float64(highest)/0.8)
	if _, found := say(cutoff, 0.01, true); len(found) != 0 {
		t.Errorf("in talk it is heard: %+v", found)
	}
	if _, found := say(cutoff, 0, false); len(found) != 0 {
		t.Errorf("below a cutoff that the user has set it is heard: %+v", found)
	}
	_, found := say(cutoff, 0.01, false)
	if len(found) != 1 || math.Abs(float64(found[0].Score-highest)) > 0.01 || found[0].Position < begin ||
		found[0].Position > begin+audio.Rate/4 {
		t.Errorf("after a pause: %+v, want one near %d with %v", found, begin, highest)
	}
	clear := *m
	clear.Name, clear.Cutoff, clear.Margin = "another", float64(highest)/2, 0
	if _, found := say(cutoff, 0.01, false, &clear); len(found) != 1 || found[0].Name != clear.Name {
		t.Errorf("beside a clear word: %+v", found)
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
