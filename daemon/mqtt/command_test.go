package mqtt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"hearthd/daemon/mqtt/contract"
)

const own = "hearth/kitchen"

// shown is a call as a line of text.
func shown(c call) string {
	line := c.name
	switch c.name {
	case contract.Say, contract.Ask, contract.Announce:
		line += fmt.Sprintf(" %q", c.args.Text)
		if c.sound != nil {
			line += fmt.Sprintf(" %q", c.sound)
		}
	case contract.Mute:
		line += fmt.Sprint(" ", *c.args.Muted)
	case contract.Volume:
		line += fmt.Sprint(" ", *c.args.Percent)
	case contract.Route:
		line += " " + c.args.Policy
	case contract.DND:
		line += fmt.Sprint(" ", *c.args.On)
	case contract.WakeWord:
		line += fmt.Sprintf(" %q", c.args.Word)
	case contract.Timer:
		line += fmt.Sprintf(" %s %q %v", c.args.Action, c.args.Label, c.args.All)
		if c.args.Seconds != nil {
			line += fmt.Sprint(" ", *c.args.Seconds)
		}
	}
	if c.reply != "" || c.args.ID != "" {
		line += fmt.Sprintf(" to %q as %q", c.reply, c.args.ID)
	}
	return line
}

func TestCommandsAreUnderstood(t *testing.T) {
	for _, tt := range []struct{ name, payload, want string }{
		{"tool", `{"tool":"timer_left","arguments":{"label":"tea"}}`, "tool"},
		{"say", "dinner is ready", `say "dinner is ready"`},
		{"say", `{"text":"hello","reply":"hearth/kitchen/result/b","id":"7"}`,
			`say "hello" to "hearth/kitchen/result/b" as "7"`},
		{"say", ` {"text":"hello","new":[1]} `, `say "hello"`},
		{"say", "", `say ""`}, // the speaker refuses it
		{"announce", "dinner is ready", `announce "dinner is ready"`},
		{"announce", `{"text":"smoke","chime":false,"priority":"urgent"}`, `announce "smoke"`},
		{"ask", "what time is it", `ask "what time is it"`},
		{"ask", `["no object"]`, `ask "[\"no object\"]"`},
		{"listen", "ON", "listen"},
		{"listen", "{}", "listen"},
		{"stop", "", "stop"},
		{"stop", `{"id":"x"}`, `stop to "" as "x"`},
		{"mute", "ON", "mute true"},
		{"mute", " off\n", "mute false"},
		{"mute", "true", "mute true"},
		{"mute", `{"muted":false}`, "mute false"},
		{"repeat", "ON", "repeat"},
		{"restart", "ON", "restart"},
		{"restart", `{"id":"1"}`, `restart to "" as "1"`},
		{"announce", `{"sound":"UklGRg=="}`, `announce "" "RIFF"`},
		{"announce", `{"text":"From me.","sound":"` + strings.Repeat("AAAA", 160_000) + `"}`, `announce "From me." ` +
			strconv.Quote(strings.Repeat("\x00", 480_000))},
		{"say", `{"text":"a","sound":"UklGRg=="}`, `say "a"`},
		{"dnd", "on", "dnd true"},
		{"dnd", `{"on":false,"v":1}`, "dnd false"},
		{"route", "local", "route local"},
		{"route", `{"policy":"auto"}`, "route auto"},
		{"wake", "hey jarvis", `wake "hey jarvis"`},
		{"wake", `{"word":"all"}`, `wake "all"`},
		{"timer", "600", `timer set "" false 600`},
		{"timer", `{"seconds":600,"label":"pasta"}`, `timer set "pasta" false 600`},
		{"timer", `{"action":"cancel","all":true}`, `timer cancel "" true`},
		{"timer", `{"action":"change","seconds":60,"label":"pasta"}`, `timer change "pasta" false 60`},
		{"volume", "0", "volume 0"},
		{"volume", "100", "volume 100"},
		{"volume", `{"percent":40,"reply":"hearth/kitchen/result/me"}`,
			`volume 40 to "hearth/kitchen/result/me" as ""`},
	} {
		c, err := parseCall(kitchenAnswers, tt.name, []byte(tt.payload), false)
		if err != nil {
			t.Errorf("%s %q: %v", tt.name, tt.payload, err)
		} else if got := shown(c); got != tt.want {
			t.Errorf("%s %q is %s, want %s", tt.name, tt.payload, got, tt.want)
		}
	}
}

