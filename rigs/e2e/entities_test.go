package e2e

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"hearthd/rigs/testcard"
	"hearthd/tools/home/template"
)

// entity is what of a component of the device document Home Assistant needs to use it.
type entity struct {
	Platform        string   `json:"platform"`
	StateTopic      string   `json:"state_topic"`
	Value           string   `json:"value_template"`
	AttributesTopic string   `json:"json_attributes_topic"`
	Attributes      string   `json:"json_attributes_template"`
	CommandTopic    string   `json:"command_topic"`
	Command         string   `json:"command_template"`
	Press           string   `json:"payload_press"`
	Install         string   `json:"payload_install"`
	Options         []string `json:"options"`
}

// panel does with a box what Home Assistant does, as its retained document says, with
// mosquitto_sub and mosquitto_pub.
type panel struct {
	t        *testing.T
	b        *mosquitto
	sub      *subscription
	from     int // lines of sub before what was done last
	entities map[string]entity
	used     map[string]bool
}

func newPanel(t *testing.T, b *mosquitto) *panel {
	t.Helper()
	const topic = "homeassistant/device/hearth_demo/config "
	doc := b.follow("homeassistant/#").await("", topic+"{") // retained, unless it comes just now
	p := &panel{t: t, b: b, sub: b.subscribe(), used: map[string]bool{}}
	var v struct {
		Components map[string]entity `json:"components"`
	}
	check(t, json.Unmarshal([]byte(doc[len("0 "+topic):]), &v))
	p.entities = v.Components
	return p
}

// entity finds one that must be there.
func (p *panel) entity(id string) entity {
	p.t.Helper()
	e, ok := p.entities[id]
	if !ok {
		p.t.Fatalf("the document has no %s", id)
	}
	p.used[id] = true
	return e
}

// render is what a template makes of a payload.
func (p *panel) render(source, payload string) string {
	p.t.Helper()
	if source == "" {
		return payload
	}
	parsed, err := template.Parse(source)
	check(p.t, err)
	out, err := parsed.Value(template.Read(payload))
	check(p.t, err)
	return out
}

// came waits until a payload of the topic came since the last command and is right.
func (p *panel) came(what, topic string, right func(payload string) bool) {
	p.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		p.sub.mu.Lock()
		lines, more := p.sub.lines[p.from:], p.sub.more
		p.sub.mu.Unlock()
		for _, line := range lines {
			if payload, ok := strings.CutPrefix(line[2:], topic+" "); ok && right(payload) {
				return
			}
		}
		select {
		case <-more:
		case <-deadline.C:
			p.t.Fatalf("%s: waited in vain; there were\n%s", what, strings.Join(lines, "\n"))
		}
	}
}

// shows waits until the entity shows what fits since the last command.
func (p *panel) shows(id, want string) {
	p.t.Helper()
	e := p.entity(id)
	fits := regexp.MustCompile("^(?:" + want + ")$")
	p.came(id+" shows "+want, e.StateTopic, func(payload string) bool { return fits.MatchString(p.render(e.Value, payload)) })
	if e.AttributesTopic != "" {
		p.came("attributes of "+id, e.AttributesTopic, func(payload string) bool {
			var v map[string]any
			return json.Unmarshal([]byte(p.render(e.Attributes, payload)), &v) == nil
		})
	}
}

// sees is shows for several.
func (p *panel) sees(want map[string]string) {
	p.t.Helper()
	for id, as := range want {
		p.shows(id, as)
	}
}

// act begins something that shows is asked about next.
func (p *panel) act() {
	p.sub.mu.Lock()
	defer p.sub.mu.Unlock()
	p.from = len(p.sub.lines)
}

