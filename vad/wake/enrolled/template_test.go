package enrolled

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hearthd/audio"
)

func TestTemplateSurvivesSaveAndLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hey.json")
	word := enrol(t, "hé hearth", madeUp...)
	for range 2 { // the second replaces the first
		if err := word.Save(path); err != nil {
			t.Fatal(err)
		}
	}
	if names, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); err != nil || len(names) != 1 {
		t.Errorf("left behind %v, %v", names, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 || info.Size() > 100<<10 {
		t.Errorf("%v, %v", info, err)
	}
	back, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if back.Name() != "hé hearth" || math.Abs(float64(back.threshold-word.threshold)) > 0.01 {
		t.Errorf("%q at %v, want %q at %v", back.Name(), back.threshold, word.Name(), word.threshold)
	}
	found := hear(newSpotter(t, back), 0, silence(), chant(voice{112, 1.1}, madeUp...), silence())
	if len(found) != 1 {
		t.Errorf("found %v", found)
	}
}

func TestSaveLeavesNothingBehindWhenItCannotWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(path, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := enrol(t, "a", madeUp...).Save(path); err == nil {
		t.Error("a folder was replaced")
	}
	if err := enrol(t, "a", madeUp...).Save(filepath.Join(dir, "none", "x")); err == nil {
		t.Error("saved into a folder that does not exist")
	}
	if names, err := filepath.Glob(filepath.Join(dir, ".wake-*")); err != nil || names != nil {
		t.Errorf("left behind %v, %v", names, err)
	}
}

// encode is a template's file with two recordings, altered.
func encode(t testing.TB, alter func(*templateFile)) []byte {
	t.Helper()
	r := make([]int16, minWord*numBands)
	file := templateFile{Version: fileVersion, Name: "a", Bands: numBands, Recordings: [][]int16{r, r}}
	if alter != nil {
		alter(&file)
	}
	b, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDamagedTemplatesAreRefused(t *testing.T) {
	if _, err := decode(encode(t, nil)); err != nil {
		t.Fatal(err)
	}
	long := make([]int16, (maxWord+1)*numBands)
	for name, b := range map[string][]byte{
		"empty":   nil,
		"cut":     encode(t, nil)[:100],
		"text":    []byte("hello"),
		"version": encode(t, func(f *templateFile) { f.Version = 2 }),
		"bands":   encode(t, func(f *templateFile) { f.Bands = 40 }),
		"name":    encode(t, func(f *templateFile) { f.Name = "" }),
		"one":     encode(t, func(f *templateFile) { f.Recordings = f.Recordings[:1] }),
		"short":   encode(t, func(f *templateFile) { f.Recordings[0] = f.Recordings[0][:numBands] }),
		"ragged":  encode(t, func(f *templateFile) { f.Recordings[0] = f.Recordings[0][:len(f.Recordings[0])-1] }),
		"long":    encode(t, func(f *templateFile) { f.Recordings[0] = long }),
		"loud": encode(t, func(f *templateFile) {
			f.Recordings[0] = append([]int16{30000}, f.Recordings[0][1:]...)
		}),
		"large": []byte(strings.Repeat(" ", maxFile+1)),
	} {
		path := filepath.Join(t.TempDir(), "x.json")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(f, nil))
	f.Add(encode(f, func(f *templateFile) { f.Recordings[1][5] = -4000 }))
	f.Add([]byte(`{"version":1}`))
	x := cutFrames(append(silence(), chant(voices[0], madeUp...)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		template, err := decode(b)
		if err != nil {
			return
		}
		s, err := New(template)
		if err != nil {
			t.Fatal(err)
		}
		for i, frame := range x {
			for _, d := range s.Push(frame, audio.Position(i*audio.FrameSamples)) {
				if !(d.Score >= 0 && d.Score <= 1) {
					t.Fatalf("score %v", d.Score)
				}
			}
		}
	})
}
