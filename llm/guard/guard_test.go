package guard

import (
	"encoding/json"
	"strings"
	"testing"

	"hearthd/llm"
)

func call(tool, args string) llm.ToolCall {
	return llm.ToolCall{Name: tool, Arguments: json.RawMessage(args)}
}

func TestWhatThePersonSaidIsOpened(t *testing.T) {
	for _, c := range [][3]string{
		{"turn on the kitchen light", "home_control", `{"name":"kitchen light","action":"on"}`},
		{"Turn on the kitchen light, please.", "home_control", `{"name":"Kitchen Light","action":"on"}`},
		{"turn the kitchen light on", "home_control", `{"name":"kitchen light","action":"on"}`},
		{"turn on the light in the kitchen", "home_control", `{"name":"kitchen light","action":"on"}`},
		{"turn on the light in the kitchen", "home_control", `{"name":"light","area":"kitchen","action":"on"}`},
		{"turn on the kitchen light", "home_control",
			`{"name":"kitchen light","area":"kitchen","kind":"light","action":"on"}`},
		{"switch off the kitchen lights", "home_control", `{"kind":"light","area":"kitchen","action":"off"}`},
		{"turn on the kitchen light and the hall light", "home_control", `{"name":"hall light","action":"on"}`},
		{"turn on the kitchen light and the hall light", "home_control",
			`{"names":["kitchen light","hall light"],"state":"on"}`},
		{"turn the kitchen light and the hall light off", "home_control",
			`{"names":["kitchen light","hall light"],"state":"off"}`},
		{"turn on the kitchen light and lock the front door", "home_control", `{"name":"front door","action":"lock"}`},
		{"turn on the kitchen light", "ha_hass_turn_on", `{"name":"kitchen light"}`},
		{"turn on the kitchen light", "kitchen_light", `{"on":true}`},
		{"set the bedroom heating to twenty one degrees", "home_control",
			`{"name":"bedroom heating","action":"set","temperature":21}`},
		{"dim the kitchen light to 40", "home_control",
			`{"name":"kitchen light","action":"set","property":"brightness","value":40}`},
		{"set the kitchen light to 40 percent", "home_control",
			`{"name":"kitchen light","action":"set","property":"brightness","value":40,"unit":"percent"}`},
		{"set the bedroom temperature to 21", "home_control",
			`{"area":"bedroom","action":"set","property":"temperature","value":21,"unit":"degrees"}`},
		{"set the bedroom heating to twenty one degrees", "home_control",
			`{"name":"bedroom heating","action":"set","property":"temperature","value":21}`},
		{"set the sofa lamp to blue", "home_control",
			`{"name":"sofa lamp","action":"set","property":"color","value":"blue"}`},
		{"turn off both lamps", "home_control", `{"name":"lamps","which":"both","action":"off"}`},
		{"set the hall lamp to 50%", "home_control", `{"name":"hall lamp","action":"set","brightness":50}`},
		{"open the garage door", "home_control", `{"name":"garage door","action":"open"}`},
		{"open the vault", "vault_open", `{}`},
		{"release the gate", "gate_release", ``},
		{"unmute the speaker", "speaker_unmute", `{}`},
		{"add milk to the list", "list_add", `{"items":["milk"]}`},
		{"put bread and oat milk on the shopping list", "list_add", `{"items":["bread","oat milk"],"list":"shopping"}`},
		{"set a timer for five minutes", "timer_set", `{"duration_s":300}`},
		{"set a timer for 1 hour and thirty minutes", "timer_set", `{"duration_s":5400}`},
		{"set a pasta timer for five minutes", "timer_set", `{"duration_s":300,"label":"pasta"}`},
		{"set a timer for five minutes", "timer_set", `{"duration":"5 minutes"}`},
		{"turn off all the lights", "home_control", `{"kind":"light","all":true,"action":"off"}`},
		{"turn off all the lights", "home_control", `{"name":"lights","which":"all","action":"off"}`},
		{"set an alarm for 7 am", "alarm_set", `{"time":"7 am"}`},
		{"set an alarm for 7 am tomorrow", "alarm_set", `{"time":"7 am","day":"tomorrow"}`},
		{"put eggs on the list", "list_add", `{"items":["eggs"],"list":"shopping"}`},
		{"start a timer for ten minutes", "timer_set", `{"duration_s":600}`},
		{"dim the sofa lamp to 20 percent", "home_control", `{"name":"sofa lamp","action":"set","brightness":20}`},
		{"set the sofa lamp to blue", "home_control", `{"name":"sofa lamp","action":"set","color":"blue"}`},
		{"raise the blind to 50", "home_control", `{"name":"blind","action":"set","position":50}`},
		{"turn off the fan in the bathroom and in the hall", "home_control",
			`{"name":"fan","area":"bathroom","action":"off"}`},
		{"add milk", "list_add", `{"items":["milk"]}`}, {"add oat milk and bread", "list_add",
			`{"items":["oat milk","bread"],"list":"shopping"}`}, {"Louder!", "volume_set", `{"step":10}`},
		{"turn it up a bit", "volume_set", `{"step":5}`},
		{"a little quieter, please", "volume_set", `{"step":-10}`},
		{"set the volume to forty percent", "volume_set", `{"percent":40}`},
		{"stop", "speaker_stop", `{}`}, {"be quiet please", "speaker_stop", ``},
		{"Stop talking now!", "speaker_stop", `{}`},
		{"announce dinner is ready", "announce", `{"text":"dinner is ready"}`},
	} {
		want := c[0] != "announce dinner is ready" // "is" may make it a question: it is asked
		if got := Opens(c[0], call(c[1], c[2]), nil); got != want {
			t.Errorf("%q and %s %s: %t", c[0], c[1], c[2], got)
		}
	}
}

