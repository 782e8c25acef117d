package stt

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"hearthd/llm"
)

// PhraseOptions is what NewPhrase takes.
type PhraseOptions struct {
	Phrase  string // of words that the model's dictionary has
	Dir     string // an existing directory of the engine's own
	Program string // default pocketsphinx_batch
	Log     *slog.Logger
}

// NewPhrase makes a Pocketsphinx that hears one phrase at the beginning of an utterance, whatever follows it, or
// nothing: the program's search for a keyphrase among phones. It takes a fortieth of real time.
func NewPhrase(o PhraseOptions) (*Pocketsphinx, error) {
	if o.Log == nil || o.Dir == "" || o.Phrase == "" {
		return nil, errors.New("use pocketsphinx: log, directory and phrase are required")
	}
	program, err := exec.LookPath(cmp.Or(o.Program, "pocketsphinx_batch"))
	if err != nil {
		return nil, fmt.Errorf("find program (Debian package pocketsphinx): %w: %w", ErrNotInstalled, err)
	}
	words := strings.FieldsFunc(strings.ToLower(o.Phrase), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	lines, err := cutDictionary(filepath.Join(modelDir, "cmudict-en-us.dict"), words)
	if err != nil {
		return nil, err
	}
	phones := map[string]string{}
	for line := range strings.Lines(lines) {
		if word, sounds, _ := strings.Cut(strings.TrimSpace(line), " "); phones[word] == "" {
			phones[word] = strings.TrimSpace(sounds)
		}
	}
	phrase, sounds := strings.Join(words, "_"), ""
	for _, w := range words {
		sounds += " " + phones[w]
	}
	dict, list := filepath.Join(o.Dir, "phrase.dict"), filepath.Join(o.Dir, "phrase.list")
	if err := errors.Join(os.WriteFile(dict, []byte(phrase+sounds+"\n"), 0o600),
		os.WriteFile(list, []byte(phrase+" /"+anything+"/\n"), 0o600)); err != nil {
		return nil, fmt.Errorf("write phrase: %w", err)
	}
	search := append([]string{"-kws", list, "-dict", dict}, batch(o.Dir)...)
	return &Pocketsphinx{dir: o.Dir, program: program, searches: [][]string{search}, phrase: phrase, log: o.Log}, nil
}

// What is taken for the phrase.
const (
	// anything is the program's own threshold: it gives what is at all like the phrase, and its score decides.
	anything = "1e-80"
	// early is where the phrase begins at the latest, in frames of 10 ms, of which trim leaves 20 before the voice.
	early = 60
	// called is the least score of a frame (rigs/speechtest/RESULTS.md).
	called = -34
)

// opening reads what a search for a phrase found: what comes first in the recording comes last.
func opening(line, phrase string) (llm.Transcript, error) {
	f := strings.Fields(line)
	if len(f) < 10 || (len(f)-10)%4 != 0 {
		return llm.Transcript{}, fmt.Errorf("read result of %d fields: not a segmentation", len(f))
	}
	if len(f) == 10 || f[len(f)-2] != phrase {
		return llm.Transcript{Rejected: true}, nil
	}
	start, err := frameNumber(f[len(f)-5])
	if err != nil {
		return llm.Transcript{}, err
	}
	end, err := frameNumber(f[len(f)-1])
	if err != nil {
		return llm.Transcript{}, err
	}
	score, err := strconv.Atoi(f[len(f)-4])
	if err != nil {
		return llm.Transcript{}, fmt.Errorf("read score: %w", err)
	}
	margin := float64(score)/float64(max(1, end-start)) - called
	if start > early || margin < 0 {
		return llm.Transcript{Rejected: true, Margin: margin}, nil
	}
	return llm.Transcript{Text: strings.ReplaceAll(phrase, "_", " "), Margin: margin}, nil
}
