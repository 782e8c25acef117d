package enrolled

import (
	"slices"
	"testing"

	"hearthd/audio"
	"hearthd/vad/wake"
)

var _ wake.Spotter = (*Spotter)(nil)

func newSpotter(tb testing.TB, templates ...*Template) *Spotter {
	tb.Helper()
	s, err := New(templates...)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// hear pushes x from position at on, and returns what was found.
func hear(s *Spotter, at audio.Position, x ...[]int16) []wake.Detection {
	var found []wake.Detection
	for _, f := range cutFrames(slices.Concat(x...)) {
		found = append(found, s.Push(f, at)...)
		at += audio.FrameSamples
	}
	return found
}

func TestEnrolledWordIsFoundAtItsEnd(t *testing.T) {
	s := newSpotter(t, enrol(t, "hey hearth", madeUp...), enrol(t, "other", other...))
	word := chant(voice{112, 1.1}, madeUp...)
	found := hear(s, 0, silence(), word, silence())
	if len(found) != 1 || found[0].Name != "hey hearth" {
		t.Fatalf("found %v, want hey hearth once", found)
	}
	end := audio.Position(audio.Rate + len(word) - audio.Rate/2)
	if d := (found[0].Position - end).Duration(); d.Abs().Milliseconds() > 60 {
		t.Errorf("its end is off by %v", d)
	}
	if found[0].Score < 0.6 || found[0].Score > 1 {
		t.Errorf("score %v", found[0].Score)
	}
}

func TestOtherWordsAreNotFound(t *testing.T) {
	s := newSpotter(t, enrol(t, "hey hearth", madeUp...))
	for _, vowels := range [][]int{other, {0, 1}, {0, 1, 0, 1}, {4, 2, 1, 0}, {2, 4, 0, 1}, {3, 3, 3, 3}} {
		if found := hear(s, 0, silence(), chant(voice{110, 1}, vowels...), silence()); found != nil {
			t.Errorf("%v was found in %v", found, vowels)
		}
	}
}

func TestWordRestsAfterItWasFound(t *testing.T) {
	s := newSpotter(t, enrol(t, "a", madeUp...), enrol(t, "a", madeUp...))
	word := chant(voice{110, 1}, madeUp...)
	spoken := word[audio.Rate/2 : len(word)-audio.Rate/4]
	found := hear(s, 0, silence(), spoken, spoken[:len(spoken)/audio.FrameSamples*audio.FrameSamples], silence(),
		silence(), word)
	if len(found) != 2 {
		t.Fatalf("found %v, want the first and the last of three", found)
	}
}

func TestWordIsFoundAfterTheStreamHasJumped(t *testing.T) {
	s := newSpotter(t, enrol(t, "a", madeUp...))
	word := chant(voice{110, 1}, madeUp...)
	hear(s, 0, silence(), word[:len(word)/2])
	if found := hear(s, 1<<40, silence(), word); len(found) != 1 || found[0].Position < 1<<40 {
		t.Errorf("found %v", found)
	}
	if found := hear(s, 0, silence(), word); len(found) != 1 {
		t.Errorf("found %v after a step back", found)
	}
	s.Reset()
	if found := hear(s, 0, silence(), word); len(found) != 1 {
		t.Errorf("found %v after Reset", found)
	}
}

// speakers of flite with 16 kHz, and the pitch that they have of themselves.
var speakers = map[string]float64{"slt": 190, "rms": 110, "awb": 130}

// TestWordsOfSynthesisersAreFound enrols each voice with three recordings and
// listens to six others of the same voice, faster, slower, higher and lower.
func TestWordsOfSynthesisersAreFound(t *testing.T) {
	ways := []voice{{1, 1}, {1.08, 1.03}, {0.94, 0.95}, // enrolled
		{1.05, 0.85}, {0.95, 1.2}, {1.15, 1.1}, {0.9, 0.9}, {1, 1.08}, {1.1, 0.97}}
	sentences := []string{"Set a timer for ten minutes for the pasta.", "Add two litres of milk to the shopping list.",
		"Play some music in the kitchen, and turn the heating down.", "He hears the earth, and hardly any other thing."}
	for speaker, pitch := range speakers {
		var said [][]int16
		for _, w := range ways {
			said = append(said, say(t, speaker, "hey computer.", w.stretch, pitch*w.pitch))
		}
		template, a, err := Learn("hey computer", said[:3])
		if err != nil {
			t.Fatalf("%s: %v: %+v", speaker, err, a)
		}
		for _, noise := range []struct {
			name   string
			below  float64 // RMS of the noise against that of speech
			misses int
		}{{"quiet", 0, 0}, {"20 dB", 0.1, 0}, {"15 dB", 0.18, 0}, {"10 dB", 0.32, 2}} {
			s := newSpotter(t, template)
			missed := 0
			for i, x := range said[3:] {
				s.Reset()
				if found := hear(s, 0, hiss(slices.Concat(silence(), x), noise.below*rms(x),
					uint64(i))); len(found) != 1 {
					missed++
				}
			}
			if missed > noise.misses {
				t.Errorf("%s, %s: %d of 6 missed, want at most %d", speaker, noise.name, missed, noise.misses)
			}
			s.Reset()
			for i, text := range sentences {
				x := say(t, speaker, text, 1, pitch)
				if found := hear(s, 0, hiss(x, noise.below*rms(x), uint64(i))); found != nil {
					t.Errorf("%s, %s: found in %q", speaker, noise.name, text)
				}
			}
		}
	}
}

func TestPushAllocatesNothing(t *testing.T) {
	s := newSpotter(t, enrol(t, "a", madeUp...))
	frames := cutFrames(slices.Concat(silence(), chant(voice{110, 1}, madeUp...), silence(), silence()))
	found := 0
	n := testing.AllocsPerRun(3, func() {
		for i, f := range frames {
			found += len(s.Push(f, audio.Position(i*audio.FrameSamples)))
		}
	})
	if n != 0 || found == 0 {
		t.Errorf("%v allocations in a stream where %d words were found", n, found)
	}
}

func TestNoTemplateOrTooManyAreRefused(t *testing.T) {
	word := enrol(t, "a", madeUp...)
	for _, templates := range [][]*Template{nil, {nil}, {word, nil},
		slices.Repeat([]*Template{word}, wake.MaxWords+1)} {
		if _, err := New(templates...); err == nil {
			t.Errorf("a spotter of %d templates was made", len(templates))
		}
	}
}

// BenchmarkSecond is a second of audio with two words.
func BenchmarkSecond(b *testing.B) {
	for name, x := range map[string][]int16{
		"quiet":  silence(),
		"speech": chant(voice{120, 1}, other...)[audio.Rate/2:][:audio.Rate/2],
	} {
		b.Run(name, func(b *testing.B) {
			s := newSpotter(b, enrol(b, "a", madeUp...), enrol(b, "b", other...))
			frames := cutFrames(slices.Concat(silence(), x))
			at := audio.Position(0)
			for _, f := range frames {
				s.Push(f, at)
				at += audio.FrameSamples
			}
			frames = frames[audio.Rate/audio.FrameSamples:]
			i := 0
			for b.Loop() {
				for range audio.Rate / audio.FrameSamples {
					s.Push(frames[i%len(frames)], at)
					at += audio.FrameSamples
					i++
				}
			}
		})
	}
}
