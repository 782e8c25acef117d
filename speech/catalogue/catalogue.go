// Package catalogue has the models of speech that a box can get, and the library that runs
// them: what each is, for which languages, under which licence, how long, with which
// SHA-256, and on which boards it is proposed. It also knows what board this is.
//
// It opens no network and runs no goroutine.
package catalogue

import (
	_ "embed"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"

	"hearthd/config/input"
	"hearthd/speech/model"
)

//go:embed catalogue.yaml
var text []byte

// Archive is a file that is fetched, or found in a folder.
type Archive struct {
	Path   string `yaml:"path"` // below Base; of a package only a name
	Size   int64  `yaml:"size"` // bytes
	SHA256 string `yaml:"sha256"`
}

// Name is that of the file.
func (a *Archive) Name() string { return path.Base(a.Path) }

// Library is sherpa-onnx. Archives and Packages are by GOARCH.
type Library struct {
	Release  string               `yaml:"release"`
	Licence  string               `yaml:"licence"`
	Files    []string             `yaml:"files"` // that are wanted of an archive
	Archives map[string]Archive   `yaml:"archives"`
	Packages map[string][]Archive `yaml:"packages"`
}

// Model is one that can be installed.
type Model struct {
	Name       string            `yaml:"name"`
	Kind       model.Kind        `yaml:"kind"`
	Languages  []string          `yaml:"languages"` // none: many
	About      string            `yaml:"about"`
	Licence    string            `yaml:"licence"`
	Archive    Archive           `yaml:"archive"`
	NetworksMB int               `yaml:"networks_mb"`
	Boards     []string          `yaml:"boards"`
	Rate       int               `yaml:"rate"`
	Files      map[string]string `yaml:"files"`
	Speakers   map[string]int    `yaml:"speakers"`
}

// Catalogue is all of it. The models of a task and a language that are proposed first stand first.
type Catalogue struct {
	Base    string  `yaml:"base"`
	Library Library `yaml:"library"`
	Models  []Model `yaml:"models"`
}

// Load reads the catalogue that is built in.
func Load() (*Catalogue, error) { return Parse(text) }

// Parse reads a catalogue and refuses one by which something could be installed that nobody has checked.
func Parse(text []byte) (*Catalogue, error) {
	c := new(Catalogue)
	if err := input.DecodeYAML(text, c); err != nil {
		return nil, fmt.Errorf("read catalogue: %w", err)
	}
	if len(c.Library.Files) == 0 || c.Library.Release == "" {
		return nil, errors.New("catalogue: the library has no release or no files")
	}
	for arch, a := range c.Library.Archives {
		for _, a := range append(slices.Clone(c.Library.Packages[arch]), a) {
			if err := a.check(); err != nil {
				return nil, fmt.Errorf("catalogue: the library for %s: %w", arch, err)
			}
		}
	}
	names := map[string]bool{}
	for i := range c.Models {
		m := &c.Models[i]
		if names[m.Name] {
			return nil, fmt.Errorf("catalogue: there are two models %s", m.Name)
		}
		names[m.Name] = true
		if err := m.check(); err != nil {
			return nil, fmt.Errorf("catalogue: the model %s: %w", m.Name, err)
		}
	}
	return c, nil
}

var sum = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (a *Archive) check() error {
	if a.Path == "" || a.Size <= 0 || !sum.MatchString(a.SHA256) {
		return errors.New("its archive has no name, no size or no SHA-256")
	}
	return nil
}

func (m *Model) check() error {
	if err := model.CheckName(m.Name); err != nil {
		return err
	}
	if err := m.Archive.check(); err != nil {
		return err
	}
	if m.Licence == "" || m.NetworksMB <= 0 {
		return errors.New("it has no licence, or nobody knows how much memory it takes")
	}
	for _, b := range m.Boards {
		if !slices.Contains(classes, b) {
			return fmt.Errorf("%q is no kind of board", b)
		}
	}
	return m.Manifest("").Check()
}

// Manifest is what stands in the folder of the model when it is installed; source is where it came from.
func (m *Model) Manifest(source string) *model.Manifest {
	return &model.Manifest{Name: m.Name, Kind: m.Kind, Languages: m.Languages, Files: m.Files, Rate: m.Rate,
		Speakers: m.Speakers, MemoryMB: m.MemoryMB(), Licence: m.Licence, Source: source}
}

// Find is the model of a name, or nil.
func (c *Catalogue) Find(name string) *Model {
	for i := range c.Models {
		if c.Models[i].Name == name {
			return &c.Models[i]
		}
	}
	return nil
}

// URL is where an archive is fetched.
func (c *Catalogue) URL(a Archive) string { return c.Base + a.Path }

// Task is what the model is for.
func (m *Model) Task() model.Task { return m.Manifest("").Task() }

// MemoryMB is about what the model takes while it is loaded: the library keeps what it computes with
// beside the networks. Measured on amd64: 395 to 449 MB for a Whisper tiny of 153 MB, 208 MB for a Piper
// voice of 63 MB, 42 MB for one of nearly nothing.
func (m *Model) MemoryMB() int { return 50 + m.NetworksMB*5/2 }

// Propose lists the models for a task and a language that suit the board, the first one first.
func (c *Catalogue) Propose(task model.Task, language string, b *Board) (list []*Model) {
	for i := range c.Models {
		m := &c.Models[i]
		if m.Task() == task && m.Manifest("").Speaks(language) && b.Doubt(m) == "" {
			list = append(list, m)
		}
	}
	return list
}
