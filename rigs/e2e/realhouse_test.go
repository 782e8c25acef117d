package e2e

import (
	"strings"
	"testing"
	"time"

	"hearthd/rigs/testcard"
)

// boxInHouse is a box as a real Home Assistant shows it.
type boxInHouse struct {
	*assist
	see  *sightings
	ids  map[string]string // of its entities, by those of the contract
	used map[string]bool
}

// finds waits until Home Assistant has all entities of the box on the node, and shows their states.
func (a *assist) finds(node string, entities map[string]entity) *boxInHouse {
	a.t.Helper()
	x := &boxInHouse{assist: a, ids: map[string]string{}, used: map[string]bool{}}
	a.until("the entities of "+node, func() (lacks []string) {
		known := a.known("mqtt")
		for id := range entities {
			if x.ids[id] = known["hearth_"+node+"_"+id]; x.ids[id] == "" {
				lacks = append(lacks, id)
			}
		}
		return lacks
	})
	a.until("the states of "+node, func() (lacks []string) {
		x.see = a.watches()
		x.see.mu.Lock()
		defer x.see.mu.Unlock()
		for id, entity := range x.ids {
			if now, there := x.see.now[entity]; !there || now.State == "unavailable" {
				lacks = append(lacks, id)
			}
		}
		return lacks
	})
	return x
}

// shows waits until one of its entities shows what fits since the last use.
func (x *boxInHouse) shows(id, want string) {
	x.t.Helper()
	x.used[id] = true
	x.see.shows(x.ids[id], want)
}

func (x *boxInHouse) sees(want map[string]string) {
	x.t.Helper()
	for id, as := range want {
		x.shows(id, as)
	}
}

// sets uses an entity, as a person does in the interface.
func (x *boxInHouse) sets(id, value string) {
	x.t.Helper()
	x.used[id] = true
	entity := x.ids[id]
	domain, _, _ := strings.Cut(entity, ".")
	x.see.act()
	switch domain {
	case "button":
		x.calls("button.press", entity, nil)
	case "switch":
		x.calls("switch.turn_"+strings.ToLower(value), entity, nil)
	case "number", "text":
		x.calls(domain+".set_value", entity, map[string]any{"value": value})
	case "select":
		x.calls("select.select_option", entity, map[string]any{"option": value})
	case "notify":
		x.calls("notify.send_message", entity, map[string]any{"message": value})
	case "update":
		x.calls("update.install", entity, nil)
	default:
		x.t.Fatalf("%s cannot be set", entity)
	}
}

func TestRealHouseUsesEveryEntity(t *testing.T) {
	a := newAssist(t, "")
	k, _, env := cloudy(t, answers)
	b := newMosquitto(t, k.dir)
	a.joins(b)
	env = append(append(env, b.environ()...), "HEARTHD_MEDIA_STATIONS="+stations(t, "Radio One", "Radio Two"),
		"HEARTHD_MQTT_COMMANDS=say announce ask listen stop repeat mute dnd volume media timer wake route restart")
	k.begin(env...)
	p := newPanel(t, b)
	x := a.finds("demo", p.entities)
	first := map[string]string{
		"state": "idle", "route": "none", "latency": "unknown", "awake": "off", "speech": "off", "problem": "off",
		"next_timer": "unknown", "timers": "0", "mute": "off", "dnd": "off", "volume": `\d+`, "wake": "all", "policy": "auto",
		"version": "off", "memory": `[\d.]+`, "cpu": `[\d.]+`, "dropped": "0", "broker": `unknown|[\d.]+`,
		"spent_today": `0(\.0)?`, "spent_month": `0(\.0)?`, "media": "stopped", "media_state": "stopped", "media_volume": `\d+`,
	}
	x.sees(first)
	if x.ids["temperature"] != "" {
		x.shows("temperature", `-?[\d.]+`)
	}
	for _, s := range []struct{ id, value, shows, as string }{
		{"mute", "ON", "state", "muted"}, {"mute", "OFF", "state", "idle"},
		{"volume", "40", "volume", `40(\.0)?`}, {"wake", "phrase", "wake", "phrase"}, {"policy", "local", "policy", "local"},
		{"ask", "what time is it", "turn", `.*"event_type":"answered".*"intent":"time_now".*`},
		{"repeat", "", "state", "speaking"}, {"stop", "", "state", "idle"},
		{"say", "Hello.", "state", "speaking"}, {"stop", "", "state", "idle"},
		{"announce", "Tea.", "turn", `.*"route":"announcement".*`}, {"listen", "", "awake", "on"}, {"stop", "", "awake", "off"},
		{"media_station", "Radio One", "media", "Radio One"}, {"media_pause", "", "media_state", "paused"},
		{"media_play", "", "media_state", "playing"}, {"media_next", "", "media", "Radio Two"},
		{"media_previous", "", "media", "Radio One"}, {"media_volume", "35", "media_volume", `35(\.0)?`},
		{"media_stop", "", "media_state", "stopped"}, {"dnd", "ON", "dnd", "on"}, {"dnd", "OFF", "dnd", "off"},
	} {
		begun := time.Now()
		x.sets(s.id, s.value)
		x.shows(s.shows, s.as)
		t.Logf("%s %s: %s within %v", s.id, s.value, s.shows, time.Since(begun).Round(time.Millisecond))
		if s.id == "ask" {
			x.sees(map[string]string{"transcript": "what time is it", "answer": "It.s .+", "route": "intent"})
		}
	}
	x.see.act()
	k.heard("Hey hearth, hello.")
	x.sees(map[string]string{"speech": "on", "turn": `.*"event_type":"answered".*"source":"voice".*`, "latency": `\d+`})
	x.see.act()
	b.publish("hearth/demo/set/timer", `{"seconds": 600, "label": "pasta"}`)
	x.sees(map[string]string{"timers": "1", "next_timer": `20\d\d-.+`})
	b.publish("hearth/demo/set/timer", "1")
	x.shows("timer", `.*"event_type":"timer_fired".*`)
	x.sets("stop", "")
	x.shows("timer", `.*"event_type":"ring_ended".*`)
	x.see.act()
	check(t, k.card.BreakCapture(testcard.NoDevice))
	x.shows("problem", "on")
	check(t, k.card.BreakCapture(testcard.Healthy))
	x.shows("problem", "off")
	x.sets("ask", "what can you do")
	x.shows("turn", `.*"event_type":"answered".*`)
	x.sees(map[string]string{"answer": ".{20,255}"})

	x.sets("restart", "")
	k.restarts()
	x.shows("state", "unavailable")
	x.see.act()
	k.begin(env...)
	x.shows("state", "idle")
	p.upgrade()
	x.shows("version", "on")
	x.sets("version", "")
	k.restarts()
	x.shows("state", "unavailable")
	x.see.act()
	k.begin(env...)
	x.sees(map[string]string{"volume": `40(\.0)?`, "wake": "phrase", "policy": "local", "state": "idle"})
	for id := range x.ids {
		if !x.used[id] {
			t.Errorf("nobody has used %s", id)
		}
	}
	for _, line := range a.warned("mqtt.", "hearth_") {
		t.Errorf("Home Assistant warns: %s", line)
	}
}

