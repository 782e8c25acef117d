package micro

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"hearthd/audio"
)

// read speaks the project's own documents with a voice of espeak-ng.
func read(t *testing.T, voice string) []int16 {
	t.Helper()
	var text []byte
	for _, name := range []string{"README.md", "ARCHITECTURE.md"} {
		b, err := os.ReadFile(filepath.Join("..", "..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, b...)
	}
	text = text[:9000] // eight minutes
	cmd := exec.Command("espeak-ng", "--stdout", "-v", voice)
	cmd.Stdin = bytes.NewReader(text)
	wav, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	w, err := audio.NewWAVReader(bytes.NewReader(wav), audio.WAVOptions{Streaming: true, MaxDuration: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	c, err := w.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	r, err := audio.NewResampler(c.Rate, audio.Rate)
	if err != nil {
		t.Fatal(err)
	}
	return r.Flush(r.Process(nil, c.Samples))
}

func TestTwentyMinutesOfTalkWakeNothing(t *testing.T) {
	ms := models(t, "okay_nabu", "hey_jarvis")
	if _, err := exec.LookPath("espeak-ng"); err != nil || testing.Short() {
		t.Skip("no espeak-ng, or -short")
	}
	s, err := New(ms...)
	if err != nil {
		t.Fatal(err)
	}
	var total audio.Position
	var highest [2]float32
	var f audio.Frame
	for _, voice := range []string{"en-us", "en-gb+f3", "en-gb-scotland+m3"} {
		pcm := read(t, voice)
		for at := 0; at+len(f) <= len(pcm); at += len(f) {
			copy(f[:], pcm[at:])
			for _, d := range s.Push(&f, total) {
				t.Errorf("%s: %q at %v, score %v", voice, d.Name, d.Position.Duration(), d.Score)
			}
			for i, v := range s.Scores(nil) {
				highest[i] = max(highest[i], v)
			}
			total += audio.FrameSamples
		}
	}
	if total.Duration() < 20*time.Minute {
		t.Errorf("only %v of talk", total.Duration())
	}
	t.Logf("%v of talk, highest scores %v", total.Duration().Round(time.Second), highest)
}
