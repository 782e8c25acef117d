package mqtt

import (
	"context"
	"slices"
	"testing"

	"hearthd/daemon/mqtt/contract"
)

// A real Home Assistant keeps what a renamed box has published before, until that is taken back.
func TestMosquittoForgetsTheBoxByItsFormerName(t *testing.T) {
	m := newMosquitto(t, anonymous)
	first := newBox(t, Options{Broker: m.url(), Discovery: true}).run(t)
	doc, err := first.device.Document()
	if err != nil {
		t.Fatal(err)
	}
	m.shows(t, first.device.Topic(), string(doc))
	retired := make(chan string, 2)
	another := Options{Broker: m.url(), Discovery: true, Former: []contract.Device{kitchen()},
		Retired: func(_ context.Context, d contract.Device) { retired <- d.Node }}
	pantry := kitchen()
	pantry.Node = "pantry"

	// A box from the backup of one that goes on.
	copied := newBoxOf(t, pantry, another).run(t)
	m.shows(t, "hearth/pantry/availability", "online")
	if err := copied.stop(); err != nil {
		t.Fatal(err)
	}
	m.shows(t, first.device.Topic(), string(doc))

	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	m.shows(t, "hearth/kitchen/availability", "offline")
	newBoxOf(t, pantry, another).run(t)
	if got := <-retired; got != "kitchen" {
		t.Errorf("retired %s", got)
	}
	m.shows(t, "hearth/pantry/availability", "online")
	late := listen(t, "127.0.0.1:"+m.port, "#")
	eventually(t, "what is retained", func() bool { return slices.Contains(late.all(), "hearth/pantry/availability online") })
	for _, topic := range first.opt.Device.Retained(&pantry) {
		if late.count(topic+" ") != 0 {
			t.Errorf("the broker still has %s", topic)
		}
	}
}
