package mcp

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearthd/tools"
)

// methods notes what a server is asked.
type methods struct {
	mu   sync.Mutex
	seen []string
	next http.Handler
}

func (m *methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var asked struct {
		Method string `json:"method"`
	}
	if json.Unmarshal(body, &asked) == nil {
		m.mu.Lock()
		m.seen = append(m.seen, asked.Method)
		m.mu.Unlock()
	}
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	m.next.ServeHTTP(w, r)
}

func (m *methods) asked(method string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.seen {
		if s == method {
			return true
		}
	}
	return false
}

func TestServersOfBothWaysToBeginAreUnderstood(t *testing.T) {
	for name, c := range map[string]struct {
		versions   []string
		stateless  bool
		initialize bool
	}{
		"newer alone":            {[]string{"2026-07-28"}, true, false},
		"older alone":            {[]string{"2025-11-25", "2025-06-18"}, false, true},
		"older, without session": {[]string{"2025-11-25"}, true, true},
		"all":                    {nil, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			far := mcp.NewServer(&mcp.Implementation{Name: "bakery", Version: "1"},
				&mcp.ServerOptions{SupportedProtocolVersions: c.versions})
			mcp.AddTool(far, &mcp.Tool{Name: "bread", Description: "Bakes bread."},
				func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
					return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "It is baked."}}}, nil, nil
				})
			m := &methods{next: mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return far },
				&mcp.StreamableHTTPOptions{Stateless: c.stateless})}
			srv := httptest.NewServer(m)
			t.Cleanup(srv.Close)
			h := open(t, Server{Name: "bakery", URL: srv.URL, Allow: []string{"*"}})
			h.waits("bakery is here")
			if out := h.run("bakery_bread", `{}`); out.Class != tools.OK || out.Result.Text != "It is baked." {
				t.Errorf("%+v", out)
			}
			if got := m.asked("initialize"); got != c.initialize {
				t.Errorf("asked to initialize: %t", got)
			}
		})
	}
}

func TestAnOldServerThatTheNewQuestionBreaksIsBegunTheOldWay(t *testing.T) {
	far := kitchen("")
	m := new(methods)
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return far }, nil)
	m.next = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		broken := m.seen[len(m.seen)-1] == "server/discover"
		m.mu.Unlock()
		if broken {
			panic(http.ErrAbortHandler)
		}
		inner.ServeHTTP(w, r)
	})
	srv := httptest.NewServer(m)
	t.Cleanup(srv.Close)
	h := open(t, Server{Name: "kitchen", URL: srv.URL, Allow: []string{"to*"}})
	h.waits("kitchen is here")
}
