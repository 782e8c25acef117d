package vad_test

import (
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"hearthd/audio"
	"hearthd/vad"
	"hearthd/vad/neural"
)

// say makes speech with flite, at an RMS of 1.
func say(t *testing.T, voice, text string) []float64 {
	t.Helper()
	if _, err := exec.LookPath("flite"); err != nil {
		t.Skip("flite is not installed; packaging/deps.sh installs it")
	}
	out := filepath.Join(t.TempDir(), "say.wav")
	if msg, err := exec.Command("flite", "-voice", voice, "-t", text, "-o", out).CombinedOutput(); err != nil {
		t.Fatalf("speak as %s: %v\n%s", voice, err, msg)
	}
	w, err := audio.OpenWAV(out, audio.WAVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	conv, err := audio.NewResampler(w.Rate(), audio.Rate)
	if err != nil {
		t.Fatal(err)
	}
	var all []int16
	block := make([]int16, 4096)
	for err != io.EOF {
		var n int
		if n, err = w.Read(block); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		all = conv.Process(all, block[:n])
	}
	return atOne(conv.Flush(all))
}

// atOne scales speech to an RMS of 1 and cuts the silence around it.
func atOne(samples []int16) []float64 {
	from, to := 0, len(samples)
	for from < to && samples[from] < 200 && samples[from] > -200 {
		from++
	}
	for to > from && samples[to-1] < 200 && samples[to-1] > -200 {
		to--
	}
	x, squares := make([]float64, to-from), 0.0
	for i, s := range samples[from:to] {
		x[i] = float64(s)
		squares += x[i] * x[i]
	}
	rms := math.Sqrt(squares / float64(len(x)))
	for i := range x {
		x[i] /= rms
	}
	return x
}

// television is n samples of two people who speak in turn.
func television(t *testing.T, n int) []float64 {
	t.Helper()
	var x []float64
	script := [][2]string{
		{"awb", "The minister said on Tuesday that the new road would be finished before the end of the year."},
		{"kal16", "And now the weather. Rain in the north, and a strong wind from the sea."},
		{"awb", "Call now, and get the second one for half the price."},
		{"kal16", "I never told her that you were there, and I never will."},
	}
	for i := 0; len(x) < n; i++ {
		x = append(x, say(t, script[i%4][0], script[i%4][1])...)
		x = append(x, make([]float64, audio.Rate/4)...)
	}
	return x[:n]
}

// scene is a television below the speaker by some dB, from begin to end, and in it
// a wake word and a sentence, which the speaker says at -28 dBFS.
type scene struct {
	samples  []int16
	word     audio.Position // its end
	from, to audio.Position // of the sentence
}

func newScene(tv, word, sentence []float64, below float64) scene {
	const lead, gap = 6 * audio.Rate, 3 * audio.Rate / 10
	s := scene{word: audio.Position(lead + len(word))}
	s.from = s.word + gap
	s.to = s.from + audio.Position(len(sentence))
	scale := func(db float64) float64 { return 32768 * math.Pow(10, db/20) }
	x := make([]float64, len(tv))
	for i, v := range tv {
		x[i] = v * scale(-28-below)
	}
	for i, v := range word {
		x[lead+i] += v * scale(-28)
	}
	for i, v := range sentence {
		x[int(s.from)+i] += v * scale(-28)
	}
	s.samples = make([]int16, len(x))
	for i, v := range x {
		s.samples[i] = int16(max(-32768, min(32767, v)))
	}
	return s
}

// hear runs the scene through the detector that ships, and returns where the first
// utterance after the wake word began and when it was decided that it is over.
func (s *scene) hear(t *testing.T) (began, decided audio.Position) {
	d, err := neural.New()
	if err != nil {
		t.Fatal(err)
	}
	seg, err := vad.New(vad.DefaultOptions(), d)
	if err != nil {
		t.Fatal(err)
	}
	var at audio.Position
	woken := false
	emit := func(g *vad.Signal) {
		switch {
		case !woken || decided > 0:
		case g.Kind == vad.Onset:
			began = g.At
		case g.Kind == vad.End:
			decided = at + audio.FrameSamples
		}
	}
	for ; int(at)+audio.FrameSamples <= len(s.samples); at += audio.FrameSamples {
		if !woken && at >= s.word+audio.Rate/5 { // as late as spotters are
			seg.Restart(s.word, emit)
			woken = true
		}
		seg.Push((*audio.Frame)(s.samples[at:]), at, emit)
	}
	return began, decided
}

func TestSentenceOverTelevisionEndsSoonAfterItsLastWord(t *testing.T) {
	tv := television(t, 26*audio.Rate)
	for _, voice := range []string{"slt", "rms"} {
		word := say(t, voice, "Hey jarvis.")
		for _, text := range []string{"Set a pasta timer for ten minutes.",
			"Add milk, eggs and a bag of flour to the shopping list."} {
			sentence := say(t, voice, text)
			for _, c := range []struct {
				below float64
				most  time.Duration // from the end of the sentence; measured: half as much beyond 700 ms
			}{{60, time.Second}, {15, 1500 * time.Millisecond}, {10, 1500 * time.Millisecond}, {6, 9 * time.Second},
				{3, 9 * time.Second}} {
				s := newScene(tv, word, sentence, c.below)
				began, decided := s.hear(t)
				after := (decided - s.to).Duration().Round(10 * time.Millisecond)
				t.Logf("%s says %q over television at -%v dB: begins %v early, ends after %v", voice, text, c.below,
					(s.from - began).Duration(), after)
				if began < s.word || began > s.from || decided <= s.to || after > c.most ||
					decided > s.word+10*audio.Rate {
					t.Errorf("%s says %q over television at -%v dB: utterance from %d, ended at %d; wake word until "+
						"%d, sentence %d to %d",
						voice, text, c.below, began, decided, s.word, s.from, s.to)
				}
			}
		}
	}
}

func TestTelevisionAfterAWakeWordEndsWithinTenSeconds(t *testing.T) {
	tv, word := television(t, 26*audio.Rate), say(t, "slt", "Hey jarvis.")
	for _, below := range []float64{15, 10, 6, 3, 0} {
		s := newScene(tv, word, nil, below)
		_, decided := s.hear(t)
		t.Logf("television at -%v dB: %v", below, (decided - s.word).Duration())
		if decided > s.word+10*audio.Rate {
			t.Errorf("television at -%v dB after the wake word: %v until the end", below, (decided - s.word).Duration())
		}
	}
}
