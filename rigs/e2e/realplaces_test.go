package e2e

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"
)

// placed are the devices whose places are told by the registries of Home Assistant.
var placed = []appliance{
	{domain: "light", name: "Alpha"}, {domain: "light", name: "Beta"}, {domain: "light", name: "Gamma"},
	{domain: "switch", name: "Hidden heater"},
}

// registers makes a row of a registry, and gives its identifier.
func (a *assist) registers(registry string, row map[string]any) string {
	a.t.Helper()
	var v map[string]any
	a.asks("config/"+registry+"_registry/create", row, &v)
	id, _ := v[registry+"_id"].(string)
	return id
}

// places says more of an entity than it says of itself.
func (a *assist) places(entity string, more map[string]any) {
	a.t.Helper()
	more["entity_id"] = entity
	a.asks("config/entity_registry/update", more, nil)
}

// TestRealHouseKnowsPlaces has areas, floors, aliases and exposure, as a household sets them in Home Assistant.
func TestRealHouseKnowsPlaces(t *testing.T) {
	a := newAssist(t, "")
	b := newMosquitto(t, t.TempDir())
	a.joins(b)
	announce(b, placed)
	a.has(placed)
	a.asks("homeassistant/expose_entity", map[string]any{
		"assistants": []string{"conversation"}, "entity_ids": []string{"switch.hidden_heater"}, "should_expose": false,
	}, nil)
	upper := a.registers("floor", map[string]any{"name": "Upper floor", "level": 1})
	ground := a.registers("floor", map[string]any{"name": "Ground floor", "level": 0, "aliases": []string{"garden level"}})
	study := a.registers("area", map[string]any{"name": "Study", "floor_id": upper, "aliases": []string{"den"}})
	bath := a.registers("area", map[string]any{"name": "Bathroom", "floor_id": upper})
	parlour := a.registers("area", map[string]any{"name": "Parlour", "floor_id": ground})
	a.places("light.alpha", map[string]any{"area_id": study})
	a.places("light.beta", map[string]any{"area_id": bath})
	a.places("light.gamma", map[string]any{"area_id": parlour, "aliases": []string{"Moon lamp"}})
	k := served(t, a, a.grants("hearthd"))
	see := a.watches()
	k.until("the devices", func() bool { return k.ask("is the moon lamp on").Route == "intent" })
	for _, c := range []struct{ text, alpha, beta, gamma string }{
		{"turn on the lights upstairs", "on", "on", "unknown|off"},
		{"turn off the lights in the den", "off", "on", "unknown|off"},
		{"turn off the lights upstairs", "off", "off", "unknown|off"},
		{"turn on the moon lamp", "off", "off", "on"},
		{"turn off the lights on the garden level", "off", "off", "off"},
		{"turn on the lights on the ground floor", "off", "off", "on"},
	} {
		turn := k.ask(c.text)
		if turn.Question != "" { // more than one room
			turn = k.agree(turn.Question)
		}
		for id, want := range map[string]string{"light.alpha": c.alpha, "light.beta": c.beta, "light.gamma": c.gamma} {
			if !see.gives(id, "", want) {
				t.Errorf("%q: %q, and %s is %s, want %s", c.text, turn.Answer, id, see.shown(id, ""), want)
			}
		}
		t.Logf("%q: %q", c.text, turn.Answer)
	}
	turn := k.ask("turn on the hidden heater")
	t.Logf("not exposed: %q (%s)", turn.Answer, turn.Route)
	if turn.Outcome == "answered" && turn.Route == "home_assistant" || see.shown("switch.hidden_heater", "") == "on" {
		t.Errorf("what is not exposed to voice was touched: %q", turn.Answer)
	}

	a.places("light.gamma", map[string]any{"aliases": []string{"Sun lamp"}})
	k.until("the new alias", func() bool { return k.ask("is the sun lamp on").Route == "intent" })
}

