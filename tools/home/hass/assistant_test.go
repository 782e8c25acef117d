package hass

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"hearthd/tools/phrase"
)

const token = "long-lived"

// assistant is a server that speaks the published protocol, and refuses what the
// real one refuses: a wrong token, commands before auth, and ids that do not grow.
type assistant struct {
	t     *testing.T
	mu    sync.Mutex
	conn  *websocket.Conn
	calls []string
	areas string // what the area registry holds; empty: kitchen and bathroom
	old   bool   // it knows no floors
	guest bool   // the token is not an administrator's
	row   string // of the entity registry, beside the others
	shown string // what is exposed to voice, as JSON; empty: nothing was chosen
	many  string // states that come beside the others
	then  string // what is sent right behind the states
	deaf  bool   // its agent does not answer
	cuts  bool   // the connection ends when an action was called
	todos *todos // its lists; nil: none
}

func (a *assistant) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/api/calendars/calendar.family" && r.Header.Get("Authorization") == "Bearer "+token && r.FormValue("start") != "" {
		_, _ = w.Write([]byte(`[{"summary":"Tea"}]`)) // the test sees what is missing
		return
	}
	if r.URL.Path != "/api/websocket" {
		http.NotFound(w, r)
		return
	}
	a.serve(w, r)
}

// converse is the result of conversation/process, or why the command is refused. A model in
// the cloud is this house's usual agent.
func (a *assistant) converse(data []byte) (result, refused string) {
	var in struct {
		ID       int
		Type     string
		Text     *string
		Language string
		Agent    string  `json:"agent_id"`
		Within   *string `json:"conversation_id"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil || in.Text == nil {
		return "", "required key not provided @ data['text']"
	}
	local := map[bool]string{true: "homeassistant", false: "conversation.home_assistant"}[a.old]
	if in.Agent == "" || in.Agent == "conversation.cloud" {
		a.t.Errorf("%q went to the cloud", *in.Text)
	}
	if in.Agent != local {
		return "", "invalid agent ID for dictionary value @ data['agent_id']. Got '" + in.Agent + "'"
	}
	kind, speech, more := "action_done", "Turned on "+*in.Text,
		map[string]any{"targets": []any{}, "success": []any{}, "failed": []any{}}
	switch *in.Text {
	case "gibberish":
		kind, speech, more = "error", "Sorry, I couldn't understand that", map[string]any{"code": "no_intent_match"}
	case "turn on the fountain":
		kind, speech, more = "error", "Sorry, I am not aware of any device called fountain",
			map[string]any{"code": "no_valid_targets"}
	case "how fast is the fan": // a guess, which should not have been asked for
		a.t.Error("the agent was left to guess")
	case "never mind":
		speech = ""
	case "which lamps are on":
		kind, speech = "query_answer", "Sparky"
	}
	answer, _ := json.Marshal(map[string]any{
		"conversation_id": "01JX", "continue_conversation": false,
		"response": map[string]any{
			"response_type": kind, "language": in.Language, "data": more, "card": map[string]any{},
			"speech": map[string]any{"plain": map[string]any{"speech": speech, "extra_data": nil}},
		},
	})
	return string(answer), ""
}

// understood is what the agent has a rule for, or guesses, as of 2026.2.
func understood(data []byte) string {
	var in struct{ Sentences []string }
	_ = json.Unmarshal(data, &in) // it was read before
	var results []any
	for _, s := range in.Sentences {
		var r any
		if s != "gibberish" {
			r = map[string]any{"intent": map[string]any{"name": "HassTurnOn"}, "match": true, "source": "builtin",
				"fuzzy_match": s == "how fast is the fan"}
		}
		results = append(results, r)
	}
	out, _ := json.Marshal(map[string]any{"results": results})
	return string(out)
}

const states = `[
{"entity_id":"light.kitchen","state":"off","attributes":{"friendly_name":"Kitchen light","supported_color_modes":["color_temp","hs"],"effect_list":["Candle"]}},
{"entity_id":"cover.garage","state":"closed","attributes":{"friendly_name":"Garage door","device_class":"garage","current_position":0,"supported_features":15}},
{"entity_id":"climate.bath","state":"heat","attributes":{"friendly_name":"Bathroom","hvac_modes":["off","heat"],"temperature":21.5,"current_temperature":19.8,"min_temp":7,"max_temp":35,"preset_modes":["eco"],"preset_mode":"none"}},
{"entity_id":"humidifier.bath","state":"off","attributes":{"friendly_name":"Mist maker","min_humidity":0,"max_humidity":100,"supported_features":0}},
{"entity_id":"sensor.freezer","state":"-18.4","attributes":{"friendly_name":"Freezer temperature","device_class":"temperature","unit_of_measurement":"°C"}},
{"entity_id":"lock.front","state":"unavailable","attributes":{"friendly_name":"Front door"}},
{"entity_id":"input_boolean.guest","state":"on","attributes":{"friendly_name":"Guest mode"}},
{"entity_id":"light.hidden","state":"on","attributes":{}},
{"entity_id":"sun.sun","state":"below_horizon","attributes":{}},
{"entity_id":"bad","state":"x","attributes":{}}]`

func (a *assistant) serve(w http.ResponseWriter, r *http.Request) {
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer c.CloseNow() //nolint:errcheck // over
	ctx := r.Context()
	send := func(v string) { _ = c.Write(ctx, websocket.MessageText, []byte(v)) }
	send(`{"type":"auth_required","ha_version":"2026.9.1"}`)
	_, data, err := c.Read(ctx)
	var auth struct {
		Type  string
		Token string `json:"access_token"`
	}
	if err != nil || json.Unmarshal(data, &auth) != nil || auth.Type != "auth" || auth.Token != token {
		send(`{"type":"auth_invalid","message":"Invalid access token or password"}`)
		return
	}
	send(`{"type":"auth_ok","ha_version":"2026.9.1"}`)
	a.mu.Lock()
	a.conn = c
	a.mu.Unlock()
	last := 0
	for {
		_, data, err := c.Read(ctx)
		if err != nil {
			return
		}
		var m struct {
			ID       int
			Type     string
			Domain   string
			Service  string
			Entities *[]string `json:"entity_ids"`
		}
		if json.Unmarshal(data, &m) != nil || m.ID <= last {
			send(`{"id":` + itoa(m.ID) + `,"type":"result","success":false,"error":{"code":"id_reuse",` +
				`"message":"Identifier values have to increase."}}`)
			continue
		}
		last = m.ID
		result := "null"
		refuse := func(code, text string) {
			send(`{"id":` + itoa(m.ID) + `,"type":"result","success":false,"error":{"code":"` + code + `","message":"` + text +
				`"}}`)
		}
		switch m.Type {
		case "ping":
			send(`{"id":` + itoa(m.ID) + `,"type":"pong"}`)
			continue
		case "get_states":
			a.mu.Lock()
			result = strings.Replace(states, "[", "["+a.many, 1)
			then := a.then
			a.mu.Unlock()
			if then != "" {
				send(`{"id":` + itoa(m.ID) + `,"type":"result","success":true,"result":` + result + `}`)
				send(then)
				continue
			}
		case "config/area_registry/list":
			a.mu.Lock()
			if result = a.areas; result == "" {
				result = `[{"aliases":["Galley"],"area_id":"kitchen","floor_id":"ground","name":"Kitchen"},` +
					`{"area_id":"bath","floor_id":"first","name":"Bathroom"}]`
			}
			a.mu.Unlock()
		case "config/floor_registry/list":
			a.mu.Lock()
			old := a.old
			a.mu.Unlock()
			if old {
				send(`{"id":` + itoa(m.ID) + `,"type":"result","success":false,"error":{"code":"unknown_command",` +
					`"message":"Unknown command."}}`)
				continue
			}
			result = `[{"aliases":["basement level"],"created_at":1711500000.1,"floor_id":"ground","icon":null,"level":0,` +
				`"modified_at":1711500000.1,"name":"Ground floor"},{"aliases":[],"floor_id":"first","icon":null,"level":1,` +
				`"name":"First floor"}]`
		case "config/label_registry/list":
			if a.old {
				refuse("unknown_command", "Unknown command.")
				continue
			}
			result = `[{"color":"red","created_at":1711500000.1,"description":null,"icon":"mdi:pine-tree",` +
				`"label_id":"christmas","modified_at":1711500000.1,"name":"Christmas <tree>"}]`
		case "config/device_registry/list":
			result = `[{"id":"d1","area_id":"kitchen","labels":["christmas"]},{"id":"d2","area_id":null}]`
		case "config/entity_registry/list":
			a.mu.Lock()
			result = `[` + a.row + `{"entity_id":"light.kitchen","device_id":"d1","area_id":null,"entity_category":null,` +
				`"hidden_by":null,"options":{}},{"entity_id":"climate.bath","device_id":"d2","area_id":"bath"},` +
				`{"entity_id":"light.hidden","hidden_by":"user"}]`
			a.mu.Unlock()
		case "config/entity_registry/get_entries":
			if a.old {
				refuse("unknown_command", "Unknown command.")
				continue
			}
			if m.Entities == nil {
				refuse("invalid_format", "required key not provided @ data['entity_ids']")
				continue
			}
			rows := map[string]any{}
			for _, id := range *m.Entities {
				rows[id] = map[string]any{"entity_id": id, "aliases": []any{}}
			}
			if _, asked := rows["light.kitchen"]; asked {
				rows["light.kitchen"] = map[string]any{"entity_id": "light.kitchen",
					"aliases": []any{nil, "Big <shiny> lamp", "Sparky"}}
			}
			data, _ := json.Marshal(rows)
			result = string(data)
		case "homeassistant/expose_entity/list":
			a.mu.Lock()
			old, guest, shown := a.old, a.guest, a.shown
			a.mu.Unlock()
			switch {
			case old:
				refuse("unknown_command", "Unknown command.")
				continue
			case guest:
				refuse("unauthorized", "Unauthorized")
				continue
			}
			result = `{"exposed_entities":{` + shown + `}}`
		case "conversation/agent/homeassistant/debug":
			if a.old {
				refuse("unknown_command", "Unknown command.")
				continue
			}
			result = understood(data)
		case "conversation/process":
			a.mu.Lock()
			deaf := a.deaf
			a.mu.Unlock()
			if deaf {
				continue
			}
			answer, refused := a.converse(data)
			if refused != "" {
				refuse("invalid_format", refused)
				continue
			}
			result = answer
		case "subscribe_events":
		case "call_service":
			a.mu.Lock()
			a.calls = append(a.calls, string(data))
			cuts := a.cuts
			a.mu.Unlock()
			if cuts {
				return
			}
			if out, err, known := a.acts(data); known {
				if why := (*refusal)(nil); errors.As(err, &why) {
					refuse(why.code, why.text)
					continue
				}
				result = string(out)
				break
			}
			if m.Service == "lock" {
				send(`{"id":` + itoa(m.ID) + `,"type":"result","success":false,"error":{"code":"home_assistant_error",` +
					`"message":"jammed"}}`)
				continue
			}
			send(`{"id":1,"type":"event","event":{"event_type":"state_changed","data":{"entity_id":"light.kitchen",` +
				`"new_state":{"entity_id":"light.kitchen","state":"on","attributes":{"friendly_name":"Kitchen light",` +
				`"supported_color_modes":["color_temp","hs"],"brightness":128,"rgb_color":[255,0,0]}}}}}`)
		default:
			send(`{"id":` + itoa(m.ID) + `,"type":"result","success":false,"error":{"code":"unknown_command",` +
				`"message":"Unknown command."}}`)
			continue
		}
		send(`{"id":` + itoa(m.ID) + `,"type":"result","success":true,"result":` + result + `}`)
	}
}

func itoa(n int) string { data, _ := json.Marshal(n); return string(data) }

// run starts a client of a server and gives what it tells of the connection.
func run(t *testing.T, with string) (*Client, *assistant, <-chan error) {
	t.Helper()
	a := &assistant{t: t}
	c, told := runWith(t, a, with)
	return c, a, told
}

func runWith(t *testing.T, a *assistant, with string) (*Client, <-chan error) {
	t.Helper()
	srv := httptest.NewServer(a)
	t.Cleanup(srv.Close)
	told := make(chan error, 100)
	c, err := New(Options{URL: srv.URL, Token: with, Book: phrase.English(), Changed: func(err error) { told <- err },
		Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- c.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return c, told
}

func await(t *testing.T, told <-chan error) error {
	t.Helper()
	select {
	case err := <-told:
		return err
	case <-time.After(time.Minute):
		t.Fatal("nothing is told of the connection")
		return nil
	}
}
