package real

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// startLimit is how long Ollama may take until it answers, stopLimit until it has
	// ended its runners and itself.
	startLimit = 30 * time.Second
	stopLimit  = 15 * time.Second
)

// ErrNone says that there is no Ollama to test with.
var ErrNone = errors.New("neither HEARTHD_TEST_OLLAMA nor OLLAMA_HOST is set: no real Ollama (make integration " +
	"builds one)")

// Server is an Ollama.
type Server struct {
	URL string

	cmd    *exec.Cmd // nil: it was there before
	exited chan struct{}

	mu    sync.Mutex
	lines []string
	grown chan struct{} // closed and replaced with each line
}

// Find gives the Ollama that OLLAMA_HOST names, or else starts one below dir. It
// returns ErrNone when there is neither.
func Find(ctx context.Context, dir string) (*Server, error) {
	host := os.Getenv("OLLAMA_HOST")
	if host == "" {
		return Start(ctx, dir)
	}
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	return &Server{URL: host}, nil
}

// Start runs the program that HEARTHD_TEST_OLLAMA names, on a free port of loopback and
// with its models below dir, and waits until it answers. env holds further variables,
// such as OLLAMA_MAX_QUEUE=1. It returns ErrNone when there is no program. The server
// must be closed: a killed one leaves its runners behind.
func Start(ctx context.Context, dir string, env ...string) (*Server, error) {
	program := os.Getenv("HEARTHD_TEST_OLLAMA")
	if program == "" {
		return nil, ErrNone
	}
	address, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + address, exited: make(chan struct{}), grown: make(chan struct{})}
	s.cmd = exec.Command(program, "serve")
	s.cmd.Env = append(os.Environ(), "OLLAMA_HOST="+address, "OLLAMA_MODELS="+filepath.Join(dir, "models"), "HOME="+dir,
		"OLLAMA_DEBUG=1", "OLLAMA_NO_CLOUD=1",
		// A request that is cancelled may keep its place for ever (llm/ollama, lost).
		"OLLAMA_NUM_PARALLEL=4")
	s.cmd.Env = append(s.cmd.Env, env...)
	log, w := io.Pipe()
	s.cmd.Stdout, s.cmd.Stderr = w, w
	s.cmd.WaitDelay = stopLimit // a runner that was left behind holds the log open
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start ollama: %w", err)
	}
	go s.read(log)
	go func() {
		err := s.cmd.Wait()
		s.add(fmt.Sprint("ollama ended: ", err))
		w.Close()
		close(s.exited)
	}()
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := s.Await(ctx, 0, "Listening on"); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	return l.Addr().String(), l.Close()
}

// read takes the log line by line.
func (s *Server) read(log io.Reader) {
	r := bufio.NewReader(log)
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			s.add(strings.TrimSpace(line))
		}
		if err != nil {
			return
		}
	}
}

func (s *Server) add(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, line)
	close(s.grown)
	s.grown = make(chan struct{})
}

// Own reports whether the server was started here, so that its log can be read and
// its processes may be ended.
func (s *Server) Own() bool { return s.cmd != nil }

// Mark is the end of the log now.
func (s *Server) Mark() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lines)
}

// Since gives the lines of the log behind a mark.
func (s *Server) Since(mark int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lines[mark:len(s.lines):len(s.lines)]
}

// Await waits until a line behind a mark holds text.
func (s *Server) Await(ctx context.Context, mark int, text string) error {
	for {
		s.mu.Lock()
		lines, grown := s.lines[mark:], s.grown
		s.mu.Unlock()
		for _, l := range lines {
			if strings.Contains(l, text) {
				return nil
			}
		}
		select {
		case <-grown:
		case <-s.exited:
			return fmt.Errorf("wait for %q: ollama ended\n%s", text, strings.Join(lines, "\n"))
		case <-ctx.Done():
			return fmt.Errorf("wait for %q: %w\n%s", text, ctx.Err(), strings.Join(lines, "\n"))
		}
	}
}

// KillRunners kills the processes that hold models, as the kernel does when memory
// runs out.
func (s *Server) KillRunners() error {
	// A child belongs to the thread that started it.
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", s.cmd.Process.Pid))
	if err != nil {
		return fmt.Errorf("list runners: %w", err)
	}
	killed := 0
	for _, t := range threads {
		children, err := os.ReadFile(t)
		if err != nil {
			continue // the thread has ended
		}
		for _, child := range strings.Fields(string(children)) {
			if n, err := strconv.Atoi(child); err == nil && syscall.Kill(n, syscall.SIGKILL) == nil {
				killed++
			}
		}
	}
	if killed == 0 {
		return errors.New("kill runners: there is none")
	}
	return nil
}

// Close ends a server that was started here, and its runners.
func (s *Server) Close() error {
	if s.cmd == nil {
		return nil
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop ollama: %w", err)
	}
	select {
	case <-s.exited:
		return nil
	case <-time.After(stopLimit):
		return errors.Join(fmt.Errorf("ollama did not end within %v", stopLimit), s.KillRunners(), s.cmd.Process.Kill())
	}
}

// do sends a request and gives an error with the server's words if it is refused.
func (s *Server) do(ctx context.Context, method, path string, body io.Reader) error {
	req, err := http.NewRequestWithContext(ctx, method, s.URL+path, body)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 4<<10))
	if err != nil || res.StatusCode >= http.StatusBadRequest {
		return errors.Join(fmt.Errorf("%s %s: %s: %s", method, path, res.Status, text), err)
	}
	return nil
}
