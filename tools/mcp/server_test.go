package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearthd/tools"
	"hearthd/tools/phrase"
)

// listing is a server without a goroutine whose tools are listed by hand.
func listing(t *testing.T, names ...string) (s *server, session *mcp.ClientSession, changes *int) {
	t.Helper()
	far := mcp.NewServer(&mcp.Implementation{Name: "far", Version: "1"}, nil)
	for _, name := range names {
		mcp.AddTool(far, &mcp.Tool{Name: name, Description: name},
			func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
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
	o := &Options{Registry: tools.NewRegistry(phrase.English()), Changed: func(string, error) { *changes++ }, Pins: &agreements{},
		Withheld: func(string, []Change) {}}
	return &server{Server: Server{Name: "far", Allow: []string{"*"}}, opt: o, log: slog.New(slog.DiscardHandler)},
		session, changes
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
	got, err := parameters(map[string]any{"type": "object", "examples": []any{map[string]any{}},
		"properties": map[string]any{"examples": map[string]any{"type": "string"}}})
	if err != nil || string(got) != `{"properties":{"examples":{"type":"string"}},"type":"object"}` {
		t.Errorf("%s %v", got, err)
	}
}

func TestAddressIsNotInTheErrors(t *testing.T) {
	for _, path := range []string{"/mcp", "/sse"} {
		told := make(chan error, 1)
		c, err := New(Options{
			Servers:  []Server{{Name: "away", URL: "http://127.0.0.1:1" + path + "?key=hunter2", Allow: []string{"*"}}},
			Registry: tools.NewRegistry(phrase.English()), Log: slog.New(slog.DiscardHandler),
			Changed: func(_ string, err error) { told <- err },
			Pins:    &agreements{}, Withheld: func(string, []Change) {},
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

func TestSecretIsShownToItsOwnHostAlone(t *testing.T) {
	stolen := make(chan string, 10)
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stolen <- r.Header.Get("X-Key")
	}))
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
		if _, err := New(Options{Servers: servers, Registry: tools.NewRegistry(phrase.English()), Changed: func(string, error) {},
			Pins: &agreements{}, Withheld: func(string, []Change) {}, Log: log}); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestNamesOfToolsAreThoseThatProtocolsTake(t *testing.T) {
	for from, want := range map[string]string{
		"HassTurnOn": "ha_hass_turn_on", "get-weather.v2": "ha_get_weather_v2", "ALLCAPS": "ha_allcaps",
		"öffnen": "ha_ffnen", "__x__": "ha_x", "": "ha",
		strings.Repeat("long", 40): "ha_" + strings.Repeat("long", 15) + "l",
	} {
		if got := toolName("ha", from); got != want {
			t.Errorf("%q becomes %q, want %q", from, got, want)
		}
	}
}

func FuzzParameters(f *testing.F) {
	for _, seed := range []string{`{}`, `[]`, `null`, `{"type":"object","description":"<x>"}`,
		`{"properties":{"description":{"type":"string"}}}`, `{"a":{"a":{"a":[{}]}}}`} {
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