// set sends what Home Assistant sends when the entity is used, and waits until the box
// says that it is done.
func (p *panel) set(id, value string) {
	p.t.Helper()
	e := p.entity(id)
	switch {
	case e.Platform == "button":
		value = e.Press
	case e.Platform == "update":
		// A real Home Assistant refuses this while the versions are the same.
		var v struct {
			Installed string `json:"installed_version"`
			Latest    string `json:"latest_version"`
		}
		check(p.t, json.Unmarshal([]byte(p.render(e.Value, p.last(e.StateTopic))), &v))
		if v.Installed == v.Latest {
			p.t.Fatalf("there is no update of %s", v.Installed)
		}
		value = e.Install
	case e.Command != "":
		parsed, err := template.Parse(e.Command)
		check(p.t, err)
		value, err = parsed.Command(map[string]any{"value": value})
		check(p.t, err)
	}
	p.sends(strings.TrimPrefix(e.CommandTopic, "hearth/demo/set/"), value, `"ok":true`)
}

// last is the newest payload of a topic.
func (p *panel) last(topic string) (payload string) {
	p.sub.mu.Lock()
	defer p.sub.mu.Unlock()
	for _, line := range p.sub.lines {
		if rest, ok := strings.CutPrefix(line[2:], topic+" "); ok {
			payload = rest
		}
	}
	return payload
}

// upgrade says what the box does when another version was installed, which it looks for every minute.
func (p *panel) upgrade() {
	p.t.Helper()
	p.act()
	topic := p.entities["version"].StateTopic
	p.b.publish(topic, installed.ReplaceAllString(p.last(topic), `"installed":"99"`))
	p.shows("version", `.*"latest_version": "99".*`)
}

var installed = regexp.MustCompile(`"installed":"[^"]*"`)

// sends waits until the command is answered with what contains all of that.
func (p *panel) sends(command, payload string, contains ...string) {
	p.t.Helper()
	p.act()
	p.b.publish("hearth/demo/set/"+command, payload)
	p.came(command+" "+payload, "hearth/demo/result", func(answer string) bool {
		return strings.HasPrefix(answer, `{"command":"`+command+`"`) &&
			!slices.ContainsFunc(contains, func(s string) bool { return !strings.Contains(answer, s) })
	})
}

// restarts waits until the daemon has ended as for systemd to start it again.
func (k *kitchen) restarts() {
	k.t.Helper()
	select {
	case <-k.Exited():
	case <-time.After(patience):
		k.t.Fatal("hearthd does not end")
	}
	if err := k.Stop(); err == nil || !strings.Contains(err.Error(), "exit status 75") {
		k.t.Errorf("hearthd ended with %v", err)
	}
}

