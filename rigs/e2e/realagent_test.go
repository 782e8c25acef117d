package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hearthd/rigs/llmtest"
)

// ownSentences are what a household has taught its Home Assistant: sentences of automations, of which one has a
// word that may be anything, and others that it wrote into files, as spokenThere has them.
const ownSentences = `input_boolean:
  guest_mode:
    name: Guest mode
  holiday_mode:
    name: Holiday mode
input_text:
  last_word:
    name: Last word
intent_script:
  FeedTheFish:
    action: {action: input_boolean.turn_on, target: {entity_id: input_boolean.holiday_mode}}
    speech: {text: The fish have been fed.}
  HowIsTheHouse:
    speech: {text: "All is quiet, and guest mode is {{ states('input_boolean.guest_mode') }}."}
automation:
  - alias: Visitors
    triggers: [{trigger: conversation, command: ["the in-laws are coming"]}]
    actions:
      - {action: input_boolean.turn_on, target: {entity_id: input_boolean.guest_mode}}
      - {set_conversation_response: "Courage."}
  - alias: Visitors are gone
    triggers: [{trigger: conversation, command: ["[they are] gone at last"]}]
    actions: [{action: input_boolean.turn_off, target: {entity_id: input_boolean.guest_mode}}]
  - alias: Chalk
    triggers: [{trigger: conversation, command: ["chalk up {what}"]}]
    actions:
      - {action: input_text.set_value, target: {entity_id: input_text.last_word}, data: {value: "{{ trigger.slots.what }}"}}
      - {set_conversation_response: "Chalked up {{ trigger.slots.what }}."}
`

const spokenThere = `language: en
intents:
  FeedTheFish: {data: [{sentences: ["throw the fish a bite"]}]}
  HowIsTheHouse: {data: [{sentences: ["how fares the castle"]}]}
`

// TestRealHouseAgentAnswersAfterIntents says what the agent takes and hearthd does not, and what neither does.
func TestRealHouseAgentAnswersAfterIntents(t *testing.T) {
	a := newAssist(t, ownSentences)
	folder := filepath.Join(a.root, a.dir, "custom_sentences", "en")
	check(t, os.MkdirAll(folder, 0o755))
	check(t, os.WriteFile(filepath.Join(folder, "ours.yaml"), []byte(spokenThere), 0o600))
	a.asks("call_service", map[string]any{"domain": "conversation", "service": "reload"}, nil)
	a.exposes("input_boolean.guest_mode")
	k := served(t, a, a.grants("hearthd"))
	see := a.watches()
	k.until("the devices", func() bool { return k.ask("is guest mode on").Answer == "No. The guest mode is off." })
	for _, c := range []struct{ text, entity, shows, says string }{
		{"the in-laws are coming", "input_boolean.guest_mode", "on", "Courage."},
		{"how fares the castle", "input_boolean.guest_mode", "on", "All is quiet, and guest mode is on."},
		{"gone at last", "input_boolean.guest_mode", "off", "Done"},
		{"chalk up two coffees", "input_text.last_word", "two coffees", "Chalked up two coffees."},
		{"throw the fish a bite", "input_boolean.holiday_mode", "on", "The fish have been fed."},
	} {
		turn := k.ask(c.text)
		t.Logf("%q: %q by %s in %d ms", c.text, turn.Answer, turn.Route, turn.Stages.Route+turn.Stages.Tool)
		if turn.Route != "home_assistant" || turn.Answer != c.says || !see.gives(c.entity, "", c.shows) {
			t.Errorf("%q: %q by %s, want %q; %s is %s", c.text, turn.Answer, turn.Route, c.says, c.entity, see.shown(c.entity, ""))
		}
	}
	see.act()
	for _, text := range []string{"the in-laws are quite nice", "my castle has a moat", "who chalked that", "the fish look well fed",
		"gone with the wind is a long film"} {
		turn := k.ask(text)
		t.Logf("%q: %q by %s", text, turn.Answer, turn.Route)
		if turn.Route == "home_assistant" || turn.Route == "intent" || turn.Outcome == "answered" {
			t.Errorf("%q: %q by %s, %s", text, turn.Answer, turn.Route, turn.Outcome)
		}
	}
	see.mu.Lock()
	defer see.mu.Unlock()
	for _, s := range see.all[see.from:] {
		if strings.HasPrefix(s.ID, "input_") || strings.HasPrefix(s.ID, "automation.") {
			t.Errorf("what nobody understood changed %s to %s", s.ID, s.State)
		}
	}
}

