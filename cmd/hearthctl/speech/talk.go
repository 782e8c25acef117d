package speech

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"hearthd/audio"
	"hearthd/vad"
	"hearthd/vad/neural"
	"hearthd/vad/wake/remote"
)

// A recording is cut at shorter pauses than a request, since the rest of what is longer is passed over.
const (
	talkPause   = 300 * time.Millisecond
	talkLongest = 29 * time.Second
	// maxRecording bounds a recording. It is read piece by piece, so its length takes no memory.
	maxRecording = 24 * time.Hour
)

// recorded yields what people say in the WAV files below a folder.
func recorded(folder string) iter.Seq2[remote.Talk, error] {
	return func(yield func(remote.Talk, error) bool) {
		files := 0
		err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() || !strings.EqualFold(filepath.Ext(path), ".wav") {
				return err
			}
			files++
			return recording(path, yield)
		})
		if err == nil && files == 0 {
			err = fmt.Errorf("there is no WAV file in %s", folder)
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(remote.Talk{}, err)
		}
	}
}

// errEnough says that no more is wanted.
var errEnough = errors.New("enough was heard")

// recording yields the talk of one file.
func recording(path string, yield func(remote.Talk, error) bool) error {
	w, err := audio.OpenWAV(path, audio.WAVOptions{Streaming: true, MaxDuration: maxRecording})
	if err != nil {
		return err
	}
	defer w.Close()
	conv, err := audio.NewResampler(w.Rate(), audio.Rate)
	if err != nil {
		return fmt.Errorf("read wav %q: %w", path, err)
	}
	detector, err := neural.New()
	if err != nil {
		return err
	}
	o := vad.DefaultOptions()
	o.EndSilence, o.MaxUtterance = talkPause, talkLongest
	segments, err := vad.New(o, detector)
	if err != nil {
		return err
	}
	c := &cutter{yield: yield, segments: segments}
	block, last := make([]int16, 4096), false
	for !last && !c.enough {
		n, err := w.Read(block)
		if err != nil && err != io.EOF {
			return err
		}
		last = err == io.EOF
		if c.left = conv.Process(c.left, block[:n]); last {
			c.left = append(conv.Flush(c.left), make([]int16, audio.Rate)...)
		}
		c.cut()
	}
	if c.enough {
		return errEnough
	}
	return nil
}

// cutter cuts a recording into what people say.
type cutter struct {
	segments *vad.Segmenter
	yield    func(remote.Talk, error) bool
	left     []int16 // not yet cut
	at       audio.Position
	talk     []int16
	since    audio.Position
	enough   bool
}

func (c *cutter) cut() {
	var f audio.Frame
	for len(c.left) >= len(f) {
		c.left = c.left[copy(f[:], c.left):]
		c.segments.Push(&f, c.at, c.take)
		c.at += audio.FrameSamples
	}
}

func (c *cutter) take(s *vad.Signal) {
	switch s.Kind {
	case vad.Onset:
		c.talk, c.since = nil, s.Speech
	case vad.Audio:
		c.talk = append(c.talk, s.Frame[:]...)
	case vad.End:
		c.enough = c.enough || !c.yield(remote.Talk{Samples: c.talk, Speech: (s.Speech - c.since).Duration()}, nil)
	}
}
