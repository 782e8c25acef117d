package thinker

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"hearthd/config/input"
)

//go:embed prompts/system.txt
var defaultSystem string

//go:embed prompts/reflect.txt
var defaultReflect string

//go:embed prompts/summary.txt
var defaultSummary string

//go:embed prompts/responder.txt
var defaultResponder string

// Prompts are the common prompt of all domains, and those with which the memory asks a model. The
// zero value is the built-in ones.
type Prompts struct {
	System    string // who the assistant is, and how it speaks
	Reflect   string // asks for what is worth remembering
	Summary   string // asks for a summary of a conversation
	Responder string // the persona of a responder
}

// LoadPrompts reads system.txt, reflect.txt, summary.txt and responder.txt of dir. A missing file
// leaves the built-in prompt. So does one that is empty or cannot be read, which is reported, like
// a link that leads nowhere.
func LoadPrompts(dir string) (p Prompts, mistakes []error) {
	for _, f := range p.files() {
		var err error
		if *f.to, err = readPrompt(dir, f.name); err != nil {
			mistakes = append(mistakes, fmt.Errorf("load prompt: %w", err))
		}
	}
	return p.filled(), mistakes
}

// promptFile is a prompt with the file that overrides it.
type promptFile struct {
	name    string
	to      *string
	builtIn string
}

func (p *Prompts) files() []promptFile {
	return []promptFile{
		{"system.txt", &p.System, defaultSystem}, {"reflect.txt", &p.Reflect, defaultReflect},
		{"summary.txt", &p.Summary, defaultSummary}, {"responder.txt", &p.Responder, defaultResponder},
	}
}

// BuiltIn names the prompts that no file overrides.
func (p Prompts) BuiltIn() []string {
	var names []string
	for _, f := range p.files() {
		if *f.to == strings.TrimSpace(f.builtIn) {
			names = append(names, f.name)
		}
	}
	return names
}

// readPrompt returns "" where nothing overrides a prompt.
func readPrompt(dir, name string) (string, error) {
	path := filepath.Join(dir, name)
	if _, err := os.Lstat(path); dir == "" || errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	text, err := input.ReadFile(path, maxPrompt)
	if err != nil {
		return "", fmt.Errorf("%q: %w", path, err)
	}
	s := strings.TrimSpace(string(text))
	if s == "" || !utf8.ValidString(s) {
		return "", fmt.Errorf("%q: empty, or not UTF-8", path)
	}
	return s, nil
}

func (p Prompts) filled() Prompts {
	for _, f := range p.files() {
		if strings.TrimSpace(*f.to) == "" {
			*f.to = f.builtIn
		}
		*f.to = strings.TrimSpace(*f.to)
	}
	return p
}
