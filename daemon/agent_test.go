package daemon

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/google/go-cmp/cmp"

	"hearthd/config"
	"hearthd/daemon/api"
	"hearthd/daemon/refusal"
	"hearthd/rigs/llmtest"
)

// housekeeper speaks the WebSocket protocol of Home Assistant, and refuses what the real one
// refuses: a wrong token, ids that do not grow, commands and agents that it does not know.
// Its own agent knows a fountain; its usual one is a model in the cloud.
type housekeeper struct {
	*testing.T
	URL  string
	mu   sync.Mutex
	said []string // to its own agent
}

// keptStates are the devices of the house.
const keptStates = `[
	{"entity_id":"switch.fountain","state":"off","attributes":{"friendly_name":"Fountain"}},
	{"entity_id":"lock.vault","state":"locked","attributes":{"friendly_name":"Fort Knox"}}]`

func newHousekeeper(t *testing.T) *housekeeper {
	t.Helper()
	h := &housekeeper{T: t}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	h.URL = s.URL
	return h
}

func (h *housekeeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/api/websocket" {
		h.Errorf("asked for %s", r.URL.Path)
		http.NotFound(w, r)
		return
	}
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		h.Error(err)
		return
	}
	defer c.CloseNow() //nolint:errcheck // it is over
	send := func(v any) { _ = wsjson.Write(r.Context(), c, v) }
	send(map[string]any{"type": "auth_required", "ha_version": "2026.10.1"})
	var auth map[string]string
	if wsjson.Read(r.Context(), c, &auth) != nil || auth["type"] != "auth" || auth["access_token"] != "sesame" {
		send(map[string]any{"type": "auth_invalid", "message": "Invalid access token or password"})
		return
	}
	send(map[string]any{"type": "auth_ok", "ha_version": "2026.10.1"})
	for last := 0.0; ; {
		var m map[string]any
		if wsjson.Read(r.Context(), c, &m) != nil {
			return
		}
		id, _ := m["id"].(float64)
		result, code := h.command(m)
		if id <= last {
			code = "id_reuse"
		}
		last = max(last, id)
		if code != "" {
			why := map[string]any{"code": code, "message": code}
			send(map[string]any{"id": id, "type": "result", "success": false, "error": why})
			continue
		}
		send(map[string]any{"id": id, "type": "result", "success": true, "result": result})
	}
}

// command gives the result of a command, or why it is refused.
func (h *housekeeper) command(m map[string]any) (result any, code string) {
	switch m["type"] {
	case "get_states":
		return json.RawMessage(keptStates), ""
	case "config/area_registry/list", "config/floor_registry/list", "config/device_registry/list",
		"config/entity_registry/list":
		return []any{}, ""
	case "config/entity_registry/get_entries", "homeassistant/expose_entity/list":
		return map[string]any{}, ""
	case "subscribe_events":
		return nil, ""
	case "conversation/process":
		return h.converse(m)
	}
	return nil, "unknown_command"
}

func (h *housekeeper) converse(m map[string]any) (result any, code string) {
	text, ok := m["text"].(string)
	keys := slices.DeleteFunc(slices.Sorted(maps.Keys(m)), func(k string) bool {
		return slices.Contains([]string{"id", "type", "text", "language", "agent_id", "conversation_id"}, k)
	})
	if agent := m["agent_id"]; agent == nil || agent == "conversation.cloud" {
		h.Errorf("%q went to the cloud", text)
	} else if !ok || len(keys) > 0 || agent != "conversation.home_assistant" && agent != "homeassistant" {
		return nil, "invalid_format"
	}
	h.mu.Lock()
	h.said = append(h.said, text)
	h.mu.Unlock()
	kind, speech, data := "error", "Sorry, I couldn't understand that", map[string]any{"code": "no_intent_match"}
	if text == "let the fountain sparkle" {
		kind, speech = "action_done", "Turned on the fountain"
		data = map[string]any{"success": []any{}, "failed": []any{}, "targets": []any{}}
	}
	return map[string]any{"conversation_id": "01JX", "continue_conversation": false, "response": map[string]any{
		"response_type": kind, "language": m["language"], "data": data,
		"speech": map[string]any{"plain": map[string]any{"speech": speech, "extra_data": nil}},
	}}, ""
}

