package oracle

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hearthd/llm"
	"hearthd/llm/realtime"
)

// aimock is a server of many models' protocols, by people who do not know hearthd.
const aimock = "@copilotkit/aimock@1.43.0"

// TestAimockIsUnderstood starts aimock, which npm fetches once, and talks to it.
func TestAimockIsUnderstood(t *testing.T) {
	at := startAimock(t)
	c := connect(t, "http://"+at+"/v1", "sesame")
	for _, q := range []struct {
		asks, answer string
		calls        []string
	}{
		{"hello there", "Hello! How can I help you today?", nil},
		{"look outside", "It rains.", []string{"look"}},
		{"goodbye", "Goodbye! Have a great day!", nil},
		{"", "Goodbye! Have a great day!", nil}, // it takes speech, and goes by the text before
	} {
		h := c.ask(t, q.asks)
		if h.err != nil || h.text != q.answer || !slices.Equal(h.calls, q.calls) {
			t.Errorf("%q: %+v", q.asks, h)
		}
	}
}

// TestAnotherServerIsUnderstood talks to the server whose base URL HEARTHD_TEST_REALTIME
// is, with the key HEARTHD_TEST_REALTIME_KEY: one of speech, of text, and of one that is cut.
func TestAnotherServerIsUnderstood(t *testing.T) {
	url := os.Getenv("HEARTHD_TEST_REALTIME")
	if url == "" {
		t.Skip("HEARTHD_TEST_REALTIME is not the base URL of a Realtime server, such as http://127.0.0.1:8000/v1")
	}
	c := connect(t, url, os.Getenv("HEARTHD_TEST_REALTIME_KEY"))
	for _, asks := range []string{"", "look outside", "", "hello there"} {
		h := c.ask(t, asks)
		if h.err != nil || h.text == "" && h.audio == 0 {
			t.Errorf("%q: %+v", asks, h)
		}
		t.Logf("%q: %+v", asks, h)
	}
	turn, err := c.Open(t.Context())
	check(t, err)
	c.say(t, turn, "hello there")
	for _, err := range turn.Answer(t.Context(), limit, limit) {
		check(t, err)
		break
	}
	turn.Cut(0)
	if h := c.ask(t, "hello there"); h.err != nil || h.text == "" && h.audio == 0 {
		t.Errorf("after a turn that was cut: %+v", h)
	}
	if log := c.log.String(); log != "" {
		t.Errorf("the client was not content:\n%s", log)
	}
}

// startAimock is where it listens.
func startAimock(t *testing.T) string {
	npx, err := exec.LookPath("npx")
	if err != nil {
		t.Skip("npx is not installed (Debian: npm)")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	at := l.Addr().String()
	check(t, l.Close())
	_, port, err := net.SplitHostPort(at)
	check(t, err)
	cmd := exec.Command(npx, "--yes", "--package", aimock, "llmock", "--fixtures", "aimock.json", "--host", "127.0.0.1", "--port", port)
	var said lines
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // npx starts another process
	check(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // it is killed
	}()
	t.Cleanup(func() {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Error(err)
		}
		<-ended
	})
	for end := time.Now().Add(3 * time.Minute); ; <-time.After(50 * time.Millisecond) {
		if conn, err := net.Dial("tcp", at); err == nil {
			check(t, conn.Close())
			return at
		}
		select {
		case <-ended:
			t.Skipf("npx cannot run %s:\n%s", aimock, said.String())
		default:
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not listen:\n%s", aimock, said.String())
		}
	}
}

// lines is what a program wrote.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// caller is our client, with one tool.
type caller struct {
	*realtime.Client
	log lines // from Info on
}

func connect(t *testing.T, url, key string, change ...func(*realtime.Options)) *caller {
	t.Helper()
	c := &caller{}
	o := realtime.Options{URL: url, Key: key, Model: "gpt-realtime", Voice: "marin", Log: slog.New(slog.NewTextHandler(io.Writer(&c.log), nil))}
	for _, f := range change {
		f(&o)
	}
	client, err := realtime.New(realtime.ClientOptions{
		Options: o, Idle: time.Minute, Changed: func(error) {},
		Persona: func(context.Context) realtime.Persona {
			return realtime.Persona{Instructions: "Be short.", Tools: []llm.ToolSpec{{Name: "look", Description: "Looks outside.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}}}
		},
	})
	check(t, err)
	c.Client = client
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		if err := client.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		cancel()
		ended.Wait()
	})
	return c
}

// answer is what came.
type answer struct {
	text  string
	audio int
	calls []string
	err   error
}

// say speaks for a second, after a note of the words that it stands for.
func (c *caller) say(t *testing.T, turn *realtime.Turn, text string) {
	t.Helper()
	if text != "" {
		c.Note([]llm.Message{{Role: llm.User, Content: text}})
	}
	check(t, turn.Write(make([]int16, 16000)))
	check(t, turn.Commit())
}

// ask holds one turn.
func (c *caller) ask(t *testing.T, text string) (h answer) {
	t.Helper()
	turn, err := c.Open(t.Context())
	check(t, err)
	c.say(t, turn, text)
	for d, err := range turn.Answer(t.Context(), limit, limit) {
		h.text, h.audio = h.text+d.Text, h.audio+len(d.Audio)
		if d.Call != nil {
			h.calls = append(h.calls, d.Call.Name)
			turn.Result(d.Call.ID, "rain")
		}
		h.err = errors.Join(h.err, err)
	}
	turn.Cut(time.Hour)
	return h
}
