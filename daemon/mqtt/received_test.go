package mqtt

import (
	"encoding/json"
	"testing"

	"hearthd/daemon/mqtt/contract"
)

// sent is a message as the client hands it on.
type sent struct {
	topic    string
	payload  []byte
	retained bool
}

func (m *sent) Duplicate() bool   { return false }
func (m *sent) Qos() byte         { return 1 }
func (m *sent) Retained() bool    { return m.retained }
func (m *sent) Topic() string     { return m.topic }
func (m *sent) MessageID() uint16 { return 7 }
func (m *sent) Payload() []byte   { return m.payload }
func (m *sent) Ack()              {}

// FuzzReceived sends anything to a command topic: it gets one answer, and what is
// refused does nothing.
func FuzzReceived(f *testing.F) {
	for _, c := range contract.Commands() {
		for _, payload := range []string{"", "ON", "40", "all", "local", "600",
			`{"text":"a","id":"7","reply":"hearth/kitchen/result/b"}`, `{"tool":"unlock"}`,
			`{"sound":"UklGRg==","v":1}`, `{"percent":101}`, "{", "\xff"} {
			f.Add(c.Name, []byte(payload), false, false)
		}
		f.Add(c.Name, []byte(contract.On), true, false)
		f.Add(c.Name, []byte(`{"text":"a","to":["kitchen"]}`), false, true)
	}
	f.Fuzz(func(t *testing.T, name string, payload []byte, retained, house bool) {
		x := newBox(t, Options{Broker: contract.Embedded, Listen: "127.0.0.1:1883"})
		drain(x.out)
		topic := own + "/" + contract.Set
		if house {
			topic = contract.HouseTopic("hearth", "home", contract.Set)
		}
		x.received(nil, &sent{topic + "/" + name, payload, retained})
		for _, queue := range []chan call{x.quick, x.asks} {
			if len(queue) > 0 {
				c := <-queue
				r, err := x.do(t.Context(), c)
				x.answer(c, x.outcome(c, r, err))
			}
		}
		var answers []string
		for m, ok := x.out.next(); ok; m, ok = x.out.next() {
			answers = append(answers, string(m.payload))
			x.out.sent(m)
		}
		told := x.speaker.list()
		if house && len(answers) == 0 && len(told) == 0 {
			return // another box is meant
		}
		if len(answers) != 1 || len(told) > 1 {
			t.Fatalf("%s %q: answered %q, carried out %q", name, payload, answers, told)
		}
		var r result
		if err := json.Unmarshal([]byte(answers[0]), &r); err != nil || r.OK == (r.Error != "") {
			t.Fatalf("answered %s: %v", answers[0], err)
		}
		if _, known := contract.Find(name); r.OK != (len(told) == 1) || r.OK &&
			(!known || retained || house && name != contract.Announce) {
			t.Errorf("%s %q (retained: %v) answered %s, carried out %q", name, payload, retained, answers[0], told)
		}
	})
}
