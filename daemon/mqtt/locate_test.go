package mqtt

import (
	"context"
	"errors"
	"net"
	"strconv"
	"testing"

	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/mqtt/find"

	"github.com/hashicorp/mdns"
)

func TestTheFirstBrokerByNameIsTaken(t *testing.T) {
	some := func(list ...find.Broker) func(context.Context, string) ([]find.Broker, error) {
		return func(context.Context, string) ([]find.Broker, error) { return list, nil }
	}
	ip := net.IPv4(192, 168, 1, 20)
	p := endpoint{service: find.TLS, tls: true}
	got, err := p.find(t.Context(), some(
		find.Broker{Name: "z", Host: "z.local.", IP: ip, Port: 1}, find.Broker{Name: "broken", IP: ip},
		find.Broker{Name: "absent", Port: 1883},
		find.Broker{Name: "home", Host: "broker.local.", IP: ip, Port: 8883},
	))
	want := endpoint{service: find.TLS, tls: true, host: "broker.local", address: "192.168.1.20:8883"}
	if err != nil || got != want {
		t.Errorf("%+v %v, want %+v", got, err, want)
	}
	if _, err := p.find(t.Context(), some()); !errors.Is(err, errNotFound) {
		t.Errorf("nobody answers: %v", err)
	}
	if f := explain(p, errNotFound); f.text != "No MQTT broker answers for _secure-mqtt._tcp in the local network." {
		t.Error(f.text)
	}
	known := endpoint{address: "127.0.0.1:1883"}
	if got, err := known.find(t.Context(), nil); got != known || err != nil {
		t.Errorf("%+v %v", got, err)
	}
}

// The network of this machine, with a responder of the same library, and a real
// broker.
func TestMosquittoIsFoundByMulticastDNS(t *testing.T) {
	m := newMosquitto(t, anonymous)
	port, err := strconv.Atoi(m.port)
	if err != nil {
		t.Fatal(err)
	}
	service, err := mdns.NewMDNSService("a hearthd test", find.Plain, "", "test.local.", port,
		[]net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	server, err := mdns.NewServer(&mdns.Config{Zone: service})
	if err != nil {
		t.Skipf("no multicast here: %v", err)
	}
	defer server.Shutdown()
	list, err := find.Brokers(t.Context(), find.Plain)
	if err != nil || len(list) == 0 {
		t.Skipf("no multicast here: %v", err)
	}
	x := newBox(t, Options{Broker: contract.MDNS}).run(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	if err := x.stop(); err != nil {
		t.Error(err)
	}
	m.shows(t, "hearth/kitchen/availability", "offline")
}
