package micro

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hearthd/audio"
)

func TestEveryCleanClipIsHeardAsItsWordAndNothingElse(t *testing.T) {
	ms := models(t, "okay_nabu", "hey_jarvis", "alexa", "hey_mycroft", "stop")
	for name, pcm := range clips(t) {
		s, err := New(ms...)
		if err != nil {
			t.Fatal(err)
		}
		found := listen(s, pcm)
		if len(found) == 0 {
			t.Errorf("%s: nothing was heard", name)
		}
		for _, d := range found {
			if word := strings.ReplaceAll(strings.ToLower(d.Name), " ", "_"); !strings.HasPrefix(name, word) {
				t.Errorf("%s: %q was heard", name, d.Name)
			}
			t.Logf("%s: %q %.3f at %v", name, d.Name, d.Score, d.Position.Duration())
		}
	}
}

func TestSeveralModelsHearWhatEachHearsAlone(t *testing.T) {
	ms := models(t, "okay_nabu", "hey_jarvis", "stop")
	together, err := New(ms...)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range ms {
		alone, err := New(m)
		if err != nil {
			t.Fatal(err)
		}
		together.Reset()
		var f audio.Frame
		pcm := clips(t)["okay_nabu_1"]
		for at := 0; at+len(f) <= len(pcm); at += len(f) {
			copy(f[:], pcm[at:])
			together.Push(&f, audio.Position(at))
			alone.Push(&f, audio.Position(at))
			if a, b := together.Scores(nil)[i], alone.Scores(nil)[0]; a != b {
				t.Fatalf("%s at %d: %v, alone %v", m.Name, at, a, b)
			}
		}
	}
}

func TestSleepingPhasesMissNothing(t *testing.T) {
	ms := models(t, "okay_nabu", "hey_jarvis", "stop")
	sleepy, err := New(ms...)
	if err != nil {
		t.Fatal(err)
	}
	wide, err := New(ms...)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range wide.words {
		w.alert = 0 // the phases never sleep
	}
	asleep, rows, heard := 0, 0, 0
	for name, pcm := range clips(t) {
		r := rand.New(rand.NewPCG(5, 6))
		pcm = mix(pcm, pink(r, lead+len(pcm)+tail), 15, 0)
		sleepy.Reset()
		wide.Reset()
		var f audio.Frame
		for at := 0; at+len(f) <= len(pcm); at += len(f) {
			copy(f[:], pcm[at:])
			got := slices.Clone(sleepy.Push(&f, audio.Position(at)))
			if want := wide.Push(&f, audio.Position(at)); !slices.Equal(got, want) {
				t.Fatalf("%s at %d: %v, want %v", name, at, got, want)
			}
			heard += len(got)
			for i, w := range sleepy.words {
				rows++
				if w.awake == 0 {
					asleep++
				} else if w.score != wide.words[i].score {
					t.Fatalf("%s at %d: awake with score %v, want %v", name, at, w.score, wide.words[i].score)
				}
			}
		}
	}
	if heard < 6 || asleep*10 < rows {
		t.Errorf("%d words, asleep %d of %d rows", heard, asleep, rows)
	}
	t.Logf("%d words, asleep %d of %d rows", heard, asleep, rows)
}

func TestPushAllocatesNothing(t *testing.T) {
	s, err := New(models(t, "okay_nabu", "hey_jarvis")...)
	if err != nil {
		t.Fatal(err)
	}
	pcm := clips(t)["okay_nabu_3"]
	var f audio.Frame
	scores := make([]float32, 0, 2)
	at, heard := 0, 0
	frames := len(pcm) / len(f)
	n := testing.AllocsPerRun(frames-1, func() {
		copy(f[:], pcm[at:])
		heard += len(s.Push(&f, audio.Position(at)))
		scores = s.Scores(scores[:0])
		at += len(f)
	})
	if n != 0 || heard == 0 {
		t.Errorf("%v allocations, %d words", n, heard)
	}
}

// BenchmarkSecond is a second of audio for two words.
func BenchmarkSecond(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]int16, audio.Rate)
	for i := range noise {
		noise[i] = int16(rng.NormFloat64() * 1000)
	}
	words := [][]string{{"okay_nabu"}, {"hey_jarvis"}, {"okay_nabu", "hey_jarvis"}}
	for _, w := range words {
		for name, pcm := range map[string][]int16{"silence": make([]int16, audio.Rate), "noise": noise} {
			b.Run(strings.Join(slices.Concat([]string{name}, w), "+"), func(b *testing.B) {
				s, err := New(models(b, w...)...)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				var f audio.Frame
				at := audio.Position(0)
				for b.Loop() {
					for p := range slices.Chunk(pcm, len(f)) {
						copy(f[:], p)
						s.Push(&f, at)
						at += audio.FrameSamples
					}
				}
			})
		}
	}
}

func TestWordsDozeInAQuietRoomAndWakeForASound(t *testing.T) {
	s, err := New(models(t, "okay_nabu", "hey_jarvis")...)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, amplitude := range []int{20, 300, 2000} { // the noise of a tap too, once it is known
		s.Reset()
		var f audio.Frame
		at := audio.Position(0)
		push := func(amplitude int) {
			for i := range f {
				f[i] = int16(r.IntN(2*amplitude+1) - amplitude)
			}
			s.Push(&f, at)
			at += audio.FrameSamples
		}
		dozed := 0
		for range 1000 {
			push(amplitude)
			if s.words[0].dozes && s.words[1].dozes {
				dozed++
			}
		}
		if dozed < 850 {
			t.Errorf("noise of %d: dozed for %d of 1000 frames", amplitude, dozed)
		}
		for range 5 {
			push(10 * amplitude)
		}
		if s.words[0].dozes || s.words[1].dozes {
			t.Errorf("noise of %d: a sound 20 dB above it wakes nobody", amplitude)
		}
	}
}

// BenchmarkStir is what the first sound after silence costs each word: all that its
// first phase remembers is inferred at once.
func BenchmarkStir(b *testing.B) {
	s, err := New(models(b, "hey_jarvis")...)
	if err != nil {
		b.Fatal(err)
	}
	var f audio.Frame
	for i := range 500 {
		s.Push(&f, audio.Position(i)*audio.FrameSamples)
	}
	w := s.words[0]
	for b.Loop() {
		w.rouse(&s.history, 0, 1)
	}
}
