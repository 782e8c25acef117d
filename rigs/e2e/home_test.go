package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
)

// zigbee is a house with Zigbee2MQTT: a light, a lock, a plug and a sensor, which
// do what they are told and say so.
type zigbee struct {
	t      testing.TB
	client paho.Client
	told   chan string
	deaf   atomic.Bool // it does nothing of what it is told
}

// guest is a client of the daemon's own broker.
func (k *kitchen) guest() *paho.ClientOptions {
	k.t.Helper()
	b, err := k.Broker(k.t.Context())
	check(k.t, err)
	return paho.NewClientOptions().AddBroker("tcp://" + net.JoinHostPort(b.Host, b.Port)).SetUsername(b.User).SetPassword(b.Password)
}

func newZigbee(t testing.TB, o *paho.ClientOptions) *zigbee {
	t.Helper()
	z := &zigbee{t: t, told: make(chan string, 100)}
	z.client = paho.NewClient(o.SetClientID("zigbee2mqtt").SetAutoReconnect(false))
	for end := time.Now().Add(patience); ; <-time.After(20 * time.Millisecond) {
		if k := z.client.Connect(); k.WaitTimeout(patience) && k.Error() == nil {
			break
		} else if time.Now().After(end) {
			t.Fatal(k.Error())
		}
	}
	t.Cleanup(func() { z.client.Disconnect(100) })
	z.wait(z.client.Subscribe("zigbee2mqtt/+/set", 1, z.obey))
	device := func(name string) string {
		return fmt.Sprintf(`"device":{"identifiers":["zigbee2mqtt_%s"],"name":"%s","manufacturer":"IKEA"},"origin":{"name":"Zigbee2MQTT"},"availability":[{"topic":"zigbee2mqtt/bridge/state","value_template":"{{ value_json.state }}"}],"availability_mode":"all"`, name, name)
	}
	z.publish("homeassistant/light/0x01/light/config", `{"name":null,"schema":"json","brightness":true,"brightness_scale":254,"supported_color_modes":["color_temp"],"command_topic":"zigbee2mqtt/kitchen_light/set","state_topic":"zigbee2mqtt/kitchen_light","unique_id":"0x01_light",`+device("kitchen_light")+`}`)
	z.publish("homeassistant/lock/0x02/lock/config", `{"name":null,"command_topic":"zigbee2mqtt/front_door/set","state_topic":"zigbee2mqtt/front_door","state_locked":"LOCK","state_unlocked":"UNLOCK","value_template":"{{ value_json.state }}","unique_id":"0x02_lock",`+device("front_door")+`}`)
	z.publish("homeassistant/sensor/0x03/temperature/config", `{"device_class":"temperature","unit_of_measurement":"°C","state_topic":"zigbee2mqtt/freezer","value_template":"{{ value_json.temperature }}","unique_id":"0x03_t",`+device("freezer")+`}`)
	z.publish("homeassistant/switch/0x04/bad/config", `{"name":"Broken","command_topic":"x","command_template":"{{ value | mystery }}"}`)
	z.publish("zigbee2mqtt/bridge/state", `{"state":"online"}`)
	z.publish("zigbee2mqtt/freezer", `{"temperature":-18.5}`)
	return z
}

