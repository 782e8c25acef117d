// Package model says how models of speech lie on the box, for hearth-speech, which runs
// them, and for whoever installs them:
//
//	/var/lib/hearth-speech/
//	  lib/                  libsherpa-onnx-c-api.so and libonnxruntime.so, of the one release Release
//	  models/NAME/          one model: its files, and model.yaml, which is written last
//	  use.yaml              which models are used for what
//
// It opens no network and runs no goroutine. It must import nothing of hearthd but what reads and keeps files.
package model

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hearthd/config/files"
	"hearthd/config/input"
)

// State is the folder of everything that is installed, unless a command is told another one.
const State = "/var/lib/hearth-speech"

// Release is the one release of sherpa-onnx whose structures hearth-speech knows. From 2.0
// on the library has no phonemes of its own, which Piper, Kokoro and Kitten need.
const Release = "1.13.8"

// What stands in the folder State.
const (
	LibFolder    = "lib"
	ModelsFolder = "models"
	UseFile      = "use.yaml"
	ManifestFile = "model.yaml"
)

// maxFile bounds a manifest and use.yaml, in bytes. One of a voice with hundreds of speakers has 20 kB.
const maxFile = 64 << 10

// Kind is the make of a model, by which the library is told how to load it.
type Kind string

// The kinds.
const (
	Whisper    Kind = "whisper"
	Moonshine  Kind = "moonshine"  // with four networks
	Moonshine2 Kind = "moonshine2" // with two
	Zipformer  Kind = "zipformer"  // a streaming transducer
	Piper      Kind = "piper"
	Kokoro     Kind = "kokoro"
	Kitten     Kind = "kitten"
	Speaker    Kind = "speaker" // makes prints of voices
	Keyword    Kind = "keyword" // a transducer that waits for phrases
)

// Phrase is what a model waits for.
type Phrase struct {
	Text   string
	Cutoff float64 // 0 to 1: how sure it has to be of the sounds of the phrase, in the middle
}

// ErrPhrase says that a model cannot wait for a phrase, as it has no way to write it.
var ErrPhrase = errors.New("the model cannot write the phrase")

// Task is what a model is for.
type Task string

// The tasks.
const (
	Hear      Task = "hear"
	Speak     Task = "speak"
	Recognise Task = "recognise" // who speaks
	Wake      Task = "wake"
)

// kinds says what a kind is for and by which names its manifest has to tell its files. The name
// data is of a folder.
var kinds = map[Kind]struct {
	task     Task
	required []string
	optional []string
}{
	Whisper:    {Hear, []string{"encoder", "decoder", "tokens"}, nil},
	Moonshine:  {Hear, []string{"preprocessor", "encoder", "uncached_decoder", "cached_decoder", "tokens"}, nil},
	Moonshine2: {Hear, []string{"encoder", "merged_decoder", "tokens"}, nil},
	Zipformer:  {Hear, []string{"encoder", "decoder", "joiner", "tokens"}, []string{"bpe_vocab"}},
	Piper:      {Speak, []string{"model", "tokens"}, []string{"data", "lexicon"}},
	Kokoro:     {Speak, []string{"model", "voices", "tokens", "data"}, []string{"lexicon"}},
	Kitten:     {Speak, []string{"model", "voices", "tokens", "data"}, nil},
	Speaker:    {Recognise, []string{"model"}, nil},
	Keyword:    {Wake, []string{"encoder", "decoder", "joiner", "tokens", "bpe_model"}, nil},
}

// Manifest is a model.yaml.
type Manifest struct {
	Name      string            `yaml:"-"` // of its folder
	Kind      Kind              `yaml:"kind"`
	Languages []string          `yaml:"languages,omitempty"` // "en", "de"; none: not bound to one
	Files     map[string]string `yaml:"files"`               // by what they are to the library, relative to the folder
	Rate      int               `yaml:"rate"`                // samples per second that it hears or speaks
	Speakers  map[string]int    `yaml:"speakers,omitempty"`  // of a voice, by name
	MemoryMB  int               `yaml:"memory_mb,omitempty"` // while it is loaded
	Threshold float64           `yaml:"threshold,omitempty"` // of a model that tells voices apart: see Likely
	Licence   string            `yaml:"licence,omitempty"`
	Source    string            `yaml:"source,omitempty"` // where it was fetched

	folder string
}

// Task is what the model is for.
func (m *Manifest) Task() Task { return kinds[m.Kind].task }

// Path is where the file is that is what to the library, or empty: the model has none.
func (m *Manifest) Path(what string) string {
	if m.Files[what] == "" {
		return ""
	}
	return filepath.Join(m.folder, m.Files[what])
}

// usualThreshold is what the examples of the library have.
const usualThreshold = 0.6

// Likely is the cosine of two prints of voices from which on they are of one person.
func (m *Manifest) Likely() float64 { return cmp.Or(m.Threshold, usualThreshold) }

// Speaks reports whether the model is good for a language; "" is any.
func (m *Manifest) Speaks(language string) bool {
	language, _, _ = strings.Cut(language, "-")
	return language == "" || len(m.Languages) == 0 || slices.Contains(m.Languages, language)
}

