package sherpa

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"hearthd/rigs/speechtest"
	"hearthd/speech/model"
)

func phrase(text string, cutoff float64) model.Phrase {
	return model.Phrase{Text: text, Cutoff: cutoff}
}

func watch(t *testing.T, phrases ...model.Phrase) *Watch {
	t.Helper()
	l, m := load(t, speechtest.Spotter)
	s, err := l.Spotter(m, phrases, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	w, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

// said are the tones of words, 300 ms each, and half a second of silence.
func said(words ...string) (out []int16) {
	for _, word := range words {
		out = append(out, tone(speechtest.Tones()[word], 10000)[:4800]...)
	}
	return append(out, make([]int16, 8000)...)
}

// noise covers sound with white noise of an amplitude.
func noise(sound []int16, amplitude float64) []int16 {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range sound {
		sound[i] += int16(amplitude * (2*r.Float64() - 1))
	}
	return sound
}

func TestPhraseIsHeardWhenItIsSaid(t *testing.T) {
	w := watch(t, phrase("Kitchen lights", 0.5), phrase("lights off", 0.5))
	for _, c := range []struct{ said, want []string }{
		{[]string{"KITCHEN", "LIGHTS"}, []string{"Kitchen lights"}},
		{[]string{"LIGHTS", "KITCHEN"}, nil},
		{[]string{"KITCHEN", "ON", "LIGHTS"}, nil},
		{[]string{"ON", "KITCHEN", "LIGHTS"}, []string{"Kitchen lights"}},
		{[]string{"LIGHTS", "OFF"}, []string{"lights off"}},
		{nil, nil},
	} {
		var heard []string
		for piece := range slices.Chunk(append(said(c.said...), make([]int16, 40000)...), 1280) {
			heard = append(heard, w.Write(piece)...)
		}
		if !slices.Equal(heard, c.want) {
			t.Errorf("%q: heard %q", c.said, heard)
		}
	}
}

func TestCutoffDecidesHowClearlyThePhraseHasToBeSaid(t *testing.T) {
	for _, c := range []struct {
		cutoff, noise float64
		heard         bool
	}{{0.3, 0, true}, {0.95, 0, true}, {0.3, 1500, true}, {0.95, 1500, false}} {
		w := watch(t, phrase("kitchen lights", c.cutoff))
		heard := w.Write(noise(append(said("KITCHEN", "LIGHTS"), make([]int16, 16000)...), c.noise))
		if (len(heard) > 0) != c.heard {
			t.Errorf("cutoff %v, noise %v: %q", c.cutoff, c.noise, heard)
		}
	}
}

// The library ends the process of who gives it a token that the model lacks.
func TestPhraseThatTheModelCannotWriteIsRefused(t *testing.T) {
	l, m := load(t, speechtest.Spotter)
	for _, text := range []string{"good morning", "", "...", "kitchen lamp", "küche", "<unk>", "kitchen 3"} {
		if _, err := l.Spotter(m, []model.Phrase{phrase(text, 0.5)}, 1); !errors.Is(err, model.ErrPhrase) {
			t.Errorf("%q: %v", text, err)
		}
	}
	m.Kind = "whisper"
	if _, err := l.Spotter(m, nil, 1); err == nil {
		t.Error("a Whisper waits for phrases")
	}
}

// vocabulary writes files of pieces and tokens.
func vocabulary(t *testing.T, score map[string]float32, tokens string) (path, list string) {
	t.Helper()
	var b []byte
	for text, score := range score {
		piece := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), text)
		piece = protowire.AppendFixed32(protowire.AppendTag(piece, 2, protowire.Fixed32Type), math.Float32bits(score))
		b = protowire.AppendBytes(protowire.AppendTag(b, 1, protowire.BytesType), piece)
	}
	path, list = filepath.Join(t.TempDir(), "bpe.model"), filepath.Join(t.TempDir(), "tokens.txt")
	if err := errors.Join(os.WriteFile(path, b, 0o600), os.WriteFile(list, []byte(tokens), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path, list
}

func TestPhraseIsWrittenInTheLikeliestPieces(t *testing.T) {
	score := map[string]float32{"▁": -3, "▁H": -5, "▁HE": -4, "▁HEY": -20, "Y": -4, "E": -3, "▁S": -4, "I": -4,
		"RI": -5, "R": -5, "▁HI": -7, "#": 0, "X": 0}
	tokens := "<blk> 0\n▁ 1\n▁H 2\n▁HE 3\n▁HEY 4\nY 5\nE 6\n▁S 7\nI 8\nRI 9\nR 10\n▁HI 11\n# 12\n"
	p, err := readPieces(vocabulary(t, score, tokens))
	if err != nil {
		t.Fatal(err)
	}
	for phrase, want := range map[string]string{"hey, Siri!": "▁HE Y ▁S I RI", "hi siri": "▁HI ▁S I RI", "Hirs": "",
		"#": "", "x": ""} {
		got, err := p.write(phrase)
		if strings.Join(got, " ") != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, %v", phrase, got, err)
		}
	}
	if _, err := readPieces(vocabulary(t, nil, tokens)); err == nil {
		t.Error("a file without pieces is taken")
	}
}

func FuzzPieces(f *testing.F) {
	f.Add([]byte("\x0a\x0b\x0a\x03\xe2\x96\x81\x15\x00\x00\x00\x00\x18\x01"), "hey")
	f.Fuzz(func(t *testing.T, model []byte, phrase string) {
		dir := t.TempDir()
		path, list := filepath.Join(dir, "m"), filepath.Join(dir, "t")
		if err := errors.Join(os.WriteFile(path, model, 0o600),
			os.WriteFile(list, []byte("▁ 1\nA 2\n▁HE 3\nY 4\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
		p, err := readPieces(path, list)
		if err != nil {
			return
		}
		written, err := p.write(phrase)
		for _, w := range written {
			if _, ok := p.score[w]; !ok || err != nil {
				t.Errorf("%q: %q, %v", phrase, written, err)
			}
		}
	})
}
