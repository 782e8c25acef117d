package tts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"hearthd/audio"
	"hearthd/llm/proc"
)

// textPlace stands in an argument where the sentence goes.
const textPlace = "{text}"

// CommandOptions says which program speaks. It is started for each sentence and
// writes a WAV (16 bit) on standard output.
type CommandOptions struct {
	// Argv is the program and its arguments; no shell sees them. The sentence is
	// put at {text}, or is the standard input if there is none. An argument that
	// begins with {text} never begins with a dash.
	Argv []string
}

// Espeak speaks with Debian's espeak-ng. An empty name is its default voice;
// others are listed by espeak-ng --voices. It writes while it speaks.
func Espeak(name string) CommandOptions {
	// -b 1: the text is UTF-8.
	return CommandOptions{Argv: []string{"espeak-ng", "-v", cmp.Or(name, "en"), "-b", "1", "--stdin", "--stdout"}}
}

// Flite speaks with Debian's flite. An empty name is the voice slt; others are listed by flite -lv,
// and for a name that it does not know flite falls back to its default. It writes all at once. It
// can write to a pipe only the speech of an argument, not that of a text file, and takes what
// follows -t literally.
func Flite(name string) CommandOptions {
	return CommandOptions{Argv: []string{"flite", "-voice", cmp.Or(name, "slt"), "-o", "/dev/stdout", "-t", textPlace}}
}

// Command is the engine that runs a program.
type Command struct {
	options CommandOptions
	place   bool          // the sentence is an argument
	timeout time.Duration // without speech
}

// NewCommand checks the options. It does not look for the program.
func NewCommand(o CommandOptions) (*Command, error) {
	if err := proc.CheckArgv(o.Argv); err != nil {
		return nil, fmt.Errorf("text to speech: %w", err)
	}
	if strings.Contains(o.Argv[0], textPlace) {
		return nil, errors.New("text to speech: the program cannot be " + textPlace)
	}
	o.Argv = slices.Clone(o.Argv)
	return &Command{
		options: o, timeout: silenceLimit,
		place: slices.ContainsFunc(o.Argv, func(a string) bool { return strings.Contains(a, textPlace) }),
	}, nil
}

// Speak implements Engine.
func (e *Command) Speak(ctx context.Context, text string) iter.Seq2[audio.Chunk, error] {
	return speak(ctx, text, e.timeout, e.open)
}

func (e *Command) open(ctx context.Context, text string) (source, error) {
	argv, stdin := e.options.Argv, text
	if e.place {
		argv, stdin = arguments(argv, text), ""
	}
	p, err := proc.Start(ctx, argv, strings.NewReader(stdin))
	if err != nil {
		return nil, err
	}
	return &wavSource{r: p, stop: func() error { return hide(p.Close(), argv[0], text) }}, nil
}

// repeated is how many bytes of the sentence in a row make a complaint repeat it.
const repeated = 12

// hide keeps a program's complaint from repeating the sentence, or a part of it.
func hide(err error, program, text string) error {
	if err == nil {
		return nil
	}
	said := err.Error()
	for i := 0; i == 0 || i+repeated <= len(text); i++ {
		if strings.Contains(said, text[i:min(i+repeated, len(text))]) {
			return fmt.Errorf("run %s: it failed on the sentence", program)
		}
	}
	return err
}

// arguments puts text into argv. A space in front keeps a dash from turning it into an option; no
// program says the space aloud.
func arguments(argv []string, text string) []string {
	out := slices.Clone(argv)
	for i, a := range out {
		if strings.HasPrefix(a, textPlace) && strings.HasPrefix(text, "-") {
			a = " " + a
		}
		out[i] = strings.ReplaceAll(a, textPlace, text)
	}
	return out
}
