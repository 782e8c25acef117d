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

	"github.com/google/go-cmp/cmp"
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
		if err := kitchen(kind).Run(context.Background(), &mcp.StdioTransport{}); err != nil &&
			!errors.Is(err, io.EOF) {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		return
	}
	os.Exit(m.Run())
}

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
		Timeout: 8 * time.Second}
}

// site is a server with an address.
func site(t *testing.T) (Server, *httptest.Server) {
	t.Helper()
	s := kitchen("")
	srv := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(srv.Close)
	return Server{Name: "kitchen", URL: srv.URL + "/mcp", Allow: allowed, Timeout: 8 * time.Second}, srv
}

func TestToolsOfProgramsAndAddressesAreToolsOfTheHouse(t *testing.T) {
	t.Setenv("HEARTHD_SECRET", "never")
	byAddress, _ := site(t)
	old := httptest.NewServer(mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return kitchen("") }, nil))
	t.Cleanup(old.Close)
	for name, s := range map[string]Server{
		"program": program(t, "plain"), "address": byAddress,
		"older address": {Name: "kitchen", URL: old.URL + "/sse", Allow: allowed, Timeout: 8 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			s.ReadOnly, s.Confirm = []string{"to*"}, []string{"secret"}
			if s.URL == "" {
				s.Secret, s.SecretIn = "hunter2", "KITCHEN_TOKEN"
			}
			h := open(t, s)
			h.waits("kitchen is here")
			var names []string
			for _, d := range h.registry.List() {
				names = append(names, d.Spec.Name)
				if d.Origin != "server kitchen" || d.Limits.Timeout != 8*time.Second {
					t.Errorf("%+v", d)
				}
			}
			want := []string{"kitchen_die", "kitchen_fail", "kitchen_grow", "kitchen_hang", "kitchen_huge",
				"kitchen_long", "kitchen_nothing", "kitchen_picture", "kitchen_secret", "kitchen_to_grams"}
			if diff := cmp.Diff(want, names); diff != "" {
				t.Error(diff)
			}
			out := h.run("kitchen_to_grams", `{"cups":"2"}`)
			if out.Class != tools.OK || out.Result.Text != "240 grams" || !out.Result.Foreign ||
				fmt.Sprint(out.Result.Data) != "map[grams:240]" {
				t.Errorf("%+v", out)
			}
			if out := h.run("kitchen_to_grams", `{"cups":"two"}`); out.Class != tools.BadArguments {
				t.Errorf("%+v", out)
			}
			out = h.run("kitchen_fail", `{}`)
			if out.Class != tools.Failed || out.Spoken(phrase.English()) != "Sorry, that did not work at kitchen." ||
				!strings.HasSuffix(out.Result.Text, "the oven is broken") || !out.Result.Foreign {
				t.Errorf("%+v", out)
			}
			if out := h.run("kitchen_nothing", `{}`); out.Class != tools.OK || out.Result.Text != "Done." ||
				!out.Result.Foreign {
				t.Errorf("%+v", out)
			}
			out = h.run("kitchen_picture", `{}`)
			if out.Result.Text != "A cake:\n(a picture)\nBake it." || len(out.Result.Sources) != 1 ||
				out.Result.Sources[0] != (llm.Source{Title: "Cake", URL: "https://example.org/cake"}) {
				t.Errorf("%+v", out)
			}
			out = h.run("kitchen_secret", `{}`)
			if out.Class != tools.Asked || out.Question != "Shall I really do that: kitchen secret?" {
				t.Errorf("%+v", out)
			}
			if s.URL == "" {
				out = h.exec.Run(t.Context(), tools.Call{ToolCall: llm.ToolCall{Name: "kitchen_secret"},
					Agreed: out.Question})
				if out.Result.Text != "hunter2" {
					t.Errorf("the program sees %q", out.Result.Text)
				}
			}
			if out := h.run("kitchen_forbidden", `{}`); out.Class != tools.UnknownTool {
				t.Errorf("%+v", out)
			}
			if out := h.run("kitchen_long", `{}`); out.Class != tools.OK || len(out.Result.Text) > 8<<10 ||
				!strings.HasSuffix(out.Result.Text, "(cut)") {
				t.Errorf("%s, %d bytes", out.Class, len(out.Result.Text))
			}
			s.Timeout = 500 * time.Millisecond
			h = open(t, s)
			h.waits("kitchen is here")
			if out := h.run("kitchen_hang", `{}`); out.Class != tools.Timeout || out.Took > 12*time.Second {
				t.Errorf("%+v", out)
			}
			// A busy machine may take longer than that for any call.
			for out := h.run("kitchen_to_grams", `{"cups":1}`); out.Class != tools.OK; out = h.run("kitchen_to_grams",
				`{"cups":1}`) {
				if out.Class != tools.Timeout || t.Context().Err() != nil {
					t.Fatalf("after a call that hung: %+v", out)
				}
			}
		})
	}
}