// at has the daemon use it, by its configuration.
func (h *housekeeper) at(c *config.Config) {
	key := filepath.Join(h.TempDir(), "token")
	if err := os.WriteFile(key, []byte("sesame\n"), 0o600); err != nil {
		h.Fatal(err)
	}
	c.Tools.Home.Source, c.Tools.Home.URL, c.Tools.Home.Token = "homeassistant", h.URL, config.Secret("file:"+key)
	c.Route.Policy = "local"
}

func TestHomeAssistantIsOfferedWhatNoSentenceCovers(t *testing.T) {
	for _, source := range []string{"homeassistant", "mqtt"} {
		t.Run(source, func(t *testing.T) {
			h := newHousekeeper(t)
			p := newParlour(t, llmtest.NewRealtime(t, nil), llmtest.NewOllama(t, "small", steps()), h.at,
				func(c *config.Config) { c.Tools.Home.Source = source })
			p.until("devices", func() bool { return len(p.d.assistant.homes.agent.Entities()) == 2 })
			for _, c := range []struct{ said, route, answer string }{
				{"let the fountain sparkle", "home_assistant", "Turned on the fountain"},
				{"why do people bake bread", "local", "Yes."},
				{"bitte die haustür aufmachen", "local", "Yes."},
				{"tell fort knox to have a rest", "local", "Yes."},             // the lock's name, which no list of words has
				{"i want to see all the shiny covers opened", "local", "Yes."}, // one of which may be the garage's
			} {
				doc, err := p.d.dialogue.AskAs(t.Context(), "", c.said, "")
				if err != nil || doc.Route != c.route || doc.Answer != c.answer {
					t.Errorf("%s: %+v, %v", c.said, doc, err)
				}
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			if diff := cmp.Diff([]string{"let the fountain sparkle", "why do people bake bread"}, h.said); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHomeAssistantIsOfferedNothingWhereTheOwnerSaysSo(t *testing.T) {
	for name, change := range map[string]func(*config.Home){
		"no conversation": func(c *config.Home) { c.Conversation = false },
		"no devices":      func(c *config.Home) { c.Source = "off" },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHousekeeper(t)
			p := newParlour(t, llmtest.NewRealtime(t, nil), llmtest.NewOllama(t, "small", steps()), h.at,
				func(c *config.Config) { change(&c.Tools.Home) })
			doc, err := p.d.dialogue.AskAs(t.Context(), "", "let the fountain sparkle", "")
			if err != nil || doc.Route != "local" {
				t.Errorf("%+v, %v", doc, err)
			}
			if len(h.said) > 0 {
				t.Errorf("it was offered %q", h.said)
			}
		})
	}
}

// What is put on a list at the console is put where the lists are.
func TestConsoleChangesTheListsOfHomeAssistant(t *testing.T) {
	h := newHousekeeper(t)
	p := newParlour(t, llmtest.NewRealtime(t, nil), llmtest.NewOllama(t, "small", steps()), h.at,
		func(c *config.Config) { c.Tools.List.Source = "homeassistant" })
	p.until("devices", func() bool { return len(p.d.assistant.homes.agent.Entities()) == 2 })
	by := apiChanges{host: host{base: p.d.base, h: p.d.assistant}}
	items, err := by.ChangeList(t.Context(), api.ListChange{List: "shopping", Add: []string{"milk"}})
	if refused := refusal.Error(""); !errors.As(err, &refused) || !strings.Contains(err.Error(), "shopping") {
		t.Errorf("there is no such list, and yet it has %q: %v", items, err)
	}
}

func TestConsoleSaysWhichBoxKeepsTheLists(t *testing.T) {
	p := newParlour(t, llmtest.NewRealtime(t, nil), llmtest.NewOllama(t, "small", steps()), func(c *config.Config) {
		c.Route.Policy, c.MQTT.House, c.MQTT.ListsAt = "local", "home", "kitchen"
	})
	by := apiChanges{host: host{base: p.d.base, h: p.d.assistant}}
	all, err1 := p.d.assistant.lists.Lists(t.Context())
	items, err2 := by.ChangeList(t.Context(), api.ListChange{List: "shopping", Add: []string{"milk"}})
	for _, err := range []error{err1, err2} {
		if refused := refusal.Error(""); !errors.As(err, &refused) || !strings.Contains(err.Error(), "kitchen") {
			t.Errorf("the kitchen has them, and here are %v and %q: %v", all, items, err)
		}
	}
}
