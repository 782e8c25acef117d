package e2e

import (
	"strings"
	"testing"
)

// A name that no sentence of hearthd knows is asked for, until the owner says that
// it lets nobody in.
func TestWayInIsAskedForUntilTheOwnerSaysThatItIsNone(t *testing.T) {
	k := newKitchen(t)
	broker := newMosquitto(t, k.dir)
	z := newZigbee(t, broker.options())
	z.publish("homeassistant/switch/0x09/switch/config", `{"name":"Haustür","unique_id":"0x09",`+
		`"command_topic":"zigbee2mqtt/relay_9/set","state_topic":"zigbee2mqtt/relay_9","value_template":"{{ value_json.state }}"}`)
	k.begin(broker.environ()...)
	k.until("the devices", func() bool {
		return k.ask("is the haustür on").Answer != "I know no devices in this house yet."
	})
	const order, question = "turn on the haustür", "Turn on the haustür?"
	asked := k.ask(order)
	if asked.Question != question || len(z.told) > 0 {
		t.Errorf("%+v, %d commands", asked, len(z.told))
	}
	if doc := k.ask("yes"); doc.Reason != "question_not_named" || len(z.told) > 0 {
		t.Errorf("a yes that names nothing: %+v, %d commands", doc, len(z.told))
	}
	status, stdout, stderr := k.ctl(t, "entrances", "list")
	if status != 0 || !strings.Contains(stdout, "Haustür") || !strings.Contains(stdout, "it is a lock") {
		t.Errorf("%d %q %q", status, stdout, stderr)
	}

	b := openBrowser(t)
	b.open(k, "house")
	b.until("the device", `document.querySelector('button[aria-label="Haustür lets nobody in"]')`)
	b.click(`button[aria-label="Haustür lets nobody in"]`)
	b.until("the mark", `document.querySelector('button[aria-label="Take the mark of Haustür back"]')`)
	if doc := k.ask(order); doc.Question != "" {
		t.Errorf("it is asked for all the same: %+v", doc)
	}
	z.gets(`zigbee2mqtt/relay_9/set ON`)

	if status, _, stderr := k.ctl(t, "entrances", "auto", "haustür"); status != 0 {
		t.Error(stderr)
	}
	if doc := k.ask(order); doc.Question != question || len(z.told) > 0 {
		t.Errorf("%+v, %d commands", doc, len(z.told))
	}
	k.agree(question)
	z.gets(`zigbee2mqtt/relay_9/set ON`)
}
