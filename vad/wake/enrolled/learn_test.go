package enrolled

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"hearthd/audio"
)

func TestLearnTellsWhatIsWrongWithARecording(t *testing.T) {
	good := chant(voices[0], madeUp...)
	scale := func(x []int16, by float64) []int16 {
		y := make([]int16, len(x))
		for i, v := range x {
			y[i] = int16(max(-32768, min(32767, by*float64(v))))
		}
		return y
	}
	for _, tc := range []struct {
		name string
		x    []int16
		want Problem
	}{
		{"good", chant(voices[1], madeUp...), Good},
		{"nothing", nil, TooShort},
		{"a syllable", chant(voices[0], 0), TooShort},
		{"a speech", chant(voices[0], 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2), TooLong},
		{"a minute", make([]int16, 60*audio.Rate), TooLong},
		{"silence", make([]int16, 2*audio.Rate), TooQuiet},
		{"a whisper", scale(good, 0.01), TooQuiet},
		{"overload", scale(good, 30), Clipped},
		{"no lead", good[audio.Rate/2:], Cut},
		{"no end", good[:len(good)-audio.Rate/2], Cut},
		{"a tap", hiss(good, 0.4*rms(good), 1), Noisy},
		{"another word", chant(voices[0], other...), Different},
	} {
		_, a, err := Learn("a", [][]int16{good, tc.x, chant(voices[2], madeUp...)})
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if c := a.Checks[1]; c.Problem != tc.want {
			t.Errorf("%s: %+v, want %q", tc.name, c, tc.want)
		}
		if want := 2; tc.want != Good && a.Good != want {
			t.Errorf("%s: %d good recordings, want %d", tc.name, a.Good, want)
		}
	}
}

func TestAgreementMeasuresTheRecordings(t *testing.T) {
	_, a, err := Learn("a", [][]int16{chant(voices[0], madeUp...), chant(voices[1], madeUp...)})
	if err != nil {
		t.Fatal(err)
	}
	if a.Good != 2 || a.Spread <= 0 || a.Spread > 0.4 {
		t.Errorf("%d good, spread %v", a.Good, a.Spread)
	}
	for i, c := range a.Checks {
		want := time.Duration(720*voices[i].stretch) * time.Millisecond
		if (c.Speech-want).Abs() > 60*time.Millisecond || c.Level > -10 || c.Level < -40 || c.Noise > -60 {
			t.Errorf("%+v, want %v of speech", c, want)
		}
	}
}

func TestRecordingsOfDifferentWordsDoNotAgree(t *testing.T) {
	_, a, err := Learn("a", [][]int16{chant(voices[0], madeUp...), chant(voices[0], other...)})
	if !errors.Is(err, ErrDisagree) {
		t.Fatalf("got %v", err)
	}
	for _, c := range a.Checks {
		if c.Problem != Different || c.Distance < maxSpread {
			t.Errorf("%+v", c)
		}
	}
}

// A word is what most recordings are alike in; two words by turns make none of four.
func TestRecordingsOfTwoWordsByTurnsTeachOnlyOne(t *testing.T) {
	word := func(i int, vowels ...int) []int16 { return chant(voices[i], vowels...) }
	for name, list := range map[string][][]int16{
		"two and two": {word(0, madeUp...), word(0, other...), word(1, madeUp...), word(1, other...)},
		"three and two": {word(0, other...), word(0, madeUp...), word(1, other...), word(1, madeUp...),
			word(2, other...)},
	} {
		learnt, a, err := Learn("a", list)
		if err != nil {
			t.Fatal(err)
		}
		want := (len(list) + 1) / 2
		if a.Good != want || len(learnt.recordings) != want {
			t.Errorf("%s: %d good recordings, want %d: %+v", name, a.Good, want, a.Checks)
		}
		for i, c := range a.Checks {
			if same := i%2 == 0; len(list) == 5 && (c.Problem == Good) != same {
				t.Errorf("%s: recording %d: %+v", name, i, c)
			}
		}
	}
}

func TestLearnRefusesBadNamesAndNumbers(t *testing.T) {
	good := chant(voices[0], madeUp...)
	for _, name := range []string{"", "a\nb", strings.Repeat("n", maxName+1), "\xff"} {
		if _, _, err := Learn(name, [][]int16{good, good}); err == nil {
			t.Errorf("the name %q was taken", name)
		}
	}
	for _, n := range []int{0, 1, maxRecordings + 1} {
		if _, _, err := Learn("a", slices.Repeat([][]int16{good}, n)); err == nil || errors.Is(err, ErrDisagree) {
			t.Errorf("%d recordings: %v", n, err)
		}
	}
}
