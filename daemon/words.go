package daemon

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"hearthd/config"
	"hearthd/daemon/dialogue"
	"hearthd/vad/wake"
	"hearthd/vad/wake/micro"
)

// CheckWords names every wake word of c that cannot be heard, with what is wrong
// with it. Words without a path are looked for below folder state.
func CheckWords(c config.Config, state string) []error {
	_, mistakes := openWords(c.Wake.Words, state)
	return mistakes
}

// openWords makes spotters for the wake words of the configuration. A word that
// cannot be heard is among the mistakes, and the others are heard.
func openWords(list []config.WakeWord, state string) (spotters []wake.Spotter, mistakes []error) {
	var models []*micro.Model
	for _, w := range list {
		m, err := micro.Load(wordFile(w.Model, state))
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("wake word %q: %w", w.Called(), err))
			continue
		}
		m.Name = w.Called()
		m.Cutoff = cmp.Or(w.Cutoff, m.Cutoff)
		models = append(models, m)
	}
	if len(models) == 0 {
		return nil, mistakes
	}
	s, err := micro.New(models...)
	if err != nil {
		return nil, append(mistakes, err)
	}
	return []wake.Spotter{s}, mistakes
}

// wordFile is where the model of a wake word lies: a path, or the name of one
// that was installed.
func wordFile(model, state string) string {
	if strings.Contains(model, "/") {
		return model
	}
	return filepath.Join(state, "wake", strings.TrimSuffix(model, ".json")+".json")
}

// words are the wake words as the dialogue knows them.
func words(list []config.WakeWord) []dialogue.Word {
	var out []dialogue.Word
	for _, w := range list {
		word := dialogue.Word{Name: w.Called(), Stop: w.Kind == "stop", Route: w.Route}
		if word.Route == "any" {
			word.Route = ""
		}
		out = append(out, word)
	}
	return out
}

// wordsText is the condition for wake words that are not heard.
func wordsText(mistakes []error) string {
	return "Not every wake word is heard: " + strings.ReplaceAll(errors.Join(mistakes...).Error(), "\n", "; ") + "."
}
