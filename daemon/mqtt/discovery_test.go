package mqtt

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hearthd/daemon/event"
	"hearthd/daemon/mqtt/contract"
	"hearthd/tools/home/template"
)

// component is what of an entity the tests use.
type component struct {
	Platform        string   `json:"platform"`
	StateTopic      string   `json:"state_topic"`
	CommandTopic    string   `json:"command_topic"`
	ValueTemplate   string   `json:"value_template"`
	AttributesTopic string   `json:"json_attributes_topic"`
	Attributes      string   `json:"json_attributes_template"`
	CommandTemplate string   `json:"command_template"`
	Press           string   `json:"payload_press"`
	Install         string   `json:"payload_install"`
	Options         []string `json:"options"`
	EventTypes      []string `json:"event_types"`
	DeviceClass     string   `json:"device_class"`
	Unit            string   `json:"unit_of_measurement"`
}

func components(t *testing.T, d contract.Device) map[string]component {
	t.Helper()
	doc, err := d.Document()
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Components map[string]component `json:"components"`
	}
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatal(err)
	}
	return v.Components
}

func evaluate(t *testing.T, source, payload string) string {
	t.Helper()
	if source == "" {
		return payload
	}
	parsed, err := template.Parse(source)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	out, err := parsed.Value(template.Read(payload))
	if err != nil {
		t.Fatalf("%s of %s: %v", source, payload, err)
	}
	return out
}

// Everything that Home Assistant shows comes out of what the bridge really sends.
func TestEntitiesShowWhatIsPublished(t *testing.T) {
	x := newBox(t, Options{Broker: contract.Embedded, Listen: "127.0.0.1:1883", Discovery: true})
	entities := components(t, x.opt.Device)
	ask := func(id string, want map[string]string) {
		t.Helper()
		sent := map[string]string{}
		for {
			m, ok := x.out.next()
			if !ok {
				break
			}
			sent[m.topic] = string(m.payload)
			x.out.sent(m)
		}
		for id, want := range want {
			c := entities[id]
			payload, ok := sent[c.StateTopic]
			if got := evaluate(t, c.ValueTemplate, payload); !ok || got != want {
				t.Errorf("%s shows %q, want %q", id, got, want)
			}
			if c.Platform == "event" {
				var v struct {
					Type string `json:"event_type"`
				}
				if err := json.Unmarshal([]byte(want), &v); err != nil || !slices.Contains(c.EventTypes, v.Type) {
					t.Errorf("%s: %v, %q is none of its types", id, err, v.Type)
				}
			}
			if c.DeviceClass == "enum" && !slices.Contains(c.Options, want) {
				t.Errorf("%s: %q is none of its options", id, want)
			}
			if c.AttributesTopic != "" {
				var v map[string]any
				if got := evaluate(t, c.Attributes, sent[c.AttributesTopic]); json.Unmarshal([]byte(got), &v) != nil {
					t.Errorf("%s: attributes are no object: %s", id, got)
				}
			}
		}
	}
	ask("begin", map[string]string{
		"state": "starting", "route": "none", "latency": "None", "awake": "OFF", "speech": "OFF", "problem": "OFF",
		"next_timer": "None", "timers": "0", "mute": "OFF", "dnd": "OFF", "volume": "70", "wake": "all",
		"policy": "local",
		"memory": "23.5", "cpu": "2.5", "dropped": "0", "broker": "None", "temperature": "None",
		"version": `{"installed_version": "0.1.0", "latest_version": "0.1.0"}`,
	})
	x.publish(dinner())
	ask("turn", map[string]string{
		"route": "intent", "latency": "829", "transcript": "set a timer for ten minutes",
		"answer": "Ten minutes, starting now.",
		"turn":   `{"event_type": "answered", "route": "intent", "intent": "timer_set", "source": "voice"}`,
	})
	x.publish(&event.Turn{Source: "text", Route: "none", Outcome: "failed", Answer: strings.Repeat("ä", 300)})
	ask("failure", map[string]string{
		"route": "none", "latency": "None", "transcript": "", "answer": strings.Repeat("ä", 255),
		"turn": `{"event_type": "failed", "route": "none", "intent": "", "source": "text"}`,
	})
	x.publish(&event.TimersChanged{Timers: []event.Timer{
		{ID: 1, Kind: "timer", Label: "paused", Ends: evening, LeftS: 30},
		{ID: 2, Kind: "timer", Label: `"pasta"`, Ends: evening.Add(time.Minute)},
	}})
	ask("timers", map[string]string{"next_timer": "2026-11-20T18:31:00Z", "timers": "2"})
	fired := &event.TimerFired{Timer: event.Timer{ID: 2, Kind: "timer", Label: `"pasta"`, Ends: evening}}
	fired.Type = "timer_fired"
	x.publish(fired)
	ask("ring",
		map[string]string{"timer": `{"event_type": "timer_fired", "kind": "timer", "label": "\"pasta\"", "reason": ""}`})
	resumed := &event.RingResumed{Timers: []event.Timer{{ID: 2, Kind: "timer", Label: "pasta", Ends: evening}}}
	resumed.Type = "ring_resumed"
	x.publish(resumed)
	ask("ring", map[string]string{"timer": `{"event_type": "ring_resumed", "kind": "", "label": "", "reason": ""}`})
	ended := &event.RingEnded{Timers: []int64{2}, Reason: "stopped"}
	ended.Type = "ring_ended"
	x.publish(ended)
	ask("ring",
		map[string]string{"timer": `{"event_type": "ring_ended", "kind": "", "label": "", "reason": "stopped"}`})
	x.conditions.Set("microphone", "error", "It is gone.")
	x.publish(&event.ConditionChanged{})
	ask("health", map[string]string{"problem": "ON"})
	x.trip.Store(int64(1234 * time.Microsecond))
	x.putVitals()
	ask("vitals", map[string]string{"broker": "1.23"})
}

