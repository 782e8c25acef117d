package micro

import (
	"math"
	"math/rand/v2"
	"testing"

	"hearthd/audio"
	"hearthd/rigs/tflitetest"
	"hearthd/vad/wake"
)

// loud is a model of loud sounds, and a spotter that uses it.
func loud(t *testing.T) (*Model, *Spotter) {
	t.Helper()
	path, err := tflitetest.WriteLoud(t.TempDir(), "loud")
	if err != nil {
		t.Fatal(err)
	}
	m, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	return m, s
}

// A model that needs no training: it shows that what is heard opens the same way
// without the models of others.
func TestModelOfLoudSoundsHearsThemAndNothingElse(t *testing.T) {
	_, s := loud(t)
	rng := rand.New(rand.NewPCG(1, 2))
	pcm := make([]int16, 10*audio.Rate)
	for i := range pcm {
		pcm[i] = int16(rng.IntN(91) - 45)
	}
	const begin = 6 * audio.Rate
	for i := range audio.Rate / 2 {
		pcm[begin+i] += int16(9000 * math.Sin(float64(i)*0.2) * math.Sin(float64(i)*0.0131))
		pcm[begin+i] += int16(rng.IntN(6001) - 3000)
	}
	found := listen(s, pcm)
	if len(found) != 1 || found[0].Name != "Loud Sound" || found[0].Position < begin-audio.Rate/10 ||
		found[0].Position > begin+audio.Rate/2 {
		t.Errorf("found %+v, want one at %d", found, begin)
	}
}

// Nothing is less probable than 0, so that a cutoff of 0 would never be fallen below.
func TestLowestCutoffHearsTheWord(t *testing.T) {
	m, _ := loud(t)
	m.Cutoff, m.Margin = 0.001, 0
	s, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	pcm := make([]int16, 5*audio.Rate)
	for i := range pcm {
		pcm[i] = int16(rng.IntN(91) - 45)
		if i > 3*audio.Rate {
			pcm[i] = int16(rng.IntN(20001) - 10000)
		}
	}
	if found := listen(s, pcm); len(found) != 1 {
		t.Errorf("found %+v, want one", found)
	}
}

// Rows are counted since the stream began, for months, and an int may have 32 bits.
func TestCountOfRowsNeverWraps(t *testing.T) {
	_, s := loud(t)
	var f audio.Frame
	for i := range audio.Position(100) {
		if i == 50 {
			s.history.count, s.levels.count = math.MaxInt-10, math.MaxInt-10
		}
		s.Push(&f, i*audio.FrameSamples)
	}
}

func TestAWordOfTheSpeakerIsNoPersons(t *testing.T) {
	m, _ := loud(t)
	m.Cutoff = 0.6 // what is heard from half on is not looked for there
	s, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	sound := func(begin int, level int) []int16 {
		pcm := make([]int16, 10*audio.Rate)
		for i := range pcm {
			pcm[i] = int16(rng.IntN(91) - 45)
			if i >= begin && i < begin+audio.Rate/2 {
				pcm[i] = int16(rng.IntN(2*level) - level)
			}
		}
		return pcm
	}
	const said, again = 3 * audio.Rate, 7 * audio.Rate
	far, near := sound(said, 9000), sound(said+audio.Rate/10, 9000)
	copy(near[again:], near[said+audio.Rate/10:][:audio.Rate/2]) // by a person
	quiet := sound(0, 45)                                        // behind a suppressor
	push := func(plain, out []int16, silent bool) (found []wake.Detection) {
		s.Reset()
		s.Spoken(!silent)
		var f, g, h audio.Frame
		for at := 0; at+len(f) <= len(near); at += len(f) {
			copy(f[:], out[at:])
			copy(g[:], far[at:])
			copy(h[:], plain[at:])
			s.Played(&g, &h, audio.Position(at))
			found = append(found, s.Push(&f, audio.Position(at))...)
		}
		return found
	}
	if found := push(near, quiet, false); len(found) != 1 || found[0].Position < again-audio.Rate/10 {
		t.Errorf("found %+v, want the person's at %d", found, again)
	}
	over := sound(said+audio.Rate/5, 9000) // a person's that the suppressor leaves
	if found := push(near, over, false); len(found) != 2 || found[0].Position > said+audio.Rate {
		t.Errorf("found %+v, want the person's at %d and at %d", found, said+audio.Rate/5, again)
	}
	if found := push(near, over, true); len(found) > 0 {
		t.Errorf("found %+v while the detector hears nobody", found)
	}
}
