// Package ctltest runs hearthctl as a person does, against a daemon of the control API's
// outside.
package ctltest

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
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

// Update says that the golden files are rewritten.
var Update = flag.Bool("update", false, "rewrite the golden files")

// asMain makes a test's binary hearthctl itself, so that what is tested is
// what a person runs: arguments, both outputs, signals, exit status.
const asMain = "HEARTHCTL_TEST_MAIN"

// Main runs the tests, or main where Command has asked for it.
func Main(m *testing.M, main func()) {
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

// Fake is a daemon of the control API's outside: paths, bodies and answers.
type Fake struct {
	Path    string        // of its socket
	Hanging chan struct{} // one value for each request that hangs

	mu      sync.Mutex
	answers map[string]answer
	got     []string
}

// NewFake listens until the test ends. It answers {} where it was told nothing else.
func NewFake(t *testing.T) *Fake {
	t.Helper()
	f := &Fake{Path: filepath.Join(t.TempDir(), "s"), Hanging: make(chan struct{}, 2), answers: make(map[string]answer)}
	l, err := net.Listen("unix", f.Path)
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup // connections, which Close does not wait for
	srv := &http.Server{Handler: f, ConnState: func(_ net.Conn, s http.ConnState) {
		switch s {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed, http.StateHijacked:
			open.Done()
		}
	}}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	t.Cleanup(func() {
		srv.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
		open.Wait()
	})
	return f
}

func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
		f.Hanging <- struct{}{}
		<-r.Context().Done()
	}
}

// Answer makes path answer so from now on.
func (f *Fake) Answer(path string, code int, body string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[path] = answer{code: code, body: body}
}

// Hang makes path answer with body and go on until the client hangs up.
func (f *Fake) Hang(path, body string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[path] = answer{code: 200, body: body, hang: true}
}

// Asked returns the requests since the last call.
func (f *Fake) Asked() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer func() { f.got = nil }()
	return strings.Join(f.got, ", ")
}

// Outcome is what a person sees of one run.
type Outcome struct {
	Stdout, Stderr string
	Code           int
}

// Command is hearthctl with args, in UTC and without a user's own daemon.
func Command(ctx context.Context, t *testing.T, args ...string) *exec.Cmd {
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

// InShell runs script before cmd, in the same process.
func InShell(cmd *exec.Cmd, script string) {
	cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", script + `; exec "$0" "$@"`}, cmd.Args...)
}

// Run runs hearthctl with args.
func Run(t *testing.T, args ...string) Outcome {
	t.Helper()
	return Finish(t, Command(t.Context(), t, args...))
}

// Finish runs cmd until it ends.
func Finish(t *testing.T, cmd *exec.Cmd) Outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return Outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// Run runs hearthctl against f.
func (f *Fake) Run(t *testing.T, args ...string) Outcome {
	t.Helper()
	return Run(t, append([]string{"--socket", f.Path}, args...)...)
}

// Expect compares a run with want.
func (o Outcome) Expect(t *testing.T, want Outcome) {
	t.Helper()
	if d := cmp.Diff(want, o); d != "" {
		t.Errorf("outcome (-want +got):\n%s", d)
	}
}

// Golden compares a run, which must succeed silently, with testdata/name.
func (o Outcome) Golden(t *testing.T, name string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *Update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(file, []byte(o.Stdout), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	o.Expect(t, Outcome{Stdout: string(want)})
}

// Meter is the body of a stream of n readings of the microphone.
func Meter(n int, fields string) string {
	var b strings.Builder
	b.WriteString(": hearthd\n\n")
	for i := range n {
		fmt.Fprintf(&b, "data: {\"at_s\":%.1f,%s}\n\n: \n\n", 0.1*float64(i+1), fields)
	}
	return b.String()
}

// Speech are the fields of a reading while somebody speaks well.
const Speech = `"level_dbfs":-27.3,"quiet_dbfs":-61.2,"peak_dbfs":-14.6,"clipped":0,"speech":0.97,"held":false,"wake":{"stop":0.01,"hey hearth":0.625}`