// TestRealHouseKnowsLabels has labels of entities, of an area and of plugs, one that is renamed and one that goes.
func TestRealHouseKnowsLabels(t *testing.T) {
	a := newAssist(t, "")
	b := newMosquitto(t, t.TempDir())
	a.joins(b)
	devices := []appliance{
		{domain: "light", name: "Alpha"}, {domain: "light", name: "Beta"}, {domain: "light", name: "Gamma"},
		{domain: "light", name: "Delta"}, {domain: "switch", name: "Porch plug"},
	}
	announce(b, devices)
	a.has(devices)
	christmas := a.registers("label", map[string]any{"name": "Christmas"})
	easter := a.registers("label", map[string]any{"name": "Easter"})
	a.registers("label", map[string]any{"name": "Lights"})
	attic := a.registers("area", map[string]any{"name": "Attic", "labels": []string{christmas}})
	for _, id := range []string{"light.alpha", "light.beta"} {
		a.places(id, map[string]any{"labels": []string{christmas}})
	}
	a.places("light.gamma", map[string]any{"area_id": attic})
	a.places("switch.porch_plug", map[string]any{"labels": []string{easter}})
	k := served(t, a, a.grants("hearthd"))
	see := a.watches()
	says := func(text string) Turn {
		turn := k.ask(text)
		if turn.Question != "" {
			turn = k.agree(turn.Question)
		}
		t.Logf("%q: %q", text, turn.Answer)
		return turn
	}
	orders := func(text, shows string) {
		t.Helper()
		turn := says(text)
		ids := []string{"light.alpha", "light.beta", "light.gamma", "light.delta", "switch.porch_plug"}
		for i, want := range strings.Fields(shows) {
			if !see.gives(ids[i], "", want) {
				t.Errorf("%q: %q, and %s is %s, want %s", text, turn.Answer, ids[i], see.shown(ids[i], ""), want)
			}
		}
	}
	k.until("the devices", func() bool { return k.ask("turn on the delta").Outcome == "answered" })
	orders("turn on the christmas lights", "on on on on unknown")
	orders("turn off the christmas lights", "off off off on unknown")
	if turn := says("are the christmas lights on"); !strings.HasPrefix(turn.Answer, "No, none of them") {
		t.Errorf("%q", turn.Answer)
	}
	orders("turn on christmas", "on on on on unknown")
	orders("turn on the easter lights", "on on on on on")
	orders("turn off easter", "on on on on off")

	a.asks("config/label_registry/update", map[string]any{"label_id": christmas, "name": "Winter"}, nil)
	k.until("the new name", func() bool { return k.ask("are the winter lights on").Route == "intent" })
	orders("turn off the winter lights", "off off off on off")
	a.asks("config/label_registry/delete", map[string]any{"label_id": christmas}, nil)
	k.until("no such label", func() bool { return !strings.HasPrefix(k.ask("are the winter lights on").Answer, "No, none") })
	orders("turn on the winter lights", "off off off on off")
}

// machine is a plug, what it is told, and the order in which that came.
func (a *assist) machine() (told func() string) {
	a.t.Helper()
	b := newMosquitto(a.t, a.t.TempDir())
	a.joins(b)
	devices := []appliance{{domain: "switch", name: "Coffee machine"}}
	announce(b, devices)
	a.has(devices)
	orders := filepath.Join(a.t.TempDir(), "orders")
	out, err := os.Create(orders)
	check(a.t, err)
	sub := b.client("mosquitto_sub", "-t", "zz/+/set")
	sub.Stdout = out
	check(a.t, sub.Start())
	a.t.Cleanup(func() { _ = sub.Process.Kill(); _ = sub.Wait(); _ = out.Close() })
	return func() string {
		data, err := os.ReadFile(orders)
		check(a.t, err)
		return strings.Join(strings.Fields(string(data)), " ")
	}
}

const away = "I cannot reach Home Assistant at the moment."

