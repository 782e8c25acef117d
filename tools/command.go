package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"hearthd/llm"
	"hearthd/llm/proc"
)

const maxStderr = 2 << 10 // bytes of the end of stderr that go to the log

// Command is a tool that runs a program, declared by a manifest. The program is
// started without a shell, in a process group of its own and in the root
// folder. It reads the arguments as one JSON object on stdin, and each simple
// one in HEARTHD_ARG_<NAME>; of hearthd's environment it sees PATH, HOME, LANG
// and TZ only. What it writes on stdout is the result. When its time is up, and
// when it has ended, the whole group is killed.
type Command struct {
	spec     llm.ToolSpec
	limits   Limits
	triggers []string
	argv     []string
	env      []string
	trusted  bool
	missing  []string
	book     Book

	file         string
	line, column int // of its name
}

// Origin is the manifest that declares the tool.
func (c *Command) Origin() string { return c.file }

// Missing is what the tool requires and does not have. It is not offered then.
func (c *Command) Missing() []string { return slices.Clone(c.missing) }

// Spec describes the tool.
func (c *Command) Spec() llm.ToolSpec { return c.spec }

// Limits are those of the manifest.
func (c *Command) Limits() Limits { return c.limits }

// Triggers are the sentences that start the tool without a model.
func (c *Command) Triggers() []string { return slices.Clone(c.triggers) }

// Call runs the program once. An exit status other than 0 is an error that
// holds the end of what the program wrote on stderr.
func (c *Command) Call(ctx context.Context, call Call) (Result, error) {
	env, err := c.environment(call.Arguments)
	if err != nil {
		return Result{}, err
	}
	stdout, stderr := head{limit: maxText + 1}, tail{limit: maxStderr}
	cmd := proc.Group(ctx, c.argv, env)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(call.Arguments), &stdout, &stderr
	if err := run(cmd); err != nil {
		cause := fmt.Errorf("run command %q: %w", c.argv[0], err)
		if said := strings.TrimSpace(string(stderr.data)); said != "" {
			cause = fmt.Errorf("%w: %s", cause, strings.ToValidUTF8(said, "\uFFFD"))
		}
		name := strings.ReplaceAll(c.spec.Name, "_", " ")
		return Result{}, &Failure{Say: c.book.Say("tools.command_failed", map[string]any{"tool": name}), Cause: cause}
	}
	text := strings.TrimSpace(string(stdout.data))
	return Result{Text: shorten(text, maxText), Foreign: !c.trusted && text != ""}, nil
}

func run(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	return proc.Finish(cmd)
}

func (c *Command) environment(args json.RawMessage) ([]string, error) {
	env := proc.Inherit(c.env...)
	var values map[string]json.RawMessage
	if err := json.Unmarshal(args, &values); err != nil {
		return nil, &ArgumentError{"they are not a JSON object"}
	}
	for name, raw := range values {
		if !isArgument(name) {
			continue // on stdin only
		}
		text := string(raw)
		if raw[0] == '"' {
			if err := json.Unmarshal(raw, &text); err != nil {
				return nil, &ArgumentError{fmt.Sprintf("%s is not a string", name)}
			}
		}
		if strings.ContainsRune(text, 0) {
			return nil, &ArgumentError{fmt.Sprintf("%s contains a zero byte", name)}
		}
		env = append(env, "HEARTHD_ARG_"+strings.ToUpper(name)+"="+text)
	}
	return env, nil
}

// head keeps the first limit bytes of what is written and takes all of it, so
// that the writer does not stall.
type head struct {
	data  []byte
	limit int
}

func (h *head) Write(p []byte) (int, error) {
	h.data = append(h.data, p[:min(len(p), h.limit-len(h.data))]...)
	return len(p), nil
}

// tail keeps the last limit bytes of what is written.
type tail struct {
	data  []byte
	limit int
}

func (t *tail) Write(p []byte) (int, error) {
	t.data = append(t.data, p[max(0, len(p)-t.limit):]...)
	t.data = t.data[max(0, len(t.data)-t.limit):]
	return len(p), nil
}