// filled is what Home Assistant sends for a value.
func filled(t *testing.T, c component, value any) string {
	t.Helper()
	if c.CommandTemplate == "" {
		return fmt.Sprint(value)
	}
	parsed, err := template.Parse(c.CommandTemplate)
	if err != nil {
		t.Fatal(err)
	}
	out, err := parsed.Command(map[string]any{"value": value})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Everything that Home Assistant can press or set is obeyed, with what it sends.
func TestEntitiesSendWhatIsObeyed(t *testing.T) {
	x := newBox(t, Options{Broker: contract.Embedded, Listen: "127.0.0.1:1883", Discovery: true})
	for id, c := range components(t, x.opt.Device) {
		if c.CommandTopic == "" {
			continue
		}
		var payloads []string
		switch c.Platform {
		case "switch":
			payloads = []string{contract.On, contract.Off} // Home Assistant's default
		case "number":
			payloads = []string{filled(t, c, 0), filled(t, c, 100)}
		case "select":
			payloads = c.Options
		case "button":
			payloads = []string{c.Press}
		case "update":
			payloads = []string{c.Install}
		case "text", "notify":
			payloads = []string{filled(t, c, `{"say": "what's that?"}`)}
		}
		for _, p := range payloads {
			call, err := parseCall(kitchenAnswers, strings.TrimPrefix(c.CommandTopic, own+"/set/"), []byte(p), false)
			if err != nil {
				t.Errorf("%s sends %q: %v", id, p, err)
				continue
			}
			if said := call.args.Text + call.args.Station; strings.Contains(c.CommandTemplate, "tojson") &&
				said != `{"say": "what's that?"}` {
				t.Errorf("%s sends %q, which is %q", id, p, said)
			}
			if _, err := x.do(t.Context(), call); err != nil {
				t.Errorf("%s sends %q: %v", id, p, err)
			}
		}
	}
}

// A household that has Home Assistant on a real broker.
func TestMosquittoShowsTheDocumentAtEveryBirth(t *testing.T) {
	m := newMosquitto(t, anonymous)
	x := newBox(t, Options{Broker: m.url(), Discovery: true}).run(t)
	topic := x.device.Topic()
	doc, err := x.device.Document()
	if err != nil {
		t.Fatal(err)
	}
	m.shows(t, topic, string(doc))
	e := listen(t, "127.0.0.1:"+m.port, "#")
	before := func() int { return e.count(topic + " {") }
	eventually(t, "the retained document", func() bool { return before() == 1 })
	for i := range 2 {
		m.pub(t, "homeassistant/status", "-m", "offline")
		m.pub(t, "homeassistant/status", "-m", "online")
		eventually(t, "the document once more", func() bool { return before() == i+2 })
		eventually(t, "the state once more", func() bool { return e.count("hearth/kitchen/volume 70") >= i+2 })
	}
	if err := x.Withdraw(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the removal", func() bool { return e.count(topic+" ") == before()+1 })
	if err := x.stop(); err != nil {
		t.Fatal(err)
	}

	// Another box of the house, and one that shall not be found any more.
	again := newBox(t, Options{Broker: m.url(), Discovery: true}).run(t)
	m.shows(t, topic, string(doc))
	if err := again.stop(); err != nil {
		t.Fatal(err)
	}
	late := listen(t, "127.0.0.1:"+m.port, "homeassistant/#")
	eventually(t, "the document that stays", func() bool { return late.count(topic+" {") == 1 })
	newBox(t, Options{Broker: m.url()}).run(t)
	eventually(t, "its removal", func() bool { return slices.Contains(late.all(), topic+" ") })
}

func TestBoxesOfOneBrokerDoNotCollide(t *testing.T) {
	seen := map[string]string{}
	for _, node := range []string{"kitchen", "bedroom", "kitchen-2"} {
		d := kitchen()
		d.Node = node
		doc, err := d.Document()
		if err != nil {
			t.Fatal(err)
		}
		var v struct {
			Components map[string]struct {
				ID string `json:"unique_id"`
			} `json:"components"`
		}
		if err := json.Unmarshal(doc, &v); err != nil {
			t.Fatal(err)
		}
		names := []string{d.Topic(), d.ID()}
		for _, c := range v.Components {
			names = append(names, c.ID)
		}
		for _, n := range names {
			if other, taken := seen[n]; taken {
				t.Errorf("%s has %s of %s", node, n, other)
			}
			seen[n] = node
		}
	}
}

// Every command on a real broker, with the programs that a household has.
func TestMosquittoCarriesEveryEntity(t *testing.T) {
	m := newMosquitto(t, anonymous)
	x := newBox(t, Options{Broker: m.url(), Discovery: true}).run(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	e := listen(t, "127.0.0.1:"+m.port, "hearth/kitchen/result")
	n, answers := 0, map[string]int{}
	for id, c := range components(t, x.opt.Device) {
		if c.CommandTopic == "" || id == "version" {
			continue
		}
		payload := c.Press
		switch c.Platform {
		case "switch":
			payload = contract.On
		case "number":
			payload = filled(t, c, 40)
		case "select":
			payload = c.Options[0]
		case "text", "notify":
			payload = filled(t, c, "hello")
		}
		m.pub(t, c.CommandTopic, "-m", payload)
		n++
		want := fmt.Sprintf(`hearth/kitchen/result {"command":%q,"ok":true`,
			strings.TrimPrefix(c.CommandTopic, own+"/set/"))
		answers[want]++
		eventually(t, want, func() bool { return e.count(want) == answers[want] && len(x.speaker.list()) == n })
	}
}
