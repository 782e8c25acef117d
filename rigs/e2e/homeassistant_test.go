package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// obeys sends a command as a household does and waits for the answer.
func (b *mosquitto) obeys(s *subscription, command, payload string, contains ...string) string {
	b.t.Helper()
	b.publish("hearth/demo/set/"+command, payload)
	return s.await("0 hearth/demo/result", append([]string{`"command":"` + command + `"`}, contains...)...)
}

// The document that hearthctl prints without a daemon is the one on the broker, and
// it can be taken back.
func TestHearthctlShowsWhatHomeAssistantIsTold(t *testing.T) {
	k := newKitchen(t)
	b := newMosquitto(t, k.dir)
	text := "node: demo\nlog: {transcripts: true}\nmqtt: {area: Kitchen}\n" // the house of the tests shows words
	check(t, os.WriteFile(k.ConfigPath(), []byte(text), 0o600))
	printed := func(config string, want int) (topic, payload string) {
		t.Helper()
		status, stdout, stderr := k.ctl(t, "mqtt", "discovery", "--json", "--config", config)
		if status != want {
			t.Fatalf("%d %q %q", status, stdout, stderr)
		}
		var v struct {
			Topic   string          `json:"topic"`
			Payload json.RawMessage `json:"payload"`
		}
		if want == 0 {
			check(t, json.Unmarshal([]byte(stdout), &v))
		}
		return v.Topic, string(v.Payload)
	}
	topic, payload := printed(k.ConfigPath(), 0)
	if topic != "homeassistant/device/hearth_demo/config" || !strings.Contains(payload, `"suggested_area":"Kitchen"`) {
		t.Errorf("%s %s", topic, payload)
	}
	off := filepath.Join(k.dir, "off.yaml")
	check(t, os.WriteFile(off, []byte(text[:len(text)-2]+", discovery: false}\n"), 0o600))
	printed(off, 1)

	k.begin(b.environ()...)
	house := b.follow("homeassistant/#")
	if told := house.await("", topic+" {"); told[len("0 "):] != topic+" "+payload { // retained, unless it comes just now
		t.Errorf("the broker has\n%s, and hearthctl prints\n%s", told, payload)
	}
	if status, _, stderr := k.ctl(t, "mqtt", "discovery", "--remove"); status != 0 {
		t.Errorf("%d %q", status, stderr)
	}
	house.await("0 "+topic, " ")
	check(t, k.Stop())
}

// What asks by voice asks over MQTT.
func TestRiskyToolAsksOverMQTT(t *testing.T) {
	k := newKitchen(t)
	b := newMosquitto(t, k.dir)
	opened := garden(t, k)
	k.begin(b.environ()...)
	house := b.subscribe()
	const question = `"answer":"Shall I water the garden?"`
	for _, c := range []struct {
		answer string
		opens  int
	}{{"no", 0}, {"what time is it", 0}, {"water the garden", 0}, {"yes", 1}} {
		if times(t, opened) == 0 && c.answer != "yes" {
			b.obeys(house, "ask", "water the garden", question, `"asks":true`)
		}
		b.obeys(house, "ask", c.answer, `"ok":true`)
		if c.answer == "yes" { // which names nothing
			b.obeys(house, "ask", "water the garden", question, `"question":"Shall I water the garden?"`)
			b.obeys(house, "ask", `{"text":"yes","question":"Shall I water the garden?"}`, `"ok":true`)
		}
		if n := times(t, opened); n != c.opens {
			t.Errorf("after %q it was opened %d times, want %d", c.answer, n, c.opens)
		}
	}
	b.obeys(house, "ask", "yes", `"ok":true`)
	if n := times(t, opened); n != 1 {
		t.Errorf("a second yes opened it: %d", n)
	}
}
