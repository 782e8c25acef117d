// Package proc runs programs of the house: an argument list, never a shell, in a
// process group of its own with a minimal environment. One goroutine of os/exec
// feeds standard input, one collects standard error, one watches the context;
// all have ended when Close returns. It imports nothing of hearthd.
package proc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode"
)

// maxComplaint bounds what of the program's standard error is kept, in bytes.
const maxComplaint = 200

// CheckArgv refuses what Start cannot run: the program is a bare name that is
// looked up in PATH, or an absolute path.
func CheckArgv(argv []string) error {
	switch {
	case len(argv) == 0 || argv[0] == "":
		return errors.New("command: no program")
	case strings.Contains(argv[0], "/") && !filepath.IsAbs(argv[0]):
		return fmt.Errorf("command %q: want a name or an absolute path", argv[0])
	}
	for _, a := range argv {
		if strings.ContainsRune(a, 0) {
			return fmt.Errorf("command %q: an argument holds a zero byte", argv[0])
		}
	}
	return nil
}

// Process is a running program. It is used by one goroutine.
type Process struct {
	name   string
	cmd    *exec.Cmd
	stdout io.ReadCloser
	stderr *head
	eof    bool
	stop   func() bool
	cancel context.CancelFunc
}

// Start runs argv with stdin as its standard input, nothing if it is nil, in the root folder, with no environment but
// PATH, LANG=C.UTF-8 and HOME=/: the daemon's own environment is none of the program's business.
// When ctx ends, the program and all of its process group are killed and Read returns.
func Start(ctx context.Context, argv []string, stdin io.Reader) (*Process, error) {
	if err := CheckArgv(argv); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	p := &Process{name: filepath.Base(argv[0]), stderr: &head{}, cancel: cancel}
	p.cmd = Group(ctx, argv, []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=/"})
	p.cmd.Stdin = stdin
	p.cmd.Stderr = p.stderr
	var err error
	if p.stdout, err = p.cmd.StdoutPipe(); err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		err = cmp.Or(context.Cause(ctx), err) // why it was not even started
		cancel()
		return nil, fmt.Errorf("run %s: %w", p.name, err)
	}
	// A descendant that left the group may hold the pipe open: Read must return
	// all the same. The error of closing twice says nothing.
	p.stop = context.AfterFunc(ctx, func() { _ = p.stdout.Close() })
	return p, nil
}

// Read reads standard output.
func (p *Process) Read(b []byte) (int, error) {
	n, err := p.stdout.Read(b)
	p.eof = p.eof || err == io.EOF
	return n, err
}

// Close frees all that the process holds. A program whose output was read to
// its end gets the time to exit by itself, until the context of Start ends; its
// exit status and the first words on its standard error are the error. Any other
// program is killed, and the error is nil.
func (p *Process) Close() error {
	finished := p.eof
	if !finished {
		p.cancel()
	}
	err := Finish(p.cmd)
	p.stop()
	p.cancel()
	switch {
	case !finished || err == nil:
		return nil
	case p.stderr.String() != "":
		return fmt.Errorf("run %s: %w: %s", p.name, err, p.stderr)
	}
	return fmt.Errorf("run %s: %w", p.name, err)
}

// head keeps the first bytes that are written to it.
type head struct{ b []byte }

func (h *head) Write(b []byte) (int, error) {
	h.b = append(h.b, b[:min(len(b), maxComplaint-len(h.b))]...)
	return len(b), nil
}

// String is what was written, as one line of what can be printed.
func (h *head) String() string {
	unseen := func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) }
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(string(h.b), ""), unseen), " ")
}
