package stt

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"hearthd/audio"
	"hearthd/llm"
	"hearthd/llm/proc"
)

// How a program gets its WAV file.
const (
	inputStdin = "stdin"
	inputFile  = "file"
)

// filePlace stands in an argument where the path of the WAV file goes.
const filePlace = "{file}"

// CommandOptions says which program transcribes. It is started for each
// utterance, gets a WAV file (mono, 16 kHz, 16 bit) and writes nothing but the
// transcript on standard output.
type CommandOptions struct {
	Argv  []string // program and arguments; no shell sees them
	Input string   // inputStdin, the default, or inputFile: the path is put at {file}
}

// Command is the engine that runs a program.
type Command struct {
	options CommandOptions
	timeout time.Duration // for the transcript
}

// NewCommand checks the options. It does not look for the program.
func NewCommand(o CommandOptions) (*Command, error) {
	if err := proc.CheckArgv(o.Argv); err != nil {
		return nil, fmt.Errorf("speech to text: %w", err)
	}
	o.Input = cmp.Or(o.Input, inputStdin)
	place := slices.ContainsFunc(o.Argv, func(a string) bool { return strings.Contains(a, filePlace) })
	switch {
	case o.Input != inputStdin && o.Input != inputFile:
		return nil, fmt.Errorf("speech to text: input %q: want stdin or file", o.Input)
	case place != (o.Input == inputFile):
		return nil, fmt.Errorf("speech to text: input %s, but arguments %q", o.Input, o.Argv)
	}
	o.Argv = slices.Clone(o.Argv)
	return &Command{options: o, timeout: thinkLimit}, nil
}

// Open begins to collect an utterance. The program is started by Finish.
func (e *Command) Open(ctx context.Context) (Stream, error) {
	return newRecording(ctx, e.timeout, e.recognise), nil
}

func (e *Command) recognise(ctx context.Context, samples []int16) (t llm.Transcript, err error) {
	var wav bytes.Buffer
	if err := audio.EncodeWAV(&wav, audio.Chunk{Rate: audio.Rate, Samples: samples}); err != nil {
		return t, err
	}
	if e.options.Input == inputStdin {
		return run(ctx, e.options.Argv, wav.Bytes())
	}
	path, err := writeTemp(wav.Bytes())
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, os.Remove(path)) }()
	argv := slices.Clone(e.options.Argv)
	for i := range argv {
		argv[i] = strings.ReplaceAll(argv[i], filePlace, path)
	}
	return run(ctx, argv, nil)
}

// writeTemp writes b to a new file that only this user can read. Programs look
// at its name to tell what it is.
func writeTemp(b []byte) (string, error) {
	f, err := os.CreateTemp("", "hearthd-*.wav")
	if err != nil {
		return "", fmt.Errorf("write utterance: %w", err)
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("write utterance: %w", err), os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// run gives stdin to a program and takes its output for a transcript.
func run(ctx context.Context, argv []string, stdin []byte) (llm.Transcript, error) {
	p, err := proc.Start(ctx, argv, bytes.NewReader(stdin))
	if err != nil {
		return llm.Transcript{}, err
	}
	out, err := io.ReadAll(io.LimitReader(p, maxTranscript+1))
	if err == nil && len(out) > maxTranscript {
		err = fmt.Errorf("read transcript: longer than %d bytes", maxTranscript)
	}
	closed := p.Close()
	switch {
	case ctx.Err() != nil:
		return llm.Transcript{}, fmt.Errorf("run %s: %w", argv[0], context.Cause(ctx))
	case err != nil:
		return llm.Transcript{}, err
	case closed != nil:
		return llm.Transcript{}, closed
	}
	return transcript(string(out))
}
