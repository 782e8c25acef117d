package speechtest

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"

	"hearthd/audio"
)

// Say is words as a voice of flite says them, at audio.Rate. The test is skipped without flite.
func Say(tb testing.TB, voice, words string) []int16 {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "said.wav")
	if out, err := exec.CommandContext(tb.Context(), "flite", "-voice", voice, "-t", words, "-o", path).
		CombinedOutput(); errors.Is(err, exec.ErrNotFound) {
		tb.Skip("there is no flite")
	} else if err != nil {
		tb.Fatalf("flite: %v: %s", err, out)
	}
	w, err := audio.OpenWAV(path, audio.WAVOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	defer w.Close()
	said, err := w.ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	if said.Rate == audio.Rate {
		return said.Samples
	}
	conv, err := audio.NewResampler(said.Rate, audio.Rate)
	if err != nil {
		tb.Fatal(err)
	}
	return conv.Flush(conv.Process(nil, said.Samples))
}