func TestEveryEntityWorksAsHomeAssistantUsesIt(t *testing.T) {
	k, _, env := cloudy(t, answers)
	b := newMosquitto(t, k.dir)
	env = append(append(env, b.environ()...), "HEARTHD_MQTT_COMMANDS=say announce ask listen stop repeat mute dnd volume media timer wake route restart",
		"HEARTHD_MEDIA_STATIONS="+stations(t, "Radio One", "Radio Two"))
	k.begin(env...)
	p := newPanel(t, b)
	p.sees(map[string]string{
		"state": "idle", "route": "none", "latency": "None", "awake": "OFF", "speech": "OFF", "problem": "OFF", "next_timer": "None", "timers": "0",
		"mute": "OFF", "dnd": "OFF", "volume": `\d+`, "wake": "all", "policy": "auto", "version": `\{"installed_version": ".+", "latest_version": ".+"\}`,
		"memory": `[\d.]+`, "cpu": `[\d.]+`, "dropped": "0", "broker": `None|[\d.]+`, "spent_today": "0", "spent_month": "0",
		"media": "stopped", "media_state": "stopped", "media_volume": `\d+`,
	})
	if _, ok := p.entities["temperature"]; ok {
		p.shows("temperature", `-?[\d.]+`)
	}
	p.sends("repeat", "ON", `"error":"nothing has been said yet"`)
	p.sends("wake", "nobody", `"error":"there is no such wake word"`)
	p.sends("tool", `{"tool":"list_show"}`, `"error":"the command \"tool\" is switched off`)
	for _, s := range []struct{ id, value, shows, as string }{
		{"mute", "ON", "state", "muted"}, {"mute", "OFF", "state", "idle"},
		{"volume", "40", "volume", "40"}, {"wake", "all", "wake", "all"}, {"wake", "phrase", "wake", "phrase"},
		{"policy", "auto", "policy", "auto"}, {"policy", "local", "policy", "local"},
		{"ask", "what time is it", "turn", `\{"event_type": "answered", "route": "intent", "intent": "time_now", "source": "text"\}`},
		{"repeat", "", "state", "speaking"}, {"stop", "", "state", "idle"},
		{"say", "Hello.", "state", "speaking"}, {"stop", "", "state", "idle"},
		{"announce", "Tea.", "turn", `.*"route": "announcement".*`}, {"listen", "", "awake", "ON"}, {"stop", "", "awake", "OFF"},
		{"media_station", "Radio One", "media", "Radio One"}, {"media_pause", "", "media_state", "paused"},
		{"media_play", "", "media_state", "playing"}, {"media_next", "", "media", "Radio Two"},
		{"media_previous", "", "media", "Radio One"}, {"media_volume", "35", "media_volume", "35"},
		{"media_stop", "", "media_state", "stopped"},
		{"dnd", "OFF", "dnd", "OFF"}, {"dnd", "ON", "dnd", "ON"},
	} {
		p.set(s.id, s.value)
		p.shows(s.shows, s.as)
		if p.entity(s.id).StateTopic != "" {
			p.shows(s.id, s.value)
		}
		if s.id == "ask" {
			p.sees(map[string]string{"transcript": "what time is it", "answer": "It.s .+", "route": "intent"})
		}
	}
	p.sends("media", `{"action": "play", "station": "Radio Three"}`, `"error":"I find nothing called Radio Three.`)
	p.sends("announce", `{"text": "the washing is done"}`, `"error":"do not disturb: `)
	p.sends("announce", `{"text": "Fire!", "priority": "urgent"}`, `"ok":true`)

	p.act()
	k.heard("Hey hearth, hello.")
	p.shows("speech", "ON")
	p.shows("speech", "OFF")
	p.shows("turn", `.*"route": "local".*"source": "voice"\}`)
	p.shows("latency", `\d+`)

	p.sends("timer", `{"seconds": 600, "label": "pasta"}`, `"text":"Pasta timer set for ten minutes."`)
	p.sees(map[string]string{"timers": "1", "next_timer": `20\d\d-.+`})
	p.sends("timer", `{"action": "change", "seconds": 1200, "label": "pasta"}`, "twenty minutes")
	p.sends("timer", `{"action": "cancel", "label": "pasta"}`, `"ok":true`)
	p.sees(map[string]string{"timers": "0", "next_timer": "None"})
	p.sends("timer", "1", `"ok":true`)
	p.shows("timer", `\{"event_type": "timer_fired", "kind": "timer", .*`)
	p.set("stop", "")
	p.shows("timer", `\{"event_type": "ring_ended", .*"reason": "stopped"\}`)

	p.act()
	check(t, k.card.BreakCapture(testcard.NoDevice))
	p.shows("problem", "ON")
	p.act()
	check(t, k.card.BreakCapture(testcard.Healthy))
	p.shows("problem", "OFF")

	// What was set is there for whoever comes later, and after a restart.
	p.set("restart", "")
	k.restarts()
	b.subscribe().await("1 hearth/demo/availability offline")
	p.act()
	k.begin(env...)
	p.sees(map[string]string{"volume": "40", "dnd": "ON", "wake": "phrase", "policy": "local", "timers": "0"})
	p.upgrade()
	p.set("version", "")
	k.restarts()
	for id := range p.entities {
		if !p.used[id] {
			t.Errorf("nobody has used %s", id)
		}
	}
}
