package daemon

import (
	"errors"
	"fmt"
	"io"
	"time"

	"hearthd/audio"
)

// maxRecording bounds a recording; it is read as it goes, so that is no matter of
// memory.
const maxRecording = 24 * time.Hour

// recording is a WAV as a stream of frames.
type recording struct {
	wav   *audio.WAVReader
	conv  *audio.Resampler
	block []int16
	left  []int16 // at audio.Rate, not handed out yet
	read  bool    // all of the file is in left
}

func openRecording(path string) (*recording, error) {
	// A recorder that was interrupted has not written the sizes of the stream.
	w, err := audio.OpenWAV(path, audio.WAVOptions{Streaming: true, MaxDuration: maxRecording})
	if err != nil {
		return nil, err
	}
	conv, err := audio.NewResampler(w.Rate(), audio.Rate)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read wav %q: %w", path, err), w.Close())
	}
	return &recording{wav: w, conv: conv, block: make([]int16, 4096)}, nil
}

// frame fills f with the next 20 ms, the last ones with silence at their end, and
// returns io.EOF when there are none. Other errors name the file.
func (r *recording) frame(f *audio.Frame) error {
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

func (r *recording) close() error { return r.wav.Close() }
