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
)

//go:embed prompts/system.txt
var defaultSystem string

//go:embed prompts/reflect.txt
var defaultReflect string

//go:embed prompts/summary.txt
var defaultSummary string

//go:embed prompts/responder.txt
var defaultResponder string

// Prompts are what every domain's prompt begins with, and what the memory asks a
// model. The zero value is what is built in.
type Prompts struct {
	System    string // who the assistant is, and how it speaks
	Reflect   string // asks for what is worth remembering
	Summary   string // asks for a summary of a conversation
	Responder string // what a responder is told of itself
}

// LoadPrompts reads system.txt, reflect.txt, summary.txt and responder.txt of dir. One that is
// missing stays as it is built in; so does one that is empty or cannot be read,
// which is named.
func LoadPrompts(dir string) (p Prompts, mistakes []error) {
	for name, to := range map[string]*string{"system.txt": &p.System, "reflect.txt": &p.Reflect, "summary.txt": &p.Summary, "responder.txt": &p.Responder} {
		if dir == "" {
			break
		}
		text, err := readPrompt(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			mistakes = append(mistakes, fmt.Errorf("load prompt: %w", err))
		default:
			*to = text
		}
	}
	return p.filled(), mistakes
}

func readPrompt(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxPrompt {
		return "", fmt.Errorf("%q: want a file of at most %d bytes", path, maxPrompt)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	s := strings.TrimSpace(string(text))
	if s == "" || !utf8.ValidString(s) {
		return "", fmt.Errorf("%q: empty, or not UTF-8", path)
	}
	return s, nil
}

func (p Prompts) filled() Prompts {
	for to, text := range map[*string]string{&p.System: defaultSystem, &p.Reflect: defaultReflect, &p.Summary: defaultSummary, &p.Responder: defaultResponder} {
		if strings.TrimSpace(*to) == "" {
			*to = text
		}
		*to = strings.TrimSpace(*to)
	}
	return p
}

// system is the system prompt of a domain. What all domains share comes first, so
// that a server that keeps evaluated prompts keeps that part when the domain
// changes.
func (p Prompts) system(d *Domain) string {
	if d.Prompt == "" {
		return p.System
	}
	return p.System + "\n\n" + strings.TrimSpace(d.Prompt)
}
