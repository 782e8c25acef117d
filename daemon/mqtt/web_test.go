package mqtt

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hearthd/daemon/event"
)

// webbed starts a Mosquitto with a listener for WebSocket too, and gives its port.
func webbed(t *testing.T, lines ...string) (*mosquitto, string) {
	t.Helper()
	port := freePort(t)
	m := newMosquitto(t, append([]string{"listener " + port + " 127.0.0.1", "protocol websockets", anonymous},
		lines...)...)
	return m, port
}

func TestMosquittoIsReachedOverWebSocket(t *testing.T) {
	m, port := webbed(t)
	x := newBox(t, Options{Broker: "ws://127.0.0.1:" + port + "/mqtt"}).run(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	m.pub(t, "hearth/kitchen/set/volume", "-m", "40")
	eventually(t, "the command", func() bool { return len(x.speaker.list()) == 1 })
	e := listen(t, "127.0.0.1:"+m.port, "hearth/kitchen/result")
	m.pub(t, "hearth/kitchen/set/say", "-m", strings.Repeat("a", 100_000)) // many frames
	eventually(t, "the refusal",
		func() bool { return e.count(`hearth/kitchen/result {"command":"say","ok":false`) == 1 })
	m.kill(t)
	eventually(t, "the bridge to notice", func() bool { return x.State() == "connecting" })
	x.state(event.Muted)
	m.start(t)
	m.shows(t, "hearth/kitchen/state", "muted")
	if err := x.stop(); err != nil {
		t.Error(err)
	}
	m.shows(t, "hearth/kitchen/availability", "offline")
}

func TestMosquittoIsReachedOverEncryptedWebSocket(t *testing.T) {
	a, other := newAuthority(t), newAuthority(t)
	a.issue(t, "broker", ofHost())
	m, port := webbed(t, "certfile "+a.file("broker.pem"), "keyfile "+a.file("broker.key"), "cafile "+a.file("ca.pem"))
	x := newBox(t, Options{Broker: "wss://127.0.0.1:" + port, CAFile: a.file("ca.pem")}).run(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	if err := x.stop(); err != nil {
		t.Error(err)
	}
	m.shows(t, "hearth/kitchen/availability", "offline")

	x = newBox(t, Options{Broker: "wss://127.0.0.1:" + port, CAFile: other.file("ca.pem")}).run(t)
	want := "The MQTT broker at 127.0.0.1:" + port +
		" shows a certificate of an authority that is not trusted; see mqtt.ca_file."
	eventually(t, want, func() bool { return x.condition() == want })
}

func TestAWebServerIsNoBroker(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	x := newBox(t, Options{Broker: "ws" + strings.TrimPrefix(s.URL, "http")}).run(t)
	address := strings.TrimPrefix(s.URL, "http://")
	want := "The MQTT broker at " + address +
		" is a web server that does not speak MQTT there; see the path of mqtt.broker, and whether it wants wss."
	eventually(t, want, func() bool { return x.condition() == want })
}

func TestBridgeEndsThoughTheWebServerSaysNothing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, scheme := range []string{"ws://", "wss://"} {
		x := newBox(t, Options{Broker: scheme + l.Addr().String()}).run(t)
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if err := x.stop(); err != nil {
			t.Error(err)
		}
		c.Close()
	}
}
