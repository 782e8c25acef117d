package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// asMain makes this test's binary hearthctl itself, so that what is tested is
// what a person runs: arguments, both outputs, signals, exit status.
const asMain = "HEARTHCTL_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// answer is what the fake daemon answers a path with.
type answer struct {
	code int
	body string
	hang bool // until the client goes
}

// fake is a daemon of the control API's outside: paths, bodies and answers.
type fake struct {
	path    string
	hanging chan struct{} // one value for each request that hangs

	mu      sync.Mutex
	answers map[string]answer
	got     []string
}

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{path: filepath.Join(t.TempDir(), "s"), hanging: make(chan struct{}, 2), answers: make(map[string]answer)}
	l, err := net.Listen("unix", f.path)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: f}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	t.Cleanup(func() {
		srv.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	f.mu.Lock()
	f.got = append(f.got, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+string(body)))
	a, ok := f.answers[r.URL.Path]
	f.mu.Unlock()
	if !ok {
		a = answer{code: 200, body: "{}"}
	}
	w.WriteHeader(a.code)
	io.WriteString(w, a.body)
	if a.hang {
		http.NewResponseController(w).Flush()
		f.hanging <- struct{}{}
		<-r.Context().Done()
	}
}

func (f *fake) answer(path string, code int, body string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[path] = answer{code: code, body: body}
}

// hang makes path answer with body and go on until the client hangs up.
func (f *fake) hang(path, body string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[path] = answer{code: 200, body: body, hang: true}
}

// asked returns the requests since the last call.
func (f *fake) asked() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer func() { f.got = nil }()
	return strings.Join(f.got, ", ")
}

// outcome is what a person sees of one run.
type outcome struct {
	stdout, stderr string
	code           int
}

// command is hearthctl with args, in UTC and without a user's own daemon.
func command(ctx context.Context, t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), asMain+"=1", "TZ=UTC", "XDG_RUNTIME_DIR=",
		"GORACE=atexit_sleep_ms=0") // the race detector's second at the end of each process
	return cmd
}

func run(t *testing.T, args ...string) outcome {
	t.Helper()
	return finish(t, command(t.Context(), t, args...))
}

func finish(t *testing.T, cmd *exec.Cmd) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// run runs hearthctl against f.
func (f *fake) run(t *testing.T, args ...string) outcome {
	t.Helper()
	return run(t, append([]string{"--socket", f.path}, args...)...)
}

func (o outcome) expect(t *testing.T, want outcome) {
	t.Helper()
	if d := cmp.Diff(want, o, cmp.AllowUnexported(outcome{})); d != "" {
		t.Errorf("outcome (-want +got):\n%s", d)
	}
}

// golden compares a run, which must succeed silently, with testdata/name.
func (o outcome) golden(t *testing.T, name string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(file, []byte(o.stdout), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	o.expect(t, outcome{stdout: string(want)})
}