// What fails in a house comes back, and what is gone leaves nothing.
func TestRealHouseRecovers(t *testing.T) {
	a := newAssist(t, "logger:\n  default: warning\n  logs:\n    homeassistant.components.mqtt.client: debug\n")
	k, _, env := cloudy(t, answers)
	b := newMosquitto(t, k.dir)
	a.joins(b)
	env = append(env, b.environ()...)
	k.begin(env...)
	p := newPanel(t, b)
	x := a.finds("demo", p.entities)
	x.sets("volume", "41")
	x.shows("volume", `41(\.0)?`)

	a.restart()
	begun := time.Now()
	x = a.finds("demo", p.entities)
	x.sees(map[string]string{"volume": `41(\.0)?`, "state": "idle"})
	t.Logf("Home Assistant restarted: right %v after it ran", time.Since(begun).Round(time.Millisecond))
	x.sets("volume", "42")
	x.shows("volume", `42(\.0)?`)

	b.kill()
	x.shows("state", "unavailable")
	b.start()
	begun = time.Now()
	if out, err := b.client("mosquitto_sub", "-t", "hearth/demo/availability", "-C", "1").CombinedOutput(); err != nil {
		t.Fatalf("mosquitto_sub: %v: %s", err, out)
	}
	t.Logf("broker restarted: the box is back after %v", time.Since(begun).Round(time.Millisecond))
	x.sees(map[string]string{"volume": `42(\.0)?`, "state": "idle"})
	t.Logf("broker restarted: right after %v, at %s", time.Since(begun).Round(time.Millisecond), time.Now().UTC().Format(time.TimeOnly+".000"))
	for _, line := range a.logged("connected", "Connected to", "re-connecting") {
		t.Logf("Home Assistant: %s", line)
	}
	x.sets("volume", "43")
	x.shows("volume", `43(\.0)?`)

	check(t, k.Stop())
	x.shows("state", "unavailable")
	begun = time.Now()
	k.begin(append(env, "HEARTHD_NODE=pantry")...)
	x = a.finds("pantry", p.entities)
	x.shows("state", "idle")
	t.Logf("box renamed: right %v after its start", time.Since(begun).Round(time.Millisecond))
	a.onlyHas("pantry")

	if status, _, stderr := k.ctl(t, "mqtt", "discovery", "--remove"); status != 0 {
		t.Errorf("%d %q", status, stderr)
	}
	begun = time.Now()
	a.onlyHas("nobody")
	t.Logf("box removed: gone after %v", time.Since(begun).Round(time.Millisecond))
	a.restart()
	a.onlyHas("nobody")
	for _, line := range a.warned("hearth") {
		t.Errorf("Home Assistant warns: %s", line)
	}
}

// onlyHas waits until there are no entities of other boxes than the node, and no such device.
func (a *assist) onlyHas(node string) {
	a.t.Helper()
	a.until("no ghosts beside "+node, func() (ghosts []string) {
		for unique, id := range a.known("mqtt") {
			if !strings.HasPrefix(unique, "hearth_"+node+"_") {
				ghosts = append(ghosts, id)
			}
		}
		var devices []struct{ Manufacturer, Name string }
		a.asks("config/device_registry/list", nil, &devices)
		for _, d := range devices {
			if d.Manufacturer == "hearthd" && !strings.EqualFold(d.Name, node+" speaker") {
				ghosts = append(ghosts, d.Name)
			}
		}
		return ghosts
	})
}

// until asks again and again until nothing is wrong.
func (a *assist) until(what string, wrong func() []string) {
	a.t.Helper()
	for end := time.Now().Add(patience); ; <-time.After(200 * time.Millisecond) {
		list := wrong()
		if len(list) == 0 {
			return
		}
		if time.Now().After(end) {
			a.t.Errorf("waited in vain for %s: %s", what, strings.Join(list, " "))
			return
		}
	}
}