// What else on a broker is a command nobody can list.
func TestAnswerGoesNowhereButWhereAnswersAreRead(t *testing.T) {
	for _, topic := range []string{
		"", "hearth/kitchen/result", "hearth/kitchen/result/phone/7", "hearth/house/home/result",
		"hearth/house/home/result/phone", "hearth/bedroom/result/house", "hearth/Zimmer 3/result/house",
	} {
		if err := kitchenAnswers.check(topic); err != nil {
			t.Errorf("%q: %v", topic, err)
		}
	}
	for _, topic := range []string{
		"hearth/kitchen", "hearth/kitchen/state", "hearth/kitchen/availability", "hearth/kitchen/set/listen",
		"hearth/kitchen/results",
		"hearth/bedroom/set/say", "hearth/bedroom/set/tool", "hearth/bedroom/result", "hearth/bedroom/result/phone",
		"hearth/house/home/set/announce",
		"hearth/house/result/set/announce", "hearth/house/garden/result", "hearth/house/home/claim", "hearth/result",
		"hearth/bedroom/result/house/set/say",
		"other/kitchen/set/say", "zigbee2mqtt/lock/set", "cmnd/garage/POWER", "homeassistant/switch/x/config",
		"hearth/switch/result/config",
		"homeassistant/status", "$SYS/broker/load", "$share/a/b", "$hearth/kitchen/result", "/hearth/kitchen/result",
		"phone/answers", "/", " ",
	} {
		if err := kitchenAnswers.check(topic); err == nil ||
			err.Error() != "reply is neither hearth/kitchen/result nor below it" {
			t.Errorf("%q: %v", topic, err)
		}
	}
}

func TestBadCommandsAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name, payload string
		retained      bool
		want          string
		reply         string // where the refusal goes
	}{
		{name: "unlock", payload: "ON", want: `there is no command "unlock"`},
		{name: "", payload: "ON", want: `there is no command ""`},
		{name: "SAY", payload: "hello", want: `there is no command "SAY"`},
		{name: "unlock", payload: `{"reply":"hearth/kitchen/result/a"}`, want: `there is no command "unlock"`,
			reply: "hearth/kitchen/result/a"},
		{name: "listen", payload: "ON", retained: true,
			want: "retained commands are refused: they would be carried out again at every connection"},
		{name: "listen", payload: `{"reply":"hearth/kitchen/result/a"}`, retained: true,
			want:  "retained commands are refused: they would be carried out again at every connection",
			reply: "hearth/kitchen/result/a"},
		{name: "listen", payload: "", want: "listen wants a payload, such as ON"},
		{name: "say", payload: strings.Repeat("a", maxPayload+1), want: "payload is longer than 8192 bytes"},
		{name: "announce", payload: `{"text":"a","priority":"loud"}`, want: "priority is neither normal nor urgent"},
		{name: "announce", payload: strings.Repeat("a", maxSound+1), want: "payload is longer than 675840 bytes"},
		{name: "announce", payload: `{"sound":"a b"}`, want: "sound is not base64: illegal base64 data at input byte 1"},
		{name: "announce", payload: `{"sound":7,"reply":"hearth/kitchen/result/a"}`,
			want: "sound is of the wrong type", reply: "hearth/kitchen/result/a"},
		{name: "say", payload: "\xff\xfe", want: "payload is not valid UTF-8"},
		{name: "say", payload: `{"text":"a"`, want: "payload begins like a JSON object and is none: " +
			"unexpected end of JSON input"},
		{name: "say", payload: `{"text":"a"} {}`, want: "payload begins like a JSON object and is none: " +
			"invalid character '{' after top-level value"},
		{name: "say", payload: `{"text":7,"reply":"hearth/kitchen/result/a"}`, want: "text is of the wrong type",
			reply: "hearth/kitchen/result/a"},
		{name: "say", payload: `{"text":"a","reply":"a/#"}`, want: "reply is not a topic that can be published to"},
		{name: "say", payload: `{"text":"a","reply":"a\u0001b"}`,
			want: "reply is not a topic that can be published to"},
		{name: "say", payload: `{"text":"a","reply":"a\ud800"}`, want: "reply is not a topic that can be published to"},
		{name: "say", payload: `{"text":"a","reply":"` + strings.Repeat("a", maxReplyTopic+1) + `"}`,
			want: "reply is too long"},
		{name: "say", payload: `{"text":"a","reply":"` + strings.Repeat("/", maxReplyLevels) + `"}`,
			want: "reply is too long"},
		{name: "repeat", payload: "", want: "repeat wants a payload, such as ON"},
		{name: "restart", payload: "", want: "restart takes ON"},
		{name: "restart", payload: "yes", want: "restart takes ON"},
		{name: "dnd", payload: "maybe", want: "dnd takes ON or OFF"},
		{name: "dnd", payload: `{"muted":true}`, want: "on is missing"},
		{name: "dnd", payload: `{"on":true,"v":2,"reply":"hearth/kitchen/result/a"}`,
			want: "v is not a version of the contract that this box knows, 1 to 1", reply: "hearth/kitchen/result/a"},
		{name: "dnd", payload: `{"on":true,"v":0}`,
			want: "v is not a version of the contract that this box knows, 1 to 1"},
		{name: "route", payload: "cloud", want: "policy is neither auto nor local"},
		{name: "route", payload: "", want: "policy is neither auto nor local"},
		{name: "wake", payload: "", want: "word is missing"},
		{name: "timer", payload: "", want: "timer takes seconds, a whole number, or a JSON object"},
		{name: "timer", payload: "ten minutes", want: "timer takes seconds, a whole number, or a JSON object"},
		{name: "timer", payload: "0", want: "seconds is not within 1 to 604800"},
		{name: "timer", payload: "604801", want: "seconds is not within 1 to 604800"},
		{name: "timer", payload: "{}", want: "seconds is missing"},
		{name: "timer", payload: `{"action":"explode"}`, want: "action is none of set, cancel, change, pause, resume"},
		{name: "timer", payload: `{"seconds":9,"label":"` + strings.Repeat("a", 41) + `"}`,
			want: "label is longer than 40 bytes"},
		{name: "timer", payload: `{"action":"cancel","all":"yes"}`, want: "all is of the wrong type"},
		{name: "mute", payload: "", want: "mute takes ON or OFF"},
		{name: "mute", payload: "1", want: "mute takes ON or OFF"},
		{name: "mute", payload: "{}", want: "muted is missing"},
		{name: "mute", payload: `{"muted":"ON"}`, want: "muted is of the wrong type"},
		{name: "volume", payload: "101", want: "volume takes a whole number from 0 to 100"},
		{name: "volume", payload: "-1", want: "volume takes a whole number from 0 to 100"},
		{name: "volume", payload: "loud", want: "volume takes a whole number from 0 to 100"},
		{name: "volume", payload: "99999999999999999999", want: "volume takes a whole number from 0 to 100"},
		{name: "volume", payload: `{"percent":1000}`, want: "volume takes a whole number from 0 to 100"},
		{name: "volume", payload: `{"percent":12.5}`, want: "percent is of the wrong type"},
		{name: "volume", payload: `{}`, want: "percent is missing"},
	} {
		c, err := parseCall(kitchenAnswers, tt.name, []byte(tt.payload), tt.retained)
		if err == nil {
			t.Errorf("%s %.40q was understood as %s", tt.name, tt.payload, shown(c))
			continue
		}
		if err.Error() != tt.want {
			t.Errorf("%s %.40q: %v, want %s", tt.name, tt.payload, err, tt.want)
		}
		if c.reply != tt.reply {
			t.Errorf("%s %.40q is answered to %q, want %q", tt.name, tt.payload, c.reply, tt.reply)
		}
	}
}

