package enrolled

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"unicode"
	"unicode/utf8"

	"hearthd/config/input"
)

const (
	fileVersion = 1
	maxFile     = 1 << 20 // bytes; eight words of two seconds have 250 kB
	maxName     = 64      // bytes
	// The file holds logarithms of powers in hundredths; values below maxLog count as silence.
	logUnit = 100
	maxLog  = 40 * logUnit
)

// Template is a wake word as one voice has recorded it. It is immutable.
type Template struct {
	name       string
	threshold  float32 // distance below which the word was heard
	recordings []recording
}

// recording is the word of one recording: powers every 10 ms.
type recording struct {
	raw    []powers
	frames []powers // without the room's tail
	level  float32  // of frames
}

func newRecording(raw []powers) recording {
	r := recording{raw: raw, frames: slices.Clone(raw)}
	var none powers
	var t tail
	var l leveller
	for i := range r.frames {
		t.cut(&r.frames[i], &none)
		l.add(r.frames[i].total())
	}
	r.level = l.level()
	return r
}

// leveller is the level of speech: the mean power, weighted by the power itself,
// so that pauses do not count.
type leveller struct{ sum, squares float32 }

func (l *leveller) add(p float32) {
	l.sum += p
	l.squares += p * p
}

// level is not less than minPower.
func (l *leveller) level() float32 {
	if l.squares == 0 {
		return minPower
	}
	return max(minPower, l.squares/l.sum)
}

// minPower is far below one step of a sample.
const minPower = 1e-12

// Name is the word's name in detections.
func (t *Template) Name() string { return t.name }

// Named is the same word under another name.
func (t *Template) Named(name string) *Template {
	other := *t
	other.name = name
	return &other
}

// templateFile is the JSON of a template. The threshold is not in it, for it
// follows from the recordings.
type templateFile struct {
	Version    int       `json:"version"`
	Name       string    `json:"name"`
	Bands      int       `json:"bands"`
	Recordings [][]int16 `json:"recordings"` // 100·ln of the powers, frame by frame
}

// Save writes the template to path, readable by its owner only, and replaces
// what was there at once or not at all.
func (t *Template) Save(path string) (err error) {
	file := templateFile{Version: fileVersion, Name: t.name, Bands: numBands}
	for _, r := range t.recordings {
		var logs []int16
		for _, p := range r.raw {
			for _, v := range p {
				logs = append(logs, int16(max(-maxLog, math.Round(logUnit*math.Log(float64(v)+1e-30)))))
			}
		}
		file.Recordings = append(file.Recordings, logs)
	}
	b, err := json.Marshal(file)
	if err != nil {
		return fmt.Errorf("encode wake word %q: %w", t.name, err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".wake-*")
	if err != nil {
		return fmt.Errorf("save wake word %q: %w", t.name, err)
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("save wake word %q: %w", t.name, err), os.Remove(f.Name()))
	}
	return nil
}

// Load reads a template that Save wrote.
func Load(path string) (*Template, error) {
	b, err := input.ReadFile(path, maxFile)
	if err == nil {
		var t *Template
		if t, err = decode(b); err == nil {
			return t, nil
		}
	}
	return nil, fmt.Errorf("read wake word %q: %w", path, err)
}

func decode(b []byte) (*Template, error) {
	if len(b) > maxFile {
		return nil, fmt.Errorf("more than %d bytes", maxFile)
	}
	var file templateFile
	if err := json.Unmarshal(b, &file); err != nil {
		return nil, err
	}
	if file.Version != fileVersion || file.Bands != numBands {
		return nil, fmt.Errorf("version %d with %d bands: want version %d with %d", file.Version, file.Bands,
			fileVersion, numBands)
	}
	if err := checkName(file.Name); err != nil {
		return nil, err
	}
	if n := len(file.Recordings); n < minRecordings || n > maxRecordings {
		return nil, fmt.Errorf("%d recordings: want %d to %d", n, minRecordings, maxRecordings)
	}
	t := &Template{name: file.Name}
	for _, logs := range file.Recordings {
		r, err := unpack(logs)
		if err != nil {
			return nil, err
		}
		t.recordings = append(t.recordings, r)
	}
	f, err := newFront()
	if err != nil {
		return nil, err
	}
	t.threshold = threshold(f, t.recordings)
	return t, nil
}

func unpack(logs []int16) (recording, error) {
	n := len(logs) / numBands
	if len(logs)%numBands != 0 || n < minWord || n > maxWord {
		return recording{}, fmt.Errorf("recording of %d values: want %d to %d times %d", len(logs), minWord,
			maxWord, numBands)
	}
	frames := make([]powers, n)
	for i, v := range logs {
		// Full scale is 1, and a band can hold a little more.
		if v < -maxLog || v > 5*logUnit {
			return recording{}, fmt.Errorf("recording with a value of %d: want %d to %d", v, -maxLog, 5*logUnit)
		}
		frames[i/numBands][i%numBands] = float32(math.Exp(float64(v) / logUnit))
	}
	return newRecording(frames), nil
}

func checkName(name string) error {
	if name == "" || len(name) > maxName || !utf8.ValidString(name) {
		return fmt.Errorf("name %.80q of a wake word: want 1 to %d bytes of UTF-8", name, maxName)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("name %q of a wake word: want printable characters", name)
		}
	}
	return nil
}
