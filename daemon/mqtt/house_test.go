package mqtt

import (
	"strings"
	"testing"
	"time"

	"hearthd/daemon/mqtt/contract"
)

func TestHouseIsToldOnceAndEveryBoxThatIsMeantAnswers(t *testing.T) {
	m := newMosquitto(t, "allow_anonymous true")
	const topic = "hearth/house/home/set/"
	answers := listen(t, "127.0.0.1:"+m.port, "hearth/house/home/result/phone")
	m.pub(t, topic+"announce", "-r", "-m", `{"text":"stale","reply":"hearth/house/home/result/phone"}`)
	x := newBox(t, Options{Broker: m.url()}).run(t)
	m.shows(t, "hearth/kitchen/availability", contract.Online)
	m.shows(t, "hearth/house/home/box/kitchen", "1")
	eventually(t, "a refusal", func() bool { return answers.count("") == 1 })
	if first := answers.all()[0]; !strings.Contains(first, "retained commands are refused") ||
		len(x.speaker.list()) > 0 {
		t.Errorf("a retained announcement: %s", first)
	}
	for _, c := range []struct{ topic, payload, want string }{
		{"announce", `"to":["bedroom"]`, ""}, // nobody is meant here
		{"announce", `"to":["Kitchen"]`, `"ok":true`},
		{"announce", `"to":["bedroom","down-stairs"],"lead_ms":100`, `"ok":true`},
		{"announce", `"lead_ms":10001`, `lead_ms is not within 0 to 10000`},
		{"announce", `"to":"kitchen"`, `to is of the wrong type`},
		{"restart", `"to":[]`, `the house takes no command but announce`},
		{"announce", `"chime":false`, `"ok":true`},
	} {
		begun := time.Now()
		before := len(answers.all())
		m.pub(t, topic+c.topic, "-m",
			`{"text":"dinner is ready","reply":"hearth/house/home/result/phone",`+c.payload+`}`)
		if c.want == "" {
			continue
		}
		eventually(t, c.payload, func() bool { return len(answers.all()) > before })
		last := answers.all()[before]
		if !strings.Contains(last, c.want) || !strings.Contains(last, `"box":"kitchen"`) {
			t.Errorf("%s: %s", c.payload, last)
		}
		if strings.Contains(c.want, "true") {
			x.speaker.mu.Lock()
			at := x.speaker.at
			x.speaker.mu.Unlock()
			lead := contract.HouseLead * time.Millisecond
			if strings.Contains(c.payload, "lead") {
				lead = 100 * time.Millisecond
			}
			if from := begun.Add(lead - time.Second); at.Before(from) || at.After(time.Now().Add(lead)) {
				t.Errorf("%s: begins %v after it was sent", c.payload, at.Sub(begun))
			}
		}
	}
}

// What this box has the house say names the boxes that are meant: that another one is called as the room of this one is
// does not mean this one. A message to the others would else be played where it was spoken.
func TestABoxDoesNotHearItselfInAnotherOfItsRoom(t *testing.T) {
	d := kitchen()
	d.Node = "kitchen-2"
	x := newBoxOf(t, d, Options{Broker: contract.Embedded, Listen: "127.0.0.1:1883"})
	for to, meant := range map[string]int{"kitchen": 0, "kitchen-2": 1} {
		x.received(nil, &sent{contract.HouseTopic("hearth", "home", contract.Set) + "/announce",
			[]byte(`{"text":"dinner","to":["` + to + `"],"reply":"hearth/kitchen-2/result/house"}`), false})
		if len(x.quick) != meant {
			t.Errorf("to %s: %d announcements", to, len(x.quick))
		}
		for len(x.quick) > 0 {
			<-x.quick
		}
	}
}

func TestOtherBoxesAskOnlyForWhatIsShared(t *testing.T) {
	m := newMosquitto(t, "allow_anonymous true")
	x := newBox(t, Options{Broker: m.url()}).run(t)
	m.shows(t, "hearth/kitchen/availability", contract.Online)
	answers := listen(t, "127.0.0.1:"+m.port, "hearth/bedroom/result/house")
	for payload, want := range map[string]string{
		`"tool":"timer_cancel","arguments":{"label":"tea"}`: `"text":"Done."`,
		`"tool":"unlock"`:                      `unlock is not shared`,
		`"arguments":{}`:                       `tool is missing`,
		`"tool":"timer_cancel","arguments":[}`: `payload begins like a JSON object and is none`,
	} {
		before := len(answers.all())
		m.pub(t, "hearth/kitchen/set/tool", "-m", `{"reply":"hearth/bedroom/result/house",`+payload+`}`)
		if strings.Contains(want, "is none") {
			continue // it names no reply that can be read
		}
		eventually(t, payload, func() bool { return len(answers.all()) > before })
		if last := answers.all()[before]; !strings.Contains(last, want) {
			t.Errorf("%s: %s", payload, last)
		}
	}
	if told := strings.Join(x.speaker.list(), "\n"); told != `tool timer_cancel {"label":"tea"}` {
		t.Errorf("told %q", told)
	}
}
