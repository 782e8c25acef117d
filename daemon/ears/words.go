package ears

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hearthd/audio"
	"hearthd/vad/wake"
	"hearthd/vad/wake/enrolled"
	"hearthd/vad/wake/micro"
)

// Word is a wake word that is listened for.
type Word struct {
	// Model is the .json of a microWakeWord model, an enrolled word, or the name that
	// Server gives the word. Without a slash it is looked for among the installed ones.
	Model  string
	Server string  // a Wyoming wake server, host:port or unix:/path; empty: it is heard here
	Name   string  // as events show it
	Stop   bool    // it silences the speaker and opens nothing
	Route  string  // the one route that its turns may take; empty: any
	Cutoff float64 // 0: the model's own
}

// openWords makes spotters for the wake words that are heard here, not by servers. A word
// that cannot be used is among the mistakes, and the others are used.
func openWords(list []Word, state string) (spotters []wake.Spotter, mistakes []error) {
	var o opened
	for _, w := range list {
		if w.Server != "" {
			continue
		}
		if err := o.open(&w, wordFile(w.Model, state)); err != nil {
			mistakes = append(mistakes, fmt.Errorf("wake word %q: %w", w.Name, err))
		}
	}
	if len(o.models) > 0 {
		if s, err := micro.New(o.models...); err == nil {
			spotters = append(spotters, s)
		} else {
			mistakes = append(mistakes, err)
		}
	}
	if len(o.templates) > 0 {
		if s, err := enrolled.New(o.templates...); err == nil {
			spotters = append(spotters, s)
		} else {
			mistakes = append(mistakes, err)
		}
	}
	return spotters, mistakes
}

// opened are wake words that have been read from files.
type opened struct {
	models    []*micro.Model
	templates []*enrolled.Template
}

// open reads one more word and gives it its name in the configuration.
func (o *opened) open(w *Word, file string) error {
	if filepath.Ext(file) == enrolledExt {
		t, err := enrolled.Load(file)
		if err == nil {
			err = roomFor(len(o.templates))
		}
		if err == nil {
			o.templates = append(o.templates, t.Named(w.Name))
		}
		return err
	}
	m, err := micro.Load(file)
	if err == nil {
		err = roomFor(len(o.models))
	}
	if err != nil {
		return err
	}
	m.Name = w.Name
	if w.Cutoff > 0 {
		m.Cutoff, m.Margin = w.Cutoff, 0
	}
	o.models = append(o.models, m)
	return nil
}

// roomFor refuses a word if there are as many of its kind as may be.
func roomFor(have int) error {
	if have == wake.MaxWords {
		return fmt.Errorf("it is one too many: want at most %d of a kind", wake.MaxWords)
	}
	return nil
}

// renamed gives the words of a spotter the names of the configuration.
type renamed struct {
	wake.Spotter
	called map[string]string
}

func (r renamed) Push(f *audio.Frame, at audio.Position) []wake.Detection {
	found := r.Spotter.Push(f, at)
	for i := range found {
		if name, ok := r.called[found[i].Name]; ok {
			found[i].Name = name
		}
	}
	return found
}

// The folder of wake words holds manifests of microWakeWord models with their networks, and
// words that were enrolled here.
const (
	wordsDir    = "wake"
	modelExt    = ".json"
	networkExt  = ".tflite"
	enrolledExt = ".word"
)

// wordFile is the file of a wake word, which is given as a path or as the name of an
// installed or enrolled word.
func wordFile(model, state string) string {
	if strings.Contains(model, "/") {
		return model
	}
	file := filepath.Join(state, wordsDir, model)
	if ext := filepath.Ext(model); ext == modelExt || ext == enrolledExt {
		return file
	}
	if _, err := os.Stat(file + enrolledExt); err == nil {
		return file + enrolledExt
	}
	return file + modelExt
}

// wordsText is the condition about wake words that cannot be used.
func wordsText(mistakes []error) string {
	return "Not every wake word is heard: " + strings.ReplaceAll(errors.Join(mistakes...).Error(), "\n", "; ") + "."
}