// options let a client of the house in.
func (b *mosquitto) options() *paho.ClientOptions {
	b.t.Helper()
	ca, err := os.ReadFile(b.path("ca.pem"))
	check(b.t, err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	return paho.NewClientOptions().AddBroker("tls://localhost:" + b.port).SetUsername(brokerUser).SetPassword(brokerPassword).SetTLSConfig(&tls.Config{RootCAs: roots})
}

// until asks again and again until it is so.
func (k *kitchen) until(what string, ok func() bool) {
	k.t.Helper()
	for end := time.Now().Add(patience); !ok(); <-time.After(200 * time.Millisecond) {
		if time.Now().After(end) {
			k.t.Fatalf("waited in vain for %s", what)
		}
	}
}

func (z *zigbee) wait(k paho.Token) {
	z.t.Helper()
	if !k.WaitTimeout(patience) || k.Error() != nil {
		z.t.Fatal(k.Error())
	}
}

func (z *zigbee) publish(topic, payload string) {
	z.t.Helper()
	z.wait(z.client.Publish(topic, 1, true, payload))
}

// obey does what a message asks.
func (z *zigbee) obey(c paho.Client, m paho.Message) {
	payload := string(m.Payload())
	z.told <- m.Topic() + " " + payload
	if z.deaf.Load() {
		return
	}
	topic := strings.TrimSuffix(m.Topic(), "/set")
	switch {
	case strings.HasPrefix(payload, "{"):
		c.Publish(topic, 0, false, payload)
	default:
		c.Publish(topic, 0, false, fmt.Sprintf(`{"state":%q}`, payload))
	}
}

func (z *zigbee) gets(want string) {
	z.t.Helper()
	select {
	case got := <-z.told:
		if got != want {
			z.t.Errorf("the device was told %s, want %s", got, want)
		}
	case <-time.After(patience):
		z.t.Errorf("the device was not told %s", want)
	}
}

// controls has the house of a broker do what people ask.
func controls(t *testing.T, k *kitchen, z *zigbee) {
	t.Helper()
	k.until("the devices", func() bool {
		return k.ask("what is the freezer temperature").Answer == "The freezer temperature is -18.5 degrees."
	})
	if s := k.status(); !s.Has("devices") {
		t.Errorf("no condition tells of the document that is not understood: %+v", s.Conditions)
	}
	for _, tt := range []struct{ say, told, answer string }{
		{"turn on the kitchen light", `zigbee2mqtt/kitchen_light/set {"state":"ON"}`, "The kitchen light is on."},
		{"please dim the kitchen lite to 40 percent", `zigbee2mqtt/kitchen_light/set {"brightness":102,"state":"ON"}`, "The kitchen light is at 40 percent."},
		{"lock the front door", "zigbee2mqtt/front_door/set LOCK", "The front door is locked."},
	} {
		doc := k.ask(tt.say)
		z.gets(tt.told)
		if doc.Route != "intent" || doc.Answer != tt.answer {
			t.Errorf("%s: %+v", tt.say, doc)
		}
	}
	if doc := k.ask("unlock the front door"); doc.Answer != "Unlock the front door?" || len(z.told) > 0 {
		t.Errorf("%+v, %d commands", doc, len(z.told))
	}
	if doc := k.agree("Unlock the front door?"); doc.Answer != "The front door is unlocked." {
		t.Errorf("%+v", doc)
	}
	z.gets("zigbee2mqtt/front_door/set UNLOCK")
	if doc := k.ask("turn the kitchen light off in one second"); doc.Answer != "I'll turn off the kitchen light in one second." {
		t.Errorf("%+v", doc)
	}
	z.gets(`zigbee2mqtt/kitchen_light/set {"state":"OFF"}`)
	k.until("the light", func() bool { return strings.Contains(k.ask("is the kitchen light on").Answer, "off") })
	if doc := k.ask("turn on the kitchen light at midnight"); !strings.HasPrefix(doc.Answer, "I'll turn on the kitchen light at 12 AM") && !strings.HasPrefix(doc.Answer, "I'll turn on the kitchen light at midnight") {
		t.Errorf("%+v", doc)
	}
	if doc := k.ask("don't turn the kitchen light on after all"); doc.Answer != "The order to turn on the kitchen light is cancelled." {
		t.Errorf("%+v", doc)
	}
	z.deaf.Store(true)
	if doc := k.ask("turn on the kitchen light"); doc.Answer != "I sent that to the kitchen light, but got no answer." {
		t.Errorf("%+v", doc)
	}
	z.gets(`zigbee2mqtt/kitchen_light/set {"state":"ON"}`)
}

// takesBack has orders to the house of a broker taken back, and one that opens the door only after a yes.
func takesBack(t *testing.T, k *kitchen, z *zigbee) {
	t.Helper()
	z.deaf.Store(false)
	z.publish("zigbee2mqtt/kitchen_light", `{"state":"ON","brightness":203}`)
	z.publish("zigbee2mqtt/front_door", `{"state":"UNLOCK"}`)
	k.until("the light", func() bool { return k.ask("is the kitchen light on").Answer == "Yes, the kitchen light is on." })
	for _, tt := range []struct{ say, told, answer string }{
		{"set the kitchen light to 40 percent", `zigbee2mqtt/kitchen_light/set {"brightness":102,"state":"ON"}`, "The kitchen light is at 40 percent."},
		{"undo that", `zigbee2mqtt/kitchen_light/set {"brightness":203,"state":"ON"}`, "The kitchen light is at 80 percent."},
		{"undo that", `zigbee2mqtt/kitchen_light/set {"brightness":102,"state":"ON"}`, "The kitchen light is at 40 percent."},
		{"lock the front door", "zigbee2mqtt/front_door/set LOCK", "The front door is locked."},
		{"no, not that one", "", "Unlock the front door?"},
	} {
		doc := k.ask(tt.say)
		if doc.Answer != tt.answer {
			t.Errorf("%s: %+v", tt.say, doc)
		}
		if tt.told != "" {
			z.gets(tt.told)
		}
	}
	if len(z.told) > 0 {
		t.Errorf("the door was told %s before a yes", <-z.told)
	}
	if doc := k.agree("Unlock the front door?"); doc.Answer != "The front door is unlocked." {
		t.Errorf("%+v", doc)
	}
	z.gets("zigbee2mqtt/front_door/set UNLOCK")
	for _, tt := range [][2]string{
		{"add milk to the shopping list", "Added milk to the shopping list."}, {"undo that", "Removed milk from the shopping list."},
		{"set a timer for ten minutes", "Timer set for ten minutes."}, {"undo that", "The timer is cancelled."},
	} {
		if doc := k.ask(tt[0]); doc.Answer != tt[1] {
			t.Errorf("%s: %+v", tt[0], doc)
		}
	}
}

// controlsItsRoom has a box in the kitchen switch the lights of the kitchen only.
func controlsItsRoom(t *testing.T, k *kitchen, z *zigbee) {
	t.Helper()
	z.deaf.Store(false)
	z.publish("homeassistant/light/0x05/light/config", `{"name":"Hall lamp","command_topic":"zigbee2mqtt/hall/set","state_topic":"zigbee2mqtt/hall","unique_id":"0x05_light"}`)
	k.until("the lamp", func() bool { return !strings.Contains(k.ask("is the hall lamp on").Answer, "know a device") })
	for _, say := range []string{"lights off", "turn off the lights in here"} {
		doc := k.ask(say)
		z.gets(`zigbee2mqtt/kitchen_light/set {"state":"OFF"}`)
		if len(z.told) > 0 {
			t.Errorf("%s: another room was switched too: %+v", say, doc)
		}
	}
	z.publish("homeassistant/light/0x05/light/config", "")
}

func TestHouseholdBrokerHasDevicesThatAreControlled(t *testing.T) {
	k := newKitchen(t)
	b := newMosquitto(t, k.dir)
	z := newZigbee(t, b.options())
	k.begin(b.environ()...)
	controls(t, k, z)
}

func TestEmbeddedBrokerHasDevicesThatAreControlled(t *testing.T) {
	k := newKitchen(t)
	k.begin("HEARTHD_MQTT_AREA=Kitchen")
	z := newZigbee(t, k.guest())
	controls(t, k, z)
	controlsItsRoom(t, k, z)
	takesBack(t, k, z)
	for _, topic := range []string{"homeassistant/light/0x01/light/config", "homeassistant/lock/0x02/lock/config", "homeassistant/sensor/0x03/temperature/config"} {
		z.publish(topic, "")
	}
	k.until("no devices", func() bool {
		return k.ask("turn on the kitchen light").Answer == "I know no devices in this house yet."
	})
}