// TestRealHouseGoesAway has Home Assistant end while an order is given, and its token end.
func TestRealHouseGoesAway(t *testing.T) {
	a := newAssist(t, "")
	orders := a.machine()
	k := served(t, a, a.grants("hearthd"))
	k.until("the devices", func() bool { return k.ask("turn off the coffee machine").Outcome == "answered" })

	told := make(chan Turn, 1)
	go func() { told <- k.ask("turn on the coffee machine") }()
	a.end()
	t.Logf("it ended in the order: %q", (<-told).Answer)
	for _, text := range []string{"is the coffee machine on", "turn on the coffee machine", "are all lights off"} {
		if turn := k.ask(text); turn.Answer != away || turn.Outcome == "answered" {
			t.Errorf("while it is away: %q: %q %s", text, turn.Answer, turn.Outcome)
		}
	}
	if status, out, _ := k.ctl(t, "status"); !strings.Contains(out, "Home Assistant does not answer.") {
		t.Errorf("hearthctl status: %d %q", status, out)
	}
	a.start()
	k.until("Home Assistant again", func() bool { return k.ask("is the coffee machine on").Outcome == "answered" })
	if n := strings.Count(orders(), "ON"); n > 1 {
		t.Errorf("the machine was told %d times", n)
	}
	t.Logf("orders that the machine got: %q", orders())
	see := a.watches()
	turn := k.ask("turn on the coffee machine")
	if turn.Outcome != "answered" || !see.gives("switch.coffee_machine", "", "on") {
		t.Errorf("after the restart: %q", turn.Answer)
	}

	a.revokes("hearthd")
	k.until("a word about the token", func() bool { return strings.Contains(k.Tail(), "Home Assistant refuses the token") })
	for _, text := range []string{"turn off the coffee machine", "is the coffee machine on"} {
		if turn := k.ask(text); turn.Outcome == "answered" ||
			turn.Answer != "Home Assistant does not let me in any more: its token has ended." {
			t.Errorf("without a token: %q: %q", text, turn.Answer)
		}
	}
	for _, command := range []string{"status", "doctor"} {
		if _, out, _ := k.ctl(t, command); !strings.Contains(out, "Home Assistant refuses the token") {
			t.Errorf("hearthctl %s: %q", command, out)
		}
	}
}

// scissors stand between hearthd and Home Assistant, and cut both connections at the next action: when it was
// passed on, or instead of that.
type scissors struct {
	a    *assist
	next atomic.Value // string: after, instead
}

func (s *scissors) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	from, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer from.CloseNow() //nolint:errcheck // over
	to, _, err := websocket.Dial(ctx, "ws://127.0.0.1:"+s.a.port+r.URL.Path, nil)
	if err != nil {
		return
	}
	defer to.CloseNow() //nolint:errcheck // over
	from.SetReadLimit(32 << 20)
	to.SetReadLimit(32 << 20)
	go func() {
		defer cancel()
		for {
			_, data, err := to.Read(ctx)
			if err != nil || from.Write(ctx, websocket.MessageText, data) != nil {
				return
			}
		}
	}()
	for {
		_, data, err := from.Read(ctx)
		if err != nil {
			return
		}
		cut := ""
		if bytes.Contains(data, []byte(`"call_service"`)) {
			cut, _ = s.next.Swap("").(string)
		}
		if cut == "instead" || to.Write(ctx, websocket.MessageText, data) != nil {
			return
		}
		if cut == "after" { // what was sent is read before the end of it
			_ = to.Close(websocket.StatusNormalClosure, "")
			return
		}
	}
}

// TestRealHouseIsCutOffInAnOrder cuts the connection with the order of which nobody can know whether it arrived.
func TestRealHouseIsCutOffInAnOrder(t *testing.T) {
	a := newAssist(t, "")
	orders := a.machine()
	between := &scissors{a: a}
	between.next.Store("")
	srv := httptest.NewServer(between)
	t.Cleanup(srv.Close)
	k := servedAt(t, srv.URL, a.grants("hearthd"))
	k.until("the devices", func() bool { return k.ask("turn off the coffee machine").Outcome == "answered" })
	see := a.watches()
	for _, c := range []struct{ cut, text, shows, says, told string }{
		{"after", "turn on the coffee machine", "on", "The coffee machine is on.|I sent that to .* but got no answer.", "OFF ON"},
		{"instead", "turn off the coffee machine", "on", "I sent that to the coffee machine, but got no answer.", "OFF ON"},
		{"", "turn off the coffee machine", "off", "The coffee machine is off.", "OFF ON OFF"},
	} {
		between.next.Store(c.cut)
		turn := k.ask(c.text)
		t.Logf("cut %q: %q: %q", c.cut, c.text, turn.Answer)
		if !matches(c.says, turn.Answer) || !see.gives("switch.coffee_machine", "", c.shows) {
			t.Errorf("%q, and the machine is %s", turn.Answer, see.shown("switch.coffee_machine", ""))
		}
		k.until("the connection", func() bool { return k.ask("is the coffee machine on").Outcome == "answered" })
		if got := orders(); got != c.told {
			t.Errorf("the machine was told %q, want %q", got, c.told)
		}
	}
}
