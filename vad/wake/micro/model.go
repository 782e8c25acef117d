package micro

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"hearthd/config/input"
	"hearthd/vad/wake/micro/feature"
	"hearthd/vad/wake/micro/tflite"
)

// Bounds of the files. ESPHome's manifests have 400 bytes, its networks 34 to
// 81 kB.
const (
	maxManifest = 64 << 10
	maxNetwork  = 4 << 20
	maxText     = 128
	maxWindow   = 100 // inferences
	maxStride   = 10  // rows of features per inference
	maxReach    = 500 // inferences that a network looks back; ESPHome's 32 to 61
)

// Model is one wake word. What is exported comes from the manifest and may be
// changed before the Model is given to New.
type Model struct {
	Name   string  // what a Detection is called: wake_word
	Cutoff float64 // by which the cutoff is lower for a word that follows a pause; 0: none
	Margin float64 // that the cutoff lies lower for a word that follows a pause; 0: none
	Window int     // inferences in that mean

	network []byte
}

// manifest is the file format, version 2 (esphome.io, Micro Wake Word).
type manifest struct {
	Type      string   `json:"type"`
	WakeWord  string   `json:"wake_word"`
	Author    string   `json:"author"`
	Website   string   `json:"website"`
	Model     string   `json:"model"`
	Languages []string `json:"trained_languages"`
	Version   int      `json:"version"`
	Micro     struct {
		Cutoff  float64 `json:"probability_cutoff"`
		Window  int     `json:"sliding_window_size"`
		Step    int     `json:"feature_step_size"`
		Arena   int     `json:"tensor_arena_size"`
		Minimum string  `json:"minimum_esphome_version"`
	} `json:"micro"`
}

// Load reads a manifest and the network beside it. A file of another kind, or one that is cut
// short, gives an error that says what was expected.
func Load(jsonPath string) (*Model, error) {
	text, err := input.ReadFile(jsonPath, maxManifest)
	if err != nil {
		return nil, fmt.Errorf("read wake word manifest %s: %w", jsonPath, err)
	}
	m, err := parseManifest(text)
	if err != nil {
		return nil, fmt.Errorf("read wake word manifest %s: %w", jsonPath, err)
	}
	path := filepath.Join(filepath.Dir(jsonPath), m.Model)
	network, err := input.ReadFile(path, maxNetwork)
	if err != nil {
		return nil, fmt.Errorf("read wake word network %s: %w", path, err)
	}
	if _, err := newNetwork(network); err != nil {
		return nil, fmt.Errorf("read wake word network %s: %w", path, err)
	}
	return &Model{
		Name: m.WakeWord, Cutoff: m.Micro.Cutoff, Margin: min(margin, m.Micro.Cutoff/2), Window: m.Micro.Window,
		network: network,
	}, nil
}

func parseManifest(text []byte) (*manifest, error) {
	m := &manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("want the JSON of a microWakeWord model: %w", err)
	}
	if m.Type != "micro" || m.Version != 2 {
		return nil, fmt.Errorf(`type %.40q version %d: want "micro" version 2`, m.Type, m.Version)
	}
	p := &m.Micro
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	for _, t := range append([]string{m.WakeWord, m.Author, m.Website, p.Minimum}, m.Languages...) {
		check(len(t) <= maxText && utf8.ValidString(t), "a text of %d bytes: want at most %d", len(t), maxText)
	}
	check(strings.TrimSpace(m.WakeWord) != "", "wake_word is missing")
	check(len(m.Languages) <= 100, "%d trained_languages: want at most 100", len(m.Languages))
	check(isName(m.Model), "model %.80q: want the name of a .tflite file beside the manifest", m.Model)
	check(p.Cutoff > 0 && p.Cutoff <= 1, "probability_cutoff %v: want more than 0 and at most 1", p.Cutoff)
	check(p.Window >= 1 && p.Window <= maxWindow, "sliding_window_size %d: want 1 to %d", p.Window, maxWindow)
	check(p.Step == 10, "feature_step_size %d: want 10 (ms)", p.Step)
	check(p.Arena >= 0 && p.Arena <= maxNetwork, "tensor_arena_size %d: want 0 to %d", p.Arena, maxNetwork)
	return m, errors.Join(errs...)
}

// isName says whether s names a file and nothing but a file.
func isName(s string) bool {
	return strings.HasSuffix(s, ".tflite") && len(s) <= maxText && utf8.ValidString(s) &&
		!strings.ContainsAny(s, "/\\\x00") && filepath.IsLocal(s)
}

// newNetwork makes an interpreter and checks that the network takes rows of
// features and gives one probability, as ESPHome does; some users export it as a float.
func newNetwork(file []byte) (*tflite.Interpreter, error) {
	n, err := tflite.Load(file)
	if err != nil {
		return nil, err
	}
	in, out := n.InputShape(), n.OutputShape()
	switch {
	case len(in) != 3 || in[0] != 1 || in[2] != feature.Bands || in[1] > maxStride:
		return nil, fmt.Errorf("input %v: want [1 rows %d], at most %d rows", in, feature.Bands, maxStride)
	case len(out) != 2 || out[0] != 1 || out[1] != 1 || !n.Unsigned() && n.Floats() == nil:
		return nil, fmt.Errorf("output %v: want one uint8 or float32", out)
	case n.Reach() > maxReach:
		return nil, fmt.Errorf("memory of %d inferences: want at most %d", n.Reach(), maxReach)
	}
	return n, nil
}
