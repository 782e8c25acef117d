package hass

import (
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"hearthd/tools/home"
)

func TestDevicesAreLearnt(t *testing.T) {
	c, _, told := run(t, token)
	if err := await(t, told); err != nil {
		t.Fatal(err)
	}
	if n := len(c.Entities()); n != 7 {
		t.Errorf("%d devices", n)
	}
	l, _ := c.Entity("light.kitchen")
	if l.Name != "Kitchen light" || l.Area != "Kitchen" || !l.Can[home.Kelvin] || !l.Can[home.Colour] ||
		l.State[home.Main] != "off" {
		t.Errorf("%+v", l)
	}
	if diff := cmp.Diff([]string{"Ground floor", "basement level", "downstairs"}, l.Floors); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Christmas tree"}, l.Labels); diff != "" {
		t.Error(diff)
	}
	b, _ := c.Entity("climate.bath")
	if diff := cmp.Diff([]string{"First floor", "upstairs"}, b.Floors); diff != "" {
		t.Error(diff)
	}
	if b.Area != "Bathroom" || b.State[home.Target] != 21.5 || b.State[home.Mode] != "heat" || b.Max != 35 {
		t.Errorf("%+v", b)
	}
	if f, _ := c.Entity("sensor.freezer"); f.State[home.Main] != -18.4 {
		t.Errorf("%+v", f)
	}
	if f, _ := c.Entity("lock.front"); !f.Offline {
		t.Errorf("%+v", f)
	}
	if f, _ := c.Entity("input_boolean.guest"); f.Kind != home.Switch {
		t.Errorf("%+v", f)
	}
}

func TestHomeAssistantWithoutFloorsIsLearnt(t *testing.T) {
	c, told := runWith(t, &assistant{t: t, old: true}, token)
	if err := await(t, told); err != nil {
		t.Fatal(err)
	}
	if l, _ := c.Entity("light.kitchen"); l.Area != "Kitchen" || l.Floors != nil {
		t.Errorf("%+v", l)
	}
}

func TestRenamedAreaIsLearnt(t *testing.T) {
	c, a, told := run(t, token)
	if err := await(t, told); err != nil {
		t.Fatal(err)
	}
	a.mu.Lock()
	a.areas = `[{"area_id":"kitchen","name":"Scullery"},{"area_id":"bath","name":"Bathroom"}]`
	err := a.conn.Write(t.Context(), websocket.MessageText,
		[]byte(`{"id":3,"type":"event","event":{"event_type":"area_registry_updated","data":{"action":"update",`+
			`"area_id":"kitchen"}}}`))
	a.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	late := time.After(time.Minute)
	for {
		changed := c.Changed()
		if l, _ := c.Entity("light.kitchen"); l.Area == "Scullery" {
			return
		}
		select {
		case <-changed:
		case <-late:
			t.Fatal("the new name is not learnt")
		}
	}
}

// A large house takes a while to be read, and goes on meanwhile.
func TestWhatChangesBehindTheStatesIsNotLost(t *testing.T) {
	var many strings.Builder
	for i := range 3000 {
		many.WriteString(`{"entity_id":"sensor.s` + itoa(i) + `","state":"1","attributes":{}},`)
	}
	a := &assistant{
		t: t, many: many.String(),
		then: `{"id":1,"type":"event","event":{"event_type":"state_changed","data":{"entity_id":"light.kitchen",` +
			`"new_state":{"entity_id":"light.kitchen","state":"on","attributes":{}}}}}`,
	}
	c, told := runWith(t, a, token)
	if err := await(t, told); err != nil {
		t.Fatal(err)
	}
	late := time.After(time.Minute)
	for on := false; !on; {
		changed := c.Changed()
		e, _ := c.Entity("light.kitchen")
		if on = e.State[home.Main] == "on"; on {
			break
		}
		select {
		case <-changed:
		case <-late:
			t.Fatal("the light is said to be off")
		}
	}
}

// JSON, in which devices are shown, has no word for what is no number.
func TestSensorThatTellsNoNumberIsToldAsText(t *testing.T) {
	c, _, told := run(t, token)
	if err := await(t, told); err != nil {
		t.Fatal(err)
	}
	for _, now := range []string{"nan", "-Infinity"} {
		c.mu.Lock()
		c.take(state{ID: "sensor.freezer", State: now})
		c.mu.Unlock()
		if f, _ := c.Entity("sensor.freezer"); f.State[home.Main] != now {
			t.Errorf("%q is %v", now, f.State[home.Main])
		}
	}
}

func TestPersonIsAtHomeOrAway(t *testing.T) {
	c, _, told := run(t, token)
	if err := await(t, told); err != nil {
		t.Fatal(err)
	}
	for now, want := range map[string]any{"home": "on", "not_home": "off", "Work": "off", "unknown": nil} {
		c.mu.Lock()
		delete(c.entities, "person.ada")
		c.take(state{ID: "person.ada", State: now, Attributes: map[string]any{"friendly_name": "Ada"}})
		c.mu.Unlock()
		if e, ok := c.Entity("person.ada"); !ok || e.Kind != home.BinarySensor || e.Class != "presence" || e.State[home.Main] != want {
			t.Errorf("%q is %+v", now, e)
		}
	}
}
