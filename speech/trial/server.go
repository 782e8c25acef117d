package trial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"hearthd/config/letters"
	"hearthd/llm/wyoming"
)

const (
	// nobody is whom root becomes: the service has no account of its own while it does not run.
	nobody     = 65534
	startLimit = 30 * time.Second
	startLook  = 50 * time.Millisecond
	stopLimit  = 5 * time.Second
	maxWords   = 4 << 10 // bytes of what the server says that are kept
)

// Server is a hearth-speech of its own, beside that of the service.
type Server struct {
	Address string

	cmd   *exec.Cmd
	dir   string
	ended chan struct{}
	words *tail
}

// tail keeps the end of what is written.
type tail struct{ bytes.Buffer }

func (t *tail) Write(b []byte) (int, error) {
	t.Buffer.Write(b)
	if n := t.Len() - maxWords; n > 0 {
		t.Next(n)
	}
	return len(b), nil
}

var _ io.Writer = (*tail)(nil)

// Start starts program over a state folder, and waits until it answers. Close ends it.
func Start(ctx context.Context, program, state string) (*Server, error) {
	dir, err := os.MkdirTemp("", "hearth-speech-trial-")
	if err != nil {
		return nil, err
	}
	s := &Server{Address: "unix:" + filepath.Join(dir, "socket"), dir: dir, ended: make(chan struct{}), words: new(tail)}
	s.cmd = exec.Command(program, "--state", state, "--listen", s.Address)
	s.cmd.Stdout, s.cmd.Stderr = s.words, s.words
	s.cmd.Env = append(os.Environ(), "HOME="+dir, "JOURNAL_STREAM=")
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() == 0 {
		s.cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		if err := os.Chown(dir, nobody, nobody); err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	if err := s.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", program, err), os.RemoveAll(dir))
	}
	go func() {
		_ = s.cmd.Wait() // what it said tells more
		close(s.ended)
	}()
	if err := s.wait(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// wait waits until the server answers.
func (s *Server) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	tick := time.NewTicker(startLook)
	defer tick.Stop()
	for {
		conn, err := wyoming.Dial(ctx, s.Address, dialLimit)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-s.ended:
			return fmt.Errorf("hearth-speech has ended: %s", s.last())
		case <-ctx.Done():
			return fmt.Errorf("hearth-speech does not begin to serve: %w", context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// last is what the server said last. It has ended.
func (s *Server) last() string {
	lines := strings.Split(strings.TrimSpace(s.words.String()), "\n")
	return letters.Plain(lines[len(lines)-1], 300)
}

// PeakMB is the most memory that the server has had.
func (s *Server) PeakMB() int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var kB int
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kB); err == nil {
			return kB * 1024 / 1_000_000
		}
	}
	return 0
}

// Close ends the server, which may hang in an engine.
func (s *Server) Close() error {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(stopLimit):
		_ = s.cmd.Process.Kill()
		<-s.ended
	}
	return os.RemoveAll(s.dir)
}