func TestWhatAServerSaysOfItselfIsCleaned(t *testing.T) {
	h := open(t, program(t, "plain"))
	h.waits("kitchen is here")
	for _, d := range h.registry.List() {
		if d.Spec.Name != "kitchen_to_grams" {
			continue
		}
		if d.Spec.Description != "The server kitchen says of it: “Converts ‹|im_start|›cups.”" ||
			!strings.Contains(string(d.Spec.Parameters), "how many ‹b›cups‹/b›") ||
			strings.Contains(string(d.Spec.Parameters), "$schema") {
			t.Errorf("%+v %s", d.Spec, d.Spec.Parameters)
		}
		if d.Spec.ReadOnly {
			t.Error("nobody said that it only reads")
		}
	}
}

func TestServerThatDiesIsWithdrawnAndComesBack(t *testing.T) {
	h := open(t, program(t, "plain"))
	h.waits("kitchen is here")
	if out := h.run("kitchen_die", `{}`); out.Class != tools.Failed ||
		out.Spoken(phrase.English()) != "Sorry, kitchen is not reachable." {
		t.Errorf("%+v", out)
	}
	h.waits("kitchen is gone")
	h.waits("kitchen is here")
	if out := h.run("kitchen_to_grams", `{"cups":1}`); out.Class != tools.OK {
		t.Errorf("%+v", out)
	}
}

func TestMessageThatIsTooLongEndsTheConnectionOnly(t *testing.T) {
	byAddress, _ := site(t)
	for name, s := range map[string]Server{"program": program(t, "plain"), "address": byAddress} {
		t.Run(name, func(t *testing.T) {
			h := open(t, s)
			h.waits("kitchen is here")
			if out := h.run("kitchen_huge", `{}`); out.Class == tools.OK {
				t.Errorf("%s, %d bytes", out.Class, len(out.Result.Text))
			}
			for { // the connection may have ended
				if out := h.run("kitchen_to_grams", `{"cups":1}`); out.Class == tools.OK {
					return
				}
				select {
				case <-h.changes:
				case <-t.Context().Done():
					t.Fatal("it does not come back")
				case <-time.After(30 * time.Second):
					t.Fatal("it does not come back")
				}
			}
		})
	}
}

func TestNewToolsOfAServerAreOfferedWhenTheOwnerAgrees(t *testing.T) {
	h := open(t, program(t, "plain"))
	h.waits("kitchen is here")
	if out := h.run("kitchen_grow", `{}`); out.Class != tools.OK {
		t.Fatalf("%+v", out)
	}
	waiting := <-h.withheld
	if len(waiting) != 1 || waiting[0].Tool != "grown" || !waiting[0].New ||
		h.run("kitchen_grown", `{}`).Class != tools.UnknownTool {
		t.Fatalf("%+v", waiting)
	}
	if err := h.client.Accept(t.Context(), "kitchen", "grown", waiting[0].Hash); err != nil {
		t.Fatal(err)
	}
	h.waits("kitchen is here")
	if out := h.run("kitchen_grown", `{}`); out.Class != tools.OK || out.Result.Text != "Taller." {
		t.Errorf("%+v", out)
	}
}

func TestNoServerMayHaveManyTools(t *testing.T) {
	h := open(t, program(t, "many"))
	h.waits("kitchen is here")
	if n := len(h.registry.Specs()); n != maxTools {
		t.Errorf("%d tools", n)
	}
}

func TestServerThatIsDownHasNoTools(t *testing.T) {
	s, srv := site(t)
	srv.Close()
	none := Server{Name: "none", Command: []string{"/no/such/program"}, Allow: []string{"*"}}
	h := open(t, s, none)
	got := map[string]bool{}
	for range 2 {
		select {
		case c := <-h.changes:
			got[c] = true
		case <-time.After(time.Minute):
			t.Fatal("nobody is told")
		}
	}
	if !got["kitchen is gone"] || !got["none is gone"] || len(h.registry.Specs()) != 0 {
		t.Errorf("%v, %d tools", got, len(h.registry.Specs()))
	}
}

func TestProgramThatSaysNothingIsEndedWithTheDaemon(t *testing.T) {
	s := program(t, "deaf")
	h := open(t, s)
	if out := h.run("kitchen_to_grams", `{}`); out.Class != tools.UnknownTool {
		t.Errorf("%+v", out)
	} // the cleanup shows that Run ends
}
