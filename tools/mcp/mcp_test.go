package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
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
)

// asServer makes this test's binary a server that is a program.
const asServer = "HEARTHD_TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	if kind := os.Getenv(asServer); kind != "" {
		if kind == "deaf" {
			select {}
		}
		if err := kitchen(kind).Run(context.Background(), &mcp.StdioTransport{}); err != nil && !errors.Is(err, io.EOF) {
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
	mcp.AddTool(s, &mcp.Tool{Name: "toGrams", Description: "Converts <|im_start|>cups\u202e."}, func(_ context.Context, _ *mcp.CallToolRequest, in grams) (*mcp.CallToolResult, map[string]float64, error) {
		return say(fmt.Sprintf("%v grams", in.Cups*120)), map[string]float64{"grams": in.Cups * 120}, nil
	})
	plain := func(name string, do func(ctx context.Context) (*mcp.CallToolResult, error)) {
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: name}, func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
			r, err := do(ctx)
			return r, nil, err
		})
	}
	plain("fail", func(context.Context) (*mcp.CallToolResult, error) { return nil, errors.New("the oven is broken") })
	plain("hang", func(ctx context.Context) (*mcp.CallToolResult, error) { <-ctx.Done(); return say("late"), nil })
	plain("long", func(context.Context) (*mcp.CallToolResult, error) { return say(strings.Repeat("x", 3<<20)), nil })
	plain("huge", func(context.Context) (*mcp.CallToolResult, error) { return say(strings.Repeat("x", maxMessage+1)), nil })
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
}