var name = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// CheckName refuses what cannot be the name of a model and of its folder.
func CheckName(s string) error {
	if !name.MatchString(s) {
		return fmt.Errorf("name of a model %.70q: want up to 64 of a-z, 0-9, dot, dash and underscore", s)
	}
	return nil
}

// Check refuses a manifest with which a model could not be loaded. It does not look for the files.
func (m *Manifest) Check() error {
	kind, ok := kinds[m.Kind]
	if !ok {
		return fmt.Errorf("model is of kind %.40q, which hearth-speech does not know", m.Kind)
	}
	for _, what := range kind.required {
		if m.Files[what] == "" {
			return fmt.Errorf("model of kind %s does not name its %s", m.Kind, what)
		}
	}
	for what, file := range m.Files {
		if !slices.Contains(kind.required, what) && !slices.Contains(kind.optional, what) {
			return fmt.Errorf("model of kind %s has no use for %.40q", m.Kind, what)
		}
		if !fs.ValidPath(file) || file == "." {
			return fmt.Errorf("file %.80q of the model is not within its folder", file)
		}
	}
	if m.Rate < 8000 || m.Rate > 48000 || kind.task != Speak && m.Rate != 16000 {
		return fmt.Errorf("model of kind %s cannot have a rate of %d Hz", m.Kind, m.Rate)
	}
	if m.Threshold < 0 || m.Threshold >= 1 || m.Threshold != 0 && kind.task != Recognise {
		return fmt.Errorf("model of kind %s cannot have a threshold of %g", m.Kind, m.Threshold)
	}
	return nil
}

// Read reads the manifest in the folder of a model, and finds its files there.
func Read(folder string) (*Manifest, error) {
	path := filepath.Join(folder, ManifestFile)
	text, err := input.ReadFile(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	m := &Manifest{Name: filepath.Base(folder), folder: folder}
	if err := CheckName(m.Name); err != nil {
		return nil, err
	}
	if err := input.DecodeYAML(text, m); err != nil {
		return nil, fmt.Errorf("manifest of the model %s: %w", m.Name, err)
	}
	if err := m.Check(); err != nil {
		return nil, fmt.Errorf("manifest of the model %s: %w", m.Name, err)
	}
	for what := range m.Files {
		info, err := os.Stat(m.Path(what))
		if err != nil {
			return nil, fmt.Errorf("model %s: its %s: %w", m.Name, what, err)
		}
		if info.IsDir() != (what == "data") {
			return nil, fmt.Errorf("model %s: its %s %q is missing", m.Name, what, m.Files[what])
		}
	}
	return m, nil
}

// Write puts the manifest into the folder of its model.
func (m *Manifest) Write(folder string) error {
	if err := m.Check(); err != nil {
		return err
	}
	return write(filepath.Join(folder, ManifestFile), m)
}

// List reads all models below state, by name. What cannot be read is an error beside them.
func List(state string) (models []*Manifest, mistakes error) {
	entries, err := os.ReadDir(filepath.Join(state, ModelsFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list models: %w", err)
	}
	for _, e := range entries {
		if CheckName(e.Name()) != nil {
			continue // what an installer is at work on begins with a dot
		}
		m, err := Read(filepath.Join(state, ModelsFolder, e.Name()))
		if err != nil {
			mistakes = errors.Join(mistakes, err)
			continue
		}
		models = append(models, m)
	}
	return models, mistakes
}

// Use is use.yaml: the models that are used, by language; "" is for every other one.
type Use struct {
	Hear  map[string]string `yaml:"hear,omitempty"`
	Speak map[string]string `yaml:"speak,omitempty"` // NAME or NAME/SPEAKER
}

// ReadUse reads use.yaml below state. There is none, and no mistake, when nothing has been chosen.
func ReadUse(state string) (Use, error) {
	var u Use
	text, err := input.ReadFile(filepath.Join(state, UseFile), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return u, nil
	}
	if err != nil {
		return u, fmt.Errorf("read what is used: %w", err)
	}
	if err := input.DecodeYAML(text, &u); err != nil && !errors.Is(err, io.EOF) {
		return u, fmt.Errorf("read %s: %w", UseFile, err)
	}
	return u, nil
}

// Write puts use.yaml below state.
func (u Use) Write(state string) error { return write(filepath.Join(state, UseFile), u) }

// Choose is the model for a task and a language: the one that is used, else the first installed one
// that is good for it. speaker is the voice within the model, if one is chosen.
func (u Use) Choose(models []*Manifest, task Task, language string) (m *Manifest, speaker string) {
	language, _, _ = strings.Cut(language, "-")
	chosen := u.Hear
	if task == Speak {
		chosen = u.Speak
	}
	for _, l := range []string{language, ""} {
		name, speaker, _ := strings.Cut(chosen[l], "/")
		for _, m := range models {
			if m.Name == name && m.Task() == task && m.Speaks(language) {
				return m, speaker
			}
		}
	}
	for _, m := range models {
		if m.Task() == task && m.Speaks(language) {
			return m, ""
		}
	}
	return nil, ""
}

func write(path string, v any) error {
	text, err := input.EncodeYAML(v)
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return files.Write(path, text, 0o644)
}
