package mqtt

import (
	"fmt"
	"testing"

	"hearthd/daemon/api"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/mqtt/contract"
)

func TestFleetShowsEveryBoxOnTheBroker(t *testing.T) {
	m := newMosquitto(t, anonymous)
	x := newBox(t, Options{Broker: m.url()}).run(t)
	m.shows(t, "hearth/kitchen/availability", contract.Online)
	x.bus.Publish(dinner())
	x.conditions.Set("speaker", health.Error, "It is gone.")
	m.shows(t, "hearth/kitchen/state", "starting")
	const boxes = 1500 // more than a broker queues for one that is slow
	for i := range boxes {
		x.out.put(message{topic: fmt.Sprintf("hearth/box%d/availability", i), payload: []byte(contract.Offline),
			retained: true})
	}
	x.out.put(message{topic: "hearth/box7/health", payload: []byte("{"), retained: true})
	x.out.put(message{topic: "hearth/box7/about", payload: []byte(`{"version":"0.0.9","house":"attic"}`),
		retained: true})
	x.state(event.Idle)
	m.shows(t, "hearth/kitchen/state", "idle")
	m.shows(t, "hearth/box7/about", `{"version":"0.0.9","house":"attic"}`)
	var list []api.Box
	eventually(t, "all boxes", func() bool {
		var err error
		if list, err = x.Fleet(t.Context()); err != nil {
			t.Fatal(err)
		}
		return len(list) == boxes+1
	})
	for _, a := range list {
		switch a.Node {
		case "kitchen":
			if !a.Online || a.State != "idle" || a.Version != "0.1.0" || a.House != "home" ||
				len(a.Conditions) != 1 || a.LastTurn == nil {
				t.Errorf("%+v", a)
			}
		case "box7":
			if a.Online || a.Version != "0.0.9" || a.House != "attic" || len(a.Conditions) != 0 {
				t.Errorf("%+v", a)
			}
		}
	}
	if s := x.State(); s != "connected" {
		t.Errorf("the box is %s afterwards", s)
	}
	if _, err := newBox(t, Options{Broker: contract.NoBroker}).Fleet(t.Context()); err == nil {
		t.Error("a fleet without a broker")
	}
}

func FuzzFleet(f *testing.F) {
	for _, level := range []string{contract.About, contract.Availability, contract.State, contract.Health,
		contract.Route} {
		f.Add(level, []byte(`{"version":"1","conditions":[{"code":"x"}]}`))
	}
	f.Fuzz(func(t *testing.T, level string, payload []byte) {
		var a api.Box
		learn(&a, level, payload)
		if contract.Node(a.State) != a.State && a.State != "" {
			t.Errorf("%+v", a)
		}
	})
}
