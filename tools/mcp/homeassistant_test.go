package mcp

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"hearthd/tools"
	"hearthd/tools/phrase"
)

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
			"protocolVersion": "2025-03-26",
			"capabilities": map[string]any{"tools": map[string]any{"listChanged": false},
				"prompts": map[string]any{"listChanged": false}},
			"serverInfo": map[string]any{"name": "home-assistant", "version": "1.26.0"},
		}
	case "tools/list":
		result = map[string]any{"tools": []any{
			map[string]any{"name": "HassTurnOn", "description": "Turns on/opens/presses a device or entity.",
				"inputSchema": map[string]any{
					"type": "object", "properties": map[string]any{
						"name": map[string]any{"type": "string"}, "area": map[string]any{"type": "string"},
						"domain": map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
					}}},
			map[string]any{"name": "GetLiveContext", "description": "Provides real-time information.",
				"inputSchema": map[string]any{"type": "object", "properties": map[string]any{}}},
		}}
	case "tools/call":
		text, err := json.Marshal(map[string]any{"speech": map[string]any{}, "response_type": "action_done",
			"data": map[string]any{"asked": m.Params}})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		result = map[string]any{"content": []any{map[string]any{"type": "text", "text": string(text)}},
			"isError": false}
	default:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": m.ID,
			"error": map[string]any{"code": -32601, "message": "Method not found"}})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
}

func TestHomeAssistantsOwnEndpointIsUnderstood(t *testing.T) {
	fake := &ha{}
	srv := httptest.NewServer(fake)
	t.Cleanup(srv.Close)
	h := open(t, Server{Name: "ha", URL: srv.URL + "/api/mcp", Secret: "long-lived",
		Allow: []string{"Hass*", "GetLiveContext"}, ReadOnly: []string{"Get*"}})
	h.waits("ha is here")
	if got := h.registry.Specs(); len(got) != 2 || got[0].Name != "ha_get_live_context" || !got[0].ReadOnly ||
		got[1].Name != "ha_hass_turn_on" || got[1].ReadOnly {
		t.Fatalf("%+v", got)
	}
	out := h.run("ha_hass_turn_on", `{"name":"kitchen light","domain":"light"}`)
	if out.Class != tools.OK || !out.Result.Foreign || !strings.Contains(out.Result.Text, `"Name":"HassTurnOn"`) &&
		!strings.Contains(out.Result.Text, "HassTurnOn") || !strings.Contains(out.Result.Text, `["light"]`) {
		t.Errorf("%+v", out)
	}
	fake.mu.Lock()
	fake.fails = true
	if want := []string{"server/discover", "initialize", "notifications/initialized",
		"tools/list"}; !slices.Equal(fake.seen[:4], want) {
		t.Errorf("it was asked %v", fake.seen)
	}
	fake.mu.Unlock()
	if out := h.run("ha_hass_turn_on", `{"name":"lamp"}`); out.Class != tools.Failed ||
		out.Spoken(phrase.English()) != "Sorry, ha is not reachable." {
		t.Errorf("%+v", out)
	}
	h.waits("ha is gone")
	fake.mu.Lock()
	fake.fails = false
	fake.mu.Unlock()
	h.waits("ha is here")
}