// TestRealHouseOffersItsToolsByMCP has a model use what Home Assistant's own MCP server offers.
func TestRealHouseOffersItsToolsByMCP(t *testing.T) {
	a := newAssist(t, "input_boolean:\n  guest_mode:\n    name: Guest mode\n")
	a.exposes("input_boolean.guest_mode")
	a.configures("mcp_server", map[string]any{"llm_hass_api": []string{"assist"}})
	ollama := llmtest.NewOllama(t, model, func(r llmtest.OllamaRequest) []llmtest.OllamaChunk {
		if last := r.Messages[len(r.Messages)-1]; last.Role == "tool" {
			return llmtest.OllamaSay("Your guests are welcome.")
		}
		return []llmtest.OllamaChunk{llmtest.OllamaTool(0, "house_hass_turn_on", `{"name":"Guest mode"}`), llmtest.OllamaDone(20, 5, 0)}
	})
	k := newKitchen(t)
	key := k.dir + "/key"
	check(t, os.WriteFile(key, []byte(a.grants("hearthd")+"\n"), 0o600))
	check(t, os.WriteFile(k.ConfigPath(), []byte("tools:\n  mcp:\n    - name: house\n      url: "+a.url("/api/mcp")+
		"\n      secret: file:"+key+"\n      allow: [Hass*, GetLiveContext]\n      read_only: [Get*]\n"), 0o600))
	k.begin(minds(strings.TrimPrefix(ollama.URL, "http://"))...)
	offered := func(want bool) {
		t.Helper()
		k.until("the server's tools, or none", func() bool {
			_, list, _ := k.ctl(t, "tools", "list")
			return strings.Contains(list, "house_hass_turn_on") == want
		})
	}
	offered(true)
	see := a.watches()
	status, out, stderr := k.ctl(t, "tools", "run", "house_get_live_context")
	t.Logf("GetLiveContext: %d %s %s", status, out, stderr)
	if status != 0 || !strings.Contains(out, "Guest mode") {
		t.Errorf("%d %s %s", status, out, stderr)
	}
	turn := k.ask("Would you turn on the guest mode for my visitors?")
	t.Logf("%q asks %q, by %s: %+v", turn.Answer, turn.Question, turn.Route, turn.Tools)
	if turn.Question != "" {
		turn = k.agree(turn.Question)
	}
	if turn.Outcome != "answered" || !see.gives("input_boolean.guest_mode", "", "on") {
		t.Errorf("%+v; guest mode is %s", turn, see.shown("input_boolean.guest_mode", ""))
	}
	a.end()
	if status, _, _ := k.ctl(t, "tools", "run", "house_get_live_context"); status == 0 {
		t.Error("a server that is gone has answered")
	}
	offered(false)
	a.start()
	offered(true)
	a.revokes("hearthd")
	if status, _, _ := k.ctl(t, "tools", "run", "house_get_live_context"); status == 0 {
		t.Error("it lets one in whose token has ended")
	}
	k.condition("mcp_house", true)
}

// hearsOnce lets the person say words, and gives the turn that comes of it, or an empty one if they are not understood.
func (k *kitchen) hearsOnce(words string) (t Turn) {
	k.t.Helper()
	k.say(words)
	k.event("a turn by voice, or none", func(h happening) bool {
		t = Turn{}
		return h.Type == "ignored" || h.Type == "turn" && json.Unmarshal(h.raw, &t) == nil && t.Source == "voice"
	})
	return t
}

// TestRealHouseHearsOrders gives ten orders aloud, in the words and the voice that a recogniser without a server hears.
func TestRealHouseHearsOrders(t *testing.T) {
	a := newAssist(t, "")
	b := newMosquitto(t, t.TempDir())
	a.joins(b)
	announce(b, furnished)
	a.has(furnished)
	k := served(t, a, a.grants("hearthd"))
	see := a.watches()
	k.until("the devices", func() bool { return k.ask("turn off the coffee machine").Outcome == "answered" })
	right := 0
	for _, c := range []struct{ said, entity, shows, says string }{
		{"make the desk lamp red", "light.desk_lamp", "rgb_color=[255 0 0]", ""}, // only then it shows how bright it is
		{"set the desk lamp to forty percent", "light.desk_lamp", "brightness=102", ""},
		{"turn on the coffee machine", "switch.coffee_machine", "on", ""},
		{"open the attic shutter", "cover.attic_shutter", "open", ""},
		{"lock the front door", "lock.front_door", "locked", ""},
		{"set the thermostat to twenty one degrees", "climate.thermostat", "temperature=21", ""},
		{"turn on the ceiling fan", "fan.ceiling_fan", "on", ""},
		{"start the mower", "lawn_mower.mower", "mowing", ""},
		{"is the kitchen window open", "", "", "(?i)^yes|is open"},
		{"what is the freezer temperature", "", "", "18.5|eighteen point five"},
	} {
		from := k.played()
		turn := k.hearsOnce("Hey hearth, " + c.said + ".")
		asked := turn.Question
		if asked != "" { // it is not sure of the words, and what opens matters
			turn = k.hearsOnce("Yes.")
		}
		attribute, want, has := strings.Cut(c.shows, "=")
		if !has {
			attribute, want = "", c.shows
		}
		ok := turn.Outcome == "answered" && turn.Route == "intent" && matches(c.says, turn.Answer) &&
			(c.entity == "" || see.gives(c.entity, attribute, want))
		if ok {
			k.audible(from)
			right++
		}
		t.Logf("%v: %q heard as %q: %q (asked %q), first sound after %d ms", ok, c.said, turn.Transcript, turn.Answer, asked,
			turn.Stages.FirstSound)
		k.await("an idle box", func(s Status) bool { return s.State == "idle" })
	}
	if t.Logf("%d of 10 at the first try", right); right < 8 { // a number before "percent" is heard wrongly
		t.Fail()
	}
}