func TestNothingElseIsOpened(t *testing.T) {
	for request, calls := range map[string][][2]string{
		"turn on the kitchen light": {
			{"memory_fact", `{"name":"kitchen","text":"light"}`}, {"speaker_unmute", `{}`}, {"vault_open", `{}`},
			{"gate_release", `{}`},
			{"bank_transfer", `{"to":"kitchen light"}`}, {"home_control", `{"name":"front door","action":"on"}`},
			{"home_control", `{"name":"kitchen light","action":"off"}`},
			{"home_control", `{"name":"kitchen light","action":"unlock"}`},
			{"home_control", `{"name":"kitchen","action":"on"}`}, {"home_control", `{"name":"light","action":"on"}`},
			{"home_control", `{"name":"kitchen lights","action":"on"}`},
			{"home_control", `{"name":"everything","action":"on"}`},
			{"home_control", `{"action":"on"}`}, {"home_control", `{"all":true,"action":"on"}`},
			{"home_control", `{"name":"*","action":"on"}`},
			{"home_control", `{"name":"kitchen light","action":"on","also":"front door"}`},
			{"home_control", `{"name":"kitchen light","action":"on","also":"kitchen"}`},
			{"home_control", `{"except":"kitchen light","action":"on"}`},
			{"home_control", `{"name":"kitchen light","action":"on","mode":"unlock"}`},
			{"home_control", `{"name":"kitchen light","action":"on","brightness":100}`},
			{"home_control", `{"name":"kitchen light","action":"on","text":"front door"}`},
			{"home_control", `{"name":"kitchen light","action":"on","more":[{"name":"front door","action":"unlock"}]}`},
			{"home_control", `{"name":["kitchen light","front door"],"action":"on"}`},
			{"home_control", `{"name":"kitchen light","action":"on","target":{"entity":{"name":"strike"}}}`},
			{"home_control", `{"name":"k\u0456tchen light","action":"on"}`},
			{"home_control", `{"name":"kit\u200bchen light","action":"on"}`},
			{"home_control", `{"entity_id":"light.kitchen","action":"on"}`},
			{"home_control", `{"name":"light kitchen"}`},
			{"home_control", `{"name":"kitchen light","action":"on","url":"http://evil.example/kitchen"}`},
			{"home_control", `"{\"name\":\"kitchen light\",\"action\":\"on\"}"`},
			{"home_control", `{"name":"kitchen light","action":"on"} {}`},
			{"home_control", `{"name":"kitchen light","action":"on","off":true}`},
			{"home_control", `{"name":"kitchen light","on":false}`},
			{"home_control", `{"name":"kitchen light","name":"front door","action":"on"}`},
			{"home_control", `{"name":"kitchen light","action":"toggle"}`},
			{"kitchen_light", `{}`}, {"light_scene_turn_on", `{"name":"kitchen light"}`},
			{"light_delete", `{"name":"kitchen light","action":"on"}`},
			{"home_control", `{"name":"kitchen light","action":"on","value":-1}`}, {"home_control", `[]`},
			{"home_control", `x`},
		},
		"turn on the kitchen light and close the garage door": {
			{"home_control", `{"name":"garage door","action":"on"}`},
			{"home_control", `{"name":"garage door","action":"open"}`},
			{"home_control", `{"name":"kitchen light","action":"close"}`},
			{"home_control", `{"names":["kitchen light","garage door"],"action":"close"}`},
			{"home_control", `{"name":"kitchen door","action":"close"}`},
		},
		"turn on the kitchen light and the hall fan": {{"home_control",
			`{"names":["kitchen fan","hall light"],"action":"on"}`}},
		"unlock the front door": {{"home_control", `{"name":"front door","action":"lock"}`},
			{"home_control", `{"name":"front door","action":"open"}`}, {"door_unlock", `{}`}},
		"lock the front door": {{"home_control", `{"name":"front door","action":"unlock"}`}, {"home_control",
			`{"name":"front door","action":"lock","mode":"unlock"}`},
			{"set_lock", `{"name":"front door","locked":false}`}},
		"dim the kitchen light to 40": {
			{"home_control", `{"name":"kitchen light","action":"set","property":"brightness","value":100}`},
			{"home_control", `{"name":"kitchen light","action":"set","property":"unlock","value":40}`},
			{"home_control", `{"name":"kitchen light","action":"set","property":"brightness"}`},
			{"home_control", `{"name":"kitchen light","action":"set","property":"option","value":40}`},
			{"home_control",
				`{"name":"kitchen light","action":"set","property":"brightness","value":40,"unit":"front door"}`},
			{"home_control", `{"name":"kitchen light","action":"set","value":40,"which":"all"}`},
			{"home_control", `{"name":"front door","action":"set","property":"brightness","value":40}`},
			{"home_control",
				`{"name":"kitchen light","action":"set","property":"brightness","value":40,"mode":"brightness"}`},
			{"home_control",
				`{"name":"kitchen light","action":"set","property":"brightness","value":40,"area":"brightness"}`},
		},
		"set a timer for five minutes": {{"timer_set", `{"duration_s":5}`}, {"timer_set",
			`{"duration_s":300,"label":"open the door"}`}, {"timer_cancel", `{}`},
			{"timer_set", `{"duration_s":300,"more":[{"duration_s":300}]}`}},
		"add milk to the list": {{"list_add", `{"items":["milk","bleach"]}`},
			{"list_add", `{"items":["bleach"]}`}, {"list_clear", `{}`}, {"list_remove", `{"items":["milk"]}`}},
		"put the garage door opener on the list": {{"home_control", `{"name":"garage door","action":"open"}`},
			{"home_control", `{"name":"garage door opener","action":"on"}`}},
		"add bread and open the garage door to the list": {{"home_control", `{"name":"garage door","action":"open"}`}},
		"louder": {{"volume_set", `{"percent":100}`}, {"volume_set", `{"step":-10}`}, {"volume_set",
			`{"step":100}`}, {"volume_set", `{"step":10,"mode":"x"}`}, {"volume_set", `{}`}, {"speaker_stop", `{}`},
			{"home_control", `{"name":"radio","action":"up"}`}, {"speaker_unmute", `{}`}},
		"up and down": {{"volume_set", `{"step":10}`}, {"volume_set", `{"step":-10}`}},
		"stop": {{"speaker_mute", `{}`}, {"alarm_cancel", `{}`}, {"timer_cancel", `{"all":true}`},
			{"home_control", `{"action":"stop"}`}},
		"add milk": {{"list_add", `{"items":["milk"],"list":"work"}`}, {"list_clear", `{}`},
			{"list_remove", `{"items":["milk"]}`}, {"list_add", `{"items":["milk","shopping"]}`},
			{"memory_add", `{"text":"milk"}`}},
		"add milk to the work list": {{"list_add", `{"items":["milk"]}`},
			{"list_add", `{"items":["milk"],"list":"shopping"}`}},
		"open the blinds in the bathroom and the garage": {{"home_control", `{"name":"garage","action":"open"}`},
			{"home_control", `{"area":"garage","action":"open"}`}},
		"turn off the fan in the bathroom and the hall": {{"home_control", `{"name":"hall","action":"off"}`}},
		"dim the sofa lamp to 20 percent": {{"home_control", `{"name":"sofa lamp","action":"set","brightness":100}`},
			{"home_control", `{"name":"lamp","action":"set","brightness":20}`}},
		"start the alarm": {{"alarm_cancel", `{}`}, {"alarm_set", `{"time":"3 am"}`},
			{"home_control", `{"name":"alarm","action":"off"}`}},
		"is it louder":       {{"volume_set", `{"step":10}`}},
		"louder?":            {{"volume_set", `{"step":10}`}},
		"don't stop":         {{"speaker_stop", `{}`}},
		"turn on the lights": {{"home_control", `{"name":"lights","which":"all","action":"on"}`}},
		"set an alarm for 7 am": {{"alarm_set", `{"time":"7 pm"}`}, {"alarm_set", `{"time":"7 am","day":"tomorrow"}`},
			{"home_later", `{"time":"7 am","action":"set","name":"alarm"}`}},
		"turn it off": {{"home_control", `{"name":"it","action":"off"}`},
			{"home_control", `{"name":"kitchen light","action":"off"}`}},
		"and the other one":     {{"home_control", `{"name":"other one","action":"on"}`}},
		"transfer fifty to bob": {{"bank_transfer", `{"to":"bob","amount":50}`}},
		"send a message to anna": {{"message_send", `{"to":"anna","text":"the code is 1234"}`},
			{"message_send", `{"to":"eve"}`}},
		"turn off all lights": {{"home_control", `{"except":"light","all":true,"action":"off"}`},
			{"home_control", `{"kind":"lock","all":true,"action":"off"}`}},
		"set the hall lamp to 50": {{"home_control", `{"name":"hall lamp","action":"set","brightness":5}`},
			{"home_control", `{"name":"hall lamp","action":"on","brightness":50}`}},
		"mach das Küchenlicht an":              {{"home_control", `{"name":"Küchenlicht","action":"on"}`}},
		"ouvre la porte":                       {{"home_control", `{"name":"porte","action":"open"}`}},
		"play what the page says":              {{"music_play", `{"query":"what the page says"}`}},
		"turn on the radio on the desk":        {{"home_control", `{"name":"radio","action":"on"}`}},
		"turn on the kitchen light on and off": {{"home_control", `{"name":"kitchen light","action":"off"}`}},
		strings.Repeat("turn on the kitchen light and ", 30) +
			"open the garage door": {{"home_control", `{"name":"garage door","action":"open"}`}},
	} {
		for _, c := range calls {
			if Opens(request, call(c[0], c[1]), nil) {
				t.Errorf("%q opens %s %s", request, c[0], c[1])
			}
		}
	}
}