func FuzzParseCall(f *testing.F) {
	for _, s := range []struct{ name, payload string }{
		{"say", "dinner is ready"}, {"ask", `{"text":"why","reply":"hearth/kitchen/result/b","id":"7"}`},
		{"listen", "ON"}, {"listen", ""},
		{"stop", "{}"}, {"mute", "ON"}, {"mute", `{"muted":true}`}, {"volume", "40"}, {"volume", `{"percent":-1}`},
		{"unlock", "{"}, {"say", `{"reply":"hearth/kitchen/set/ask"}`}, {"\xff/+", "\x00"}, {"volume", "1e2"},
		{"announce", `{"sound":"UklGRg==","text":""}`}, {"announce", `{"sound":"?"}`}, {"repeat", "ON"},
		{"restart", "ON"}, {"dnd", `{"on":true,"v":1}`}, {"wake", "all"}, {"wake", `{"word":""}`},
		{"timer", "600"}, {"timer", `{"action":"cancel","label":"pasta","all":true}`}, {"timer", `{"seconds":1e3}`},
		{"timer", `{"action":"change","seconds":-1}`},
	} {
		f.Add(s.name, []byte(s.payload), false)
		f.Add(s.name, []byte(s.payload), true)
	}
	f.Fuzz(func(t *testing.T, name string, payload []byte, retained bool) {
		c, err := parseCall(kitchenAnswers, name, payload, retained)
		if len(c.name) > maxEcho || len(c.args.ID) > maxEcho || !utf8.ValidString(c.name) {
			t.Errorf("the answer would repeat %q %q", c.name, c.args.ID)
		}
		if kitchenAnswers.check(c.reply) != nil {
			t.Errorf("the answer would go to %q", c.reply)
		}
		if err != nil {
			if m := err.Error(); m == "" || len(m) > 200 || !utf8.ValidString(m) {
				t.Errorf("refused with %q", m)
			}
			return
		}
		if retained || len(payload) > limitOf(name) || c.name != name {
			t.Errorf("%q %q (retained: %v) would be carried out as %q", name, payload, retained, c.name)
		}
		switch name {
		case contract.Say, contract.Ask, contract.Announce, contract.Stop:
		case contract.Listen, contract.Repeat, contract.Restart, contract.WakeWord:
			if len(payload) == 0 {
				t.Errorf("an empty payload would do %s", name)
			}
		case contract.Route:
			if p := c.args.Policy; p != contract.Auto && p != contract.Local {
				t.Errorf("the policy would be %q", p)
			}
		case contract.DND:
			_ = *c.args.On
		case contract.Timer:
			a := c.args
			if !slices.Contains(contract.TimerActions(), a.Action) || len(a.Label) > contract.MaxLabel ||
				a.Seconds != nil && (*a.Seconds < 1 || *a.Seconds > contract.MaxTimer) ||
				a.Seconds == nil && (a.Action == "set" || a.Action == "change") {
				t.Errorf("a timer would be told %+v", a)
			}
		case contract.Mute:
			_ = *c.args.Muted
		case contract.Volume:
			if p := *c.args.Percent; p < 0 || p > 100 {
				t.Errorf("volume would be %d", p)
			}
		default:
			t.Errorf("%q would be carried out", name)
		}
	})
}