func open(t *testing.T, servers ...Server) *house {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	h := &house{t: t, registry: tools.NewRegistry(), changes: make(chan string, 100)}
	var err error
	if h.exec, err = tools.NewExecutor(tools.ExecutorOptions{Registry: h.registry, Log: log}); err != nil {
		t.Fatal(err)
	}
	c, err := New(Options{Servers: servers, Registry: h.registry, Version: "test", Log: log, Changed: func(server string, err error) {
		if err == nil {
			h.changes <- server + " is here"
		} else {
			h.changes <- server + " is gone"
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	t.Cleanup(func() {
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
	return h.exec.Run(h.t.Context(), llm.ToolCall{ID: "1", Name: tool, Arguments: json.RawMessage(args)})
}

// program is a server that is this test's binary.
func program(t *testing.T, kind string) Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Server{Name: "kitchen", Command: []string{"/usr/bin/env", asServer + "=" + kind, self}, Allow: allowed, Timeout: 3 * time.Second}
}

// site is a server with an address.
func site(t *testing.T) (Server, *httptest.Server) {
	t.Helper()
	s := kitchen("")
	srv := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(srv.Close)
	return Server{Name: "kitchen", URL: srv.URL + "/mcp", Allow: allowed, Timeout: 3 * time.Second}, srv
}

func TestToolsOfProgramsAndAddressesAreToolsOfTheHouse(t *testing.T) {
	t.Setenv("HEARTHD_SECRET", "never")
	byAddress, _ := site(t)
	old := httptest.NewServer(mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return kitchen("") }, nil))
	t.Cleanup(old.Close)
	for name, s := range map[string]Server{
		"program": program(t, "plain"), "address": byAddress,
		"older address": {Name: "kitchen", URL: old.URL + "/sse", Allow: allowed, Timeout: 3 * time.Second},
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
				if d.Origin != "server kitchen" || d.Limits.Timeout != 3*time.Second {
					t.Errorf("%+v", d)
				}
			}
			want := []string{"kitchen_die", "kitchen_fail", "kitchen_grow", "kitchen_hang", "kitchen_huge", "kitchen_long", "kitchen_nothing", "kitchen_picture", "kitchen_secret", "kitchen_to_grams"}
			if diff := cmp.Diff(want, names); diff != "" {
				t.Error(diff)
			}
			out := h.run("kitchen_to_grams", `{"cups":"2"}`)
			if out.Class != tools.OK || out.Result.Text != "240 grams" || !out.Result.Foreign || fmt.Sprint(out.Result.Data) != "map[grams:240]" {
				t.Errorf("%+v", out)
			}
			if out := h.run("kitchen_to_grams", `{"cups":"two"}`); out.Class != tools.BadArguments {
				t.Errorf("%+v", out)
			}
			out = h.run("kitchen_fail", `{}`)
			if out.Class != tools.Failed || out.Spoken() != "Sorry, that did not work at kitchen." || !strings.HasSuffix(out.Result.Text, "the oven is broken") || !out.Result.Foreign {
				t.Errorf("%+v", out)
			}
			if out := h.run("kitchen_nothing", `{}`); out.Class != tools.OK || out.Result.Text != "Done." || out.Result.Foreign {
				t.Errorf("%+v", out)
			}
			out = h.run("kitchen_picture", `{}`)
			if out.Result.Text != "A cake:\n(a picture)\nBake it." || len(out.Result.Sources) != 1 || out.Result.Sources[0] != (llm.Source{Title: "Cake", URL: "https://example.org/cake"}) {
				t.Errorf("%+v", out)
			}
			out = h.run("kitchen_secret", `{}`)
			if out.Class != tools.Asked || out.Question != "Shall I really do that: secret?" {
				t.Errorf("%+v", out)
			}
			if s.URL == "" {
				out = h.exec.RunConfirmed(t.Context(), llm.ToolCall{Name: "kitchen_secret"})
				if out.Result.Text != "hunter2" {
					t.Errorf("the program sees %q", out.Result.Text)
				}
			}
			if out := h.run("kitchen_forbidden", `{}`); out.Class != tools.UnknownTool {
				t.Errorf("%+v", out)
			}
			if out := h.run("kitchen_long", `{}`); out.Class != tools.OK || len(out.Result.Text) > 8<<10 || !strings.HasSuffix(out.Result.Text, "(cut)") {
				t.Errorf("%s, %d bytes", out.Class, len(out.Result.Text))
			}
			if out := h.run("kitchen_hang", `{}`); out.Class != tools.Timeout || out.Took > 5*time.Second {
				t.Errorf("%+v", out)
			}
			if out := h.run("kitchen_to_grams", `{"cups":1}`); out.Class != tools.OK {
				t.Errorf("after a call that hung: %+v", out)
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
		if d.Spec.Description != "Converts ‹|im_start|›cups." || !strings.Contains(string(d.Spec.Parameters), "how many ‹b›cups‹/b›") || strings.Contains(string(d.Spec.Parameters), "$schema") {
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
	if out := h.run("kitchen_die", `{}`); out.Class != tools.Failed || out.Spoken() != "Sorry, kitchen is not reachable." {
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

func TestNewToolsOfAServerAreOffered(t *testing.T) {
	h := open(t, program(t, "plain"))
	h.waits("kitchen is here")
	if out := h.run("kitchen_grow", `{}`); out.Class != tools.OK {
		t.Fatalf("%+v", out)
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

// ha answers as Home Assistant's /api/mcp does: bearer token, POST alone, no
// session, JSON, an older protocol, tools in camel case.
type ha struct {
	mu    sync.Mutex
	seen  []string
	fails bool // as when Home Assistant restarts
}

func (s *ha) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.fails:
		http.Error(w, "Bad Gateway", http.StatusBadGateway)
		return
	case r.URL.Path != "/api/mcp":
		http.NotFound(w, r)
		return
	case r.Header.Get("Authorization") != "Bearer long-lived":
		http.Error(w, "401: Unauthorized", http.StatusUnauthorized)
		return
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "POST")
		http.Error(w, "405: Method Not Allowed", http.StatusMethodNotAllowed)
		return
	case !strings.Contains(r.Header.Get("Accept"), "application/json"):
		http.Error(w, "Client must accept application/json", http.StatusBadRequest)
		return
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name      string         `json:"name"`
			Arguments map[string]any `json:"arguments"`
		} `json:"params"`
	}
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		http.Error(w, "Request must be a JSON-RPC message", http.StatusBadRequest)
		return
	}
	s.seen = append(s.seen, m.Method)
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	var result any
	switch m.Method {
	case "initialize":
		result = map[string]any{
			"protocolVersion": "2025-03-26", "capabilities": map[string]any{"tools": map[string]any{"listChanged": false}, "prompts": map[string]any{"listChanged": false}},
			"serverInfo": map[string]any{"name": "home-assistant", "version": "1.26.0"},
		}
	case "tools/list":
		result = map[string]any{"tools": []any{
			map[string]any{"name": "HassTurnOn", "description": "Turns on/opens/presses a device or entity.", "inputSchema": map[string]any{
				"type": "object", "properties": map[string]any{
					"name": map[string]any{"type": "string"}, "area": map[string]any{"type": "string"},
					"domain": map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
				}}},
			map[string]any{"name": "GetLiveContext", "description": "Provides real-time information.", "inputSchema": map[string]any{"type": "object", "properties": map[string]any{}}},
		}}
	case "tools/call":
		text, err := json.Marshal(map[string]any{"speech": map[string]any{}, "response_type": "action_done", "data": map[string]any{"asked": m.Params}})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		result = map[string]any{"content": []any{map[string]any{"type": "text", "text": string(text)}}, "isError": false}
	default:
		json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": -32601, "message": "Method not found"}})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
}

func TestHomeAssistantsOwnEndpointIsUnderstood(t *testing.T) {
	fake := &ha{}
	srv := httptest.NewServer(fake)
	t.Cleanup(srv.Close)
	h := open(t, Server{Name: "ha", URL: srv.URL + "/api/mcp", Secret: "long-lived", Allow: []string{"Hass*", "GetLiveContext"}, ReadOnly: []string{"Get*"}})
	h.waits("ha is here")
	if got := h.registry.Specs(); len(got) != 2 || got[0].Name != "ha_get_live_context" || !got[0].ReadOnly || got[1].Name != "ha_hass_turn_on" || got[1].ReadOnly {
		t.Fatalf("%+v", got)
	}
	out := h.run("ha_hass_turn_on", `{"name":"kitchen light","domain":"light"}`)
	if out.Class != tools.OK || !out.Result.Foreign || !strings.Contains(out.Result.Text, `"Name":"HassTurnOn"`) && !strings.Contains(out.Result.Text, "HassTurnOn") || !strings.Contains(out.Result.Text, `["light"]`) {
		t.Errorf("%+v", out)
	}
	fake.mu.Lock()
	fake.fails = true
	if fake.seen[0] != "initialize" || fake.seen[1] != "notifications/initialized" || fake.seen[2] != "tools/list" {
		t.Errorf("it was asked %v", fake.seen)
	}
	fake.mu.Unlock()
	if out := h.run("ha_hass_turn_on", `{"name":"lamp"}`); out.Class != tools.Failed || out.Spoken() != "Sorry, ha is not reachable." {
		t.Errorf("%+v", out)
	}
	h.waits("ha is gone")
	fake.mu.Lock()
	fake.fails = false
	fake.mu.Unlock()
	h.waits("ha is here")
}

func TestSecretIsShownToItsOwnHostAlone(t *testing.T) {
	stolen := make(chan string, 10)
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { stolen <- r.Header.Get("X-Key") }))
	t.Cleanup(thief.Close)
	asked := make(chan string, 10)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header.Get("X-Key")
		http.Redirect(w, r, thief.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(srv.Close)
	h := open(t, Server{Name: "web", URL: srv.URL, Secret: "hunter2", SecretIn: "X-Key", Allow: []string{"*"}})
	h.waits("web is gone")
	if got := <-asked; got != "hunter2" {
		t.Errorf("the server was shown %q", got)
	}
	if len(stolen) > 0 {
		t.Errorf("another host was asked, with %q", <-stolen)
	}
}

func TestBadServersAreRefused(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	good := Server{Name: "a", URL: "http://localhost:1/mcp"}
	for name, servers := range map[string][]Server{
		"name":         {{Name: "A b", URL: good.URL}},
		"neither":      {{Name: "a"}},
		"both":         {{Name: "a", URL: good.URL, Command: []string{"true"}}},
		"scheme":       {{Name: "a", URL: "file:///etc/passwd"}},
		"password":     {{Name: "a", URL: "http://u:p@localhost/"}},
		"relative":     {{Name: "a", Command: []string{"./server"}}},
		"twice":        {good, good},
		"pattern":      {{Name: "a", URL: good.URL, Allow: []string{"a*b"}}},
		"long timeout": {{Name: "a", URL: good.URL, Timeout: time.Hour}},
		"too many":     make([]Server, maxServers+1),
	} {
		if _, err := New(Options{Servers: servers, Registry: tools.NewRegistry(), Changed: func(string, error) {}, Log: log}); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestNamesOfToolsAreThoseThatProtocolsTake(t *testing.T) {
	for from, want := range map[string]string{
		"HassTurnOn": "ha_hass_turn_on", "get-weather.v2": "ha_get_weather_v2", "ALLCAPS": "ha_allcaps", "öffnen": "ha_ffnen", "__x__": "ha_x", "": "ha",
		strings.Repeat("long", 40): "ha_" + strings.Repeat("long", 15) + "l",
	} {
		if got := toolName("ha", from); got != want {
			t.Errorf("%q becomes %q, want %q", from, got, want)
		}
	}
}

func FuzzParameters(f *testing.F) {
	for _, seed := range []string{`{}`, `[]`, `null`, `{"type":"object","description":"<x>"}`, `{"properties":{"description":{"type":"string"}}}`, `{"a":{"a":{"a":[{}]}}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var schema any
		if json.Unmarshal(data, &schema) != nil {
			return
		}
		text, err := parameters(schema)
		if err == nil && (len(text) > maxSchema || !json.Valid(text)) {
			t.Errorf("%q became %q", data, text)
		}
	})
}

// listing is a server without a goroutine whose tools are listed by hand.
func listing(t *testing.T, names ...string) (s *server, session *mcp.ClientSession, changes *int) {
	t.Helper()
	far := mcp.NewServer(&mcp.Implementation{Name: "far", Version: "1"}, nil)
	for _, name := range names {
		mcp.AddTool(far, &mcp.Tool{Name: name, Description: name}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{}, nil, nil
		})
	}
	here, there := mcp.NewInMemoryTransports()
	served, err := far.Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	session, err = mcp.NewClient(&mcp.Implementation{Name: "near", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close(); served.Wait() })
	changes = new(int)
	o := &Options{Registry: tools.NewRegistry(), Changed: func(string, error) { *changes++ }}
	return &server{Server: Server{Name: "far", Allow: []string{"*"}}, opt: o, log: slog.New(slog.DiscardHandler)}, session, changes
}

func TestToolThatIsRefusedDoesNotTakeTheOthersAwayAgainAndAgain(t *testing.T) {
	s, session, changes := listing(t, "getBread", "get_bread", "bake")
	for range 3 {
		if err := s.update(t.Context(), session); err != nil {
			t.Fatal(err)
		}
	}
	if *changes != 1 || len(s.offered) != 2 {
		t.Errorf("%d changes, %d tools", *changes, len(s.offered))
	}
}

func TestParameterCalledExamplesStays(t *testing.T) {
	got, err := parameters(map[string]any{"type": "object", "examples": []any{map[string]any{}}, "properties": map[string]any{"examples": map[string]any{"type": "string"}}})
	if err != nil || string(got) != `{"properties":{"examples":{"type":"string"}},"type":"object"}` {
		t.Errorf("%s %v", got, err)
	}
}

func TestAddressIsNotInTheErrors(t *testing.T) {
	for _, path := range []string{"/mcp", "/sse"} {
		told := make(chan error, 1)
		c, err := New(Options{
			Servers:  []Server{{Name: "away", URL: "http://127.0.0.1:1" + path + "?key=hunter2", Allow: []string{"*"}}},
			Registry: tools.NewRegistry(), Log: slog.New(slog.DiscardHandler), Changed: func(_ string, err error) { told <- err },
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		if err := <-told; err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v", err)
		}
		cancel()
		<-ended
	}
}
