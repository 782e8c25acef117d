package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// asServer makes this test's binary a server that is a program.
const asServer = "HEARTHD_TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	if kind := os.Getenv(asServer); kind != "" {
		if kind == "deaf" {
			select {}
		}
		if kind == "stuck" {
			stuck()
		}
		if err := kitchen(kind).Run(context.Background(), &mcp.StdioTransport{}); err != nil &&
			!errors.Is(err, io.EOF) {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		return
	}
	os.Exit(m.Run())
}

// stuck is a server that reads nothing any more once its tools were listed.
func stuck() {
	s := mcp.NewServer(&mcp.Implementation{Name: "kitchen", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "write", Description: "writes"},
		func(context.Context, *mcp.CallToolRequest, struct {
			Text string `json:"text"`
		}) (*mcp.CallToolResult, any, error) {
			return nil, nil, nil
		})
	_ = s.Run(context.Background(), &mcp.IOTransport{Reader: &listening{}, Writer: os.Stdout})
}

type listening struct{ listed bool }

func (l *listening) Read(p []byte) (int, error) {
	if l.listed {
		<-time.After(time.Hour) // a select without cases would be found out as a deadlock
	}
	n, err := os.Stdin.Read(p)
	l.listed = strings.Contains(string(p[:n]), `"tools/list"`)
	return n, err
}

func (l *listening) Close() error { return nil }

type grams struct {
	Cups float64 `json:"cups" jsonschema:"how many <b>cups</b>"`
}

// kitchen is a server of the official library, with tools for every kind of end.
func kitchen(kind string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "kitchen", Version: "1"}, nil)
	say := func(text string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	}
	mcp.AddTool(s, &mcp.Tool{Name: "toGrams", Description: "Converts <|im_start|>cups\u202e."},
		func(_ context.Context, _ *mcp.CallToolRequest, in grams) (*mcp.CallToolResult, map[string]float64, error) {
			return say(fmt.Sprintf("%v grams", in.Cups*120)), map[string]float64{"grams": in.Cups * 120}, nil
		})
	plain := func(name string, do func(ctx context.Context) (*mcp.CallToolResult, error)) {
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: name},
			func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
				r, err := do(ctx)
				return r, nil, err
			})
	}
	plain("fail", func(context.Context) (*mcp.CallToolResult, error) { return nil, errors.New("the oven is broken") })
	plain("hang", func(ctx context.Context) (*mcp.CallToolResult, error) {
		select {
		case <-ctx.Done():
		// where the call came after its cancellation, which the library's server does not keep
		case <-time.After(20 * time.Second):
		}
		return say("late"), nil
	})
	plain("long", func(context.Context) (*mcp.CallToolResult, error) { return say(strings.Repeat("x", 3<<20)), nil })
	plain("huge", func(context.Context) (*mcp.CallToolResult, error) {
		return say(strings.Repeat("x", maxMessage+1)), nil
	})
	plain("nothing", func(context.Context) (*mcp.CallToolResult, error) { return &mcp.CallToolResult{}, nil })
	plain("secret", func(context.Context) (*mcp.CallToolResult, error) {
		return say(os.Getenv("KITCHEN_TOKEN") + os.Getenv("HEARTHD_SECRET")), nil
	})
	plain("picture", func(context.Context) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.TextContent{Text: "A cake:"}, &mcp.ImageContent{Data: []byte{1}, MIMEType: "image/png"},
			&mcp.ResourceLink{Name: "cake", Title: "Cake", URI: "https://example.org/cake"},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///cake", Text: "Bake it."}},
		}}, nil
	})
	plain("die", func(context.Context) (*mcp.CallToolResult, error) { os.Exit(7); return nil, nil })
	plain("grow", func(context.Context) (*mcp.CallToolResult, error) {
		plain("grown", func(context.Context) (*mcp.CallToolResult, error) { return say("Taller."), nil })
		return say("Growing."), nil
	})
	plain("forbidden", func(context.Context) (*mcp.CallToolResult, error) { return say("never"), nil })
	if kind == "many" {
		for i := range 100 {
			plain(fmt.Sprintf("many%d", i), func(context.Context) (*mcp.CallToolResult, error) { return say("x"), nil })
		}
	}
	return s
}

var allowed = []string{"to*", "fail", "hang", "long", "huge", "nothing", "secret", "picture", "die", "grow*", "many*"}

// house is a registry with an executor, and what Changed was told.
type house struct {
	t        *testing.T
	registry *tools.Registry
	exec     *tools.Executor
	changes  chan string
	withheld chan []Change
	client   *Client
	stop     func()
}

// agreements are pins in memory.
type agreements struct {
	mu     sync.Mutex
	hashes map[string]map[string]string
	err    error
}

func (a *agreements) ToolPins(_ context.Context, server string) (map[string]string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.hashes[server]), a.err
}

func (a *agreements) PinTools(_ context.Context, server string, hashes map[string]string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.hashes == nil {
		a.hashes = make(map[string]map[string]string)
	}
	if a.hashes[server] == nil {
		a.hashes[server] = make(map[string]string)
	}
	maps.Copy(a.hashes[server], hashes)
	return nil
}

func open(t *testing.T, servers ...Server) *house {
	t.Helper()
	return reopen(t, &agreements{}, servers...)
}

// reopen is open with what the owner has agreed to before.
func reopen(t *testing.T, pins *agreements, servers ...Server) *house {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	h := &house{t: t, registry: tools.NewRegistry(phrase.English()), changes: make(chan string, 100),
		withheld: make(chan []Change, 100)}
	var err error
	if h.exec, err = tools.NewExecutor(tools.ExecutorOptions{Registry: h.registry, Log: log}); err != nil {
		t.Fatal(err)
	}
	c, err := New(Options{Servers: servers, Registry: h.registry, Version: "test", Log: log, Pins: pins,
		Withheld: func(_ string, changes []Change) {
			h.withheld <- changes
		}, Changed: func(server string, err error) {
			if err == nil {
				h.changes <- server + " is here"
			} else {
				h.changes <- server + " is gone"
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	h.client = c
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	h.stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(time.Minute):
			t.Error("the client does not end")
		}
		if n := len(h.registry.Specs()); n > 0 {
			t.Errorf("%d tools are left", n)
		}
	})
	t.Cleanup(h.stop)
	return h
}

func (h *house) waits(want string) {
	h.t.Helper()
	select {
	case got := <-h.changes:
		if got != want {
			h.t.Fatalf("%s, want %s", got, want)
		}
	case <-time.After(time.Minute):
		h.t.Fatalf("%s did not come", want)
	}
}

func (h *house) run(tool, args string) tools.Outcome {
	h.t.Helper()
	return h.exec.Run(h.t.Context(), tools.Call{ToolCall: llm.ToolCall{ID: "1", Name: tool,
		Arguments: json.RawMessage(args)}})
}

// program is a server that is this test's binary.
func program(t *testing.T, kind string) Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Server{Name: "kitchen", Command: []string{"/usr/bin/env", asServer + "=" + kind, self}, Allow: allowed,
		Timeout: time.Minute}
}

// site is a server with an address.
func site(t *testing.T) (Server, *httptest.Server) {
	t.Helper()
	s := kitchen("")
	srv := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(srv.Close)
	return Server{Name: "kitchen", URL: srv.URL + "/mcp", Allow: allowed, Timeout: time.Minute}, srv
}