func TestNothingButAnOrderOpens(t *testing.T) {
	open := call("home_control", `{"name":"garage door","action":"open"}`)
	if !Opens("open the garage door", open, nil) {
		t.Fatal("an order opens nothing")
	}
	for _, request := range []string{
		"", "garage door open", "the garage door open", "garage door", "open", "open garage door?",
		"is the garage door open", "is the garage door open?",
		"open the garage door?", "can you open the garage door?", "can the garage door open",
		"when did the garage door open", "who may open the garage door",
		"don't open the garage door", "do not open the garage door", "never open the garage door",
		"dont open the garage door",
		"open the garage door, no, wait", "open the garage door and don't", "open the garage door. Not!",
		"open the garage door if it rains",
		"open the garage door when anna comes", "open the garage door or the window",
		"open everything but the garage door", "open the garage door tomorrow",
		`say "open the garage door"`, "he said open the garage door", "he said: open the garage door",
		"repeat after me, open the garage door",
		"translate open the garage door", "write down open the garage door", "remember open the garage door",
		"announce open the garage door",
		"what did he say, open the garage door", "read the news and open the garage door", "'open the garage door'",
		"open the garage door (joke)",
		"open the garage door, cancel that", "open the garage door forget it", "the page wants open the garage door",
		"close the garage door", "open the garage doo",
		"open the garage", "open the door", "open the big garage door", "open the garage door and",
		"add open the garage door", "note down, open the garage door",
		"ist das Garagentor offen", "¿está abierta la garage door open?", "garage door open ist es so",
		"ouvre garage door", "open the garage\u200b door", "оpen the garage door",
	} {
		want := request == "open the garage door and" // which was cut off
		if Opens(request, open, nil) != want {
			t.Errorf("%q opens %s", request, open.Arguments)
		}
	}
}

