package ears

import (
	"errors"
	"fmt"
	"io"
	"time"

	"hearthd/audio"
)

// maxRecording bounds a Recording. It is read piece by piece, so its length takes no memory.
const maxRecording = 24 * time.Hour

// Recording is a WAV file as a Sound.
type Recording struct {
	wav   *audio.WAVReader
	conv  *audio.Resampler
	block []int16
	left  []int16 // at audio.Rate, not yet returned
	read  bool    // the end of the file was reached
}

// OpenRecording reads the header of a WAV file of 16 bits, with any rate from audio.MinRate to
// audio.MaxRate and up to 8 channels. Its errors, and those of Frame, name the file.
func OpenRecording(path string) (*Recording, error) {
	// Streaming: an interrupted recorder has not written the sizes into the header.
	w, err := audio.OpenWAV(path, audio.WAVOptions{Streaming: true, MaxDuration: maxRecording})
	if err != nil {
		return nil, err
	}
	conv, err := audio.NewResampler(w.Rate(), audio.Rate)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read wav %q: %w", path, err), w.Close())
	}
	return &Recording{wav: w, conv: conv, block: make([]int16, 4096)}, nil
}

// Frame implements Sound.
func (r *Recording) Frame(f *audio.Frame) error {
	for len(r.left) < len(f) && !r.read {
		n, err := r.wav.Read(r.block)
		r.left = r.conv.Process(r.left, r.block[:n])
		switch {
		case err == io.EOF:
			r.left, r.read = r.conv.Flush(r.left), true
		case err != nil:
			return err
		}
	}
	if len(r.left) == 0 {
		return io.EOF
	}
	n := copy(f[:], r.left)
	clear(f[n:])
	r.left = append(r.left[:0], r.left[n:]...)
	return nil
}

// Close closes the file.
func (r *Recording) Close() error { return r.wav.Close() }