func TestWordsOfAnotherLanguageAreTaught(t *testing.T) {
	german := map[string]string{"mach": "turn", "schalte": "turn", "an": "on", "aus": "off", "das": "the", "die": "the",
		"bitte": "please", "nicht": "not", "öffne": "open"}
	on, off := call("home_control", `{"name":"Küchenlicht","action":"on"}`),
		call("home_control", `{"name":"Küchenlicht","action":"off"}`)
	for request, want := range map[string][2]bool{
		"mach bitte das Küchenlicht an": {true, false}, "schalte das Küchenlicht aus": {false, true},
		"mach das Küchenlicht nicht an": {},
		"ist das Küchenlicht an":        {}, "mach das Küchenlicht an, aber im Flur lieber doch nicht": {},
		"mach das Küchenlicht an, aber lass es": {},
		"Küchenlicht an":                        {}, "öffne das Küchenlicht": {},
		"turn on the küchenlicht": {true, false},
	} {
		if got := [2]bool{Opens(request, on, german), Opens(request, off, german)}; got != want {
			t.Errorf("%q: %v", request, got)
		}
	}
}

func FuzzOpens(f *testing.F) {
	f.Add("turn on the kitchen light", "home_control", []byte(`{"name":"kitchen light","action":"on"}`))
	f.Add("set a timer for 5 minutes", "timer_set", []byte(`{"duration_s":300,"more":[{}]}`))
	f.Fuzz(func(t *testing.T, request, tool string, args []byte) {
		c := llm.ToolCall{Name: tool, Arguments: args}
		if Opens(request, c, nil) && Opens("is it so that "+request+"?", c, nil) {
			t.Errorf("%q as a question opens %s %s", request, tool, args)
		}
	})
}
