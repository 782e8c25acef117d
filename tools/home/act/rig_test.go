package act

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/home"
)

// fakeHouse is a house whose devices do what they are told, after a while.
type fakeHouse struct {
	mu      sync.Mutex
	devices map[string]home.Entity
	changed chan struct{}
	sent    []string
	after   time.Duration
	deaf    map[string]bool // by ID; these never answer
	err     error
	lost    error
	cut     bool // it is lost with the first command
}

func can(keys ...home.Key) map[home.Key]bool {
	m := map[home.Key]bool{}
	for _, k := range keys {
		m[k] = true
	}
	return m
}

func newHouse(list ...home.Entity) *fakeHouse {
	h := &fakeHouse{devices: map[string]home.Entity{}, changed: make(chan struct{}), after: 200 * time.Millisecond, deaf: map[string]bool{}}
	for _, e := range list {
		if e.Reports == nil {
			e.Reports = maps.Clone(e.Can)
		}
		if e.State == nil {
			e.State = home.State{}
		}
		h.devices[e.ID] = e
	}
	return h
}

func (h *fakeHouse) Entities() []home.Entity {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.devices))
}

func (h *fakeHouse) Entity(id string) (home.Entity, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e, ok := h.devices[id]
	return e, ok
}

func (h *fakeHouse) Changed() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed
}

func (h *fakeHouse) Lost() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lost
}

func (h *fakeHouse) set(id string, want home.State) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.devices[id]
	e.State = maps.Clone(e.State)
	maps.Copy(e.State, want)
	h.devices[id] = e
	close(h.changed)
	h.changed = make(chan struct{})
}

func (h *fakeHouse) Send(_ context.Context, id string, want home.State) error {
	data, _ := json.Marshal(want)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cut {
		h.sent, h.lost = append(h.sent, id+" "+string(data)), home.ErrAway
	}
	if h.err != nil {
		return h.err
	}
	h.sent = append(h.sent, id+" "+string(data))
	if !h.deaf[id] && len(h.devices[id].Reports) > 0 {
		time.AfterFunc(h.after, func() { h.set(id, want) })
	}
	return nil
}

func light(id, name, area string, keys ...home.Key) home.Entity {
	return home.Entity{ID: id, Kind: home.Light, Name: name, Area: area, Can: can(append(keys, home.Main)...)}
}

// kitchen is the house of the tests.
func kitchen() *fakeHouse {
	return newHouse(
		light("l1", "Ceiling light", "Kitchen", home.Brightness, home.Kelvin), light("l2", "Counter", "Kitchen", home.Brightness), light("l3", "Sofa lamp", "Living Room", home.Brightness, home.Colour, home.Effect),
		light("l4", "", "", home.Brightness), light("l5", "Bedside", "Bedroom"),
		home.Entity{ID: "s1", Kind: home.Switch, Device: "coffee machine", Can: can(home.Main)}, home.Entity{ID: "s2", Kind: home.Switch, Name: "Child lock", Device: "coffee machine", Category: "config", Can: can(home.Main)},
		home.Entity{ID: "s3", Kind: home.Switch, Name: "Hallway lamp", Can: can(home.Main)},
		home.Entity{ID: "c1", Kind: home.Cover, Class: "garage", Name: "Garage door", Can: can(home.Main), State: home.State{home.Main: "closed"}},
		home.Entity{ID: "c2", Kind: home.Cover, Class: "blind", Name: "Blinds", Area: "Living Room", Can: can(home.Main, home.Position), State: home.State{home.Main: "closed", home.Position: 0.0}},
		home.Entity{ID: "k1", Kind: home.Lock, Name: "Front door", Can: can(home.Main), State: home.State{home.Main: "locked"}},
		home.Entity{ID: "t1", Kind: home.Climate, Name: "Thermostat", Area: "Bathroom", Min: 5, Max: 30, Can: can(home.Mode, home.Target, home.Preset), Options: map[home.Key][]string{home.Mode: {"off", "heat", "auto"}, home.Preset: {"eco", "comfort"}}, State: home.State{home.Mode: "heat", home.Target: 20.0, home.Current: 19.5}, Reports: can(home.Mode, home.Target, home.Preset, home.Current)},
		home.Entity{ID: "f1", Kind: home.Fan, Name: "Bedroom fan", Can: can(home.Main, home.Speed)},
		home.Entity{ID: "z1", Kind: home.Scene, Name: "Movie night", Can: can(home.Main), Reports: can()},
		home.Entity{ID: "b1", Kind: home.Switch, Name: "Pool pump", Can: can(home.Main), Reports: can()},
		home.Entity{ID: "v1", Kind: home.Vacuum, Name: "Robo", Can: can(home.Main), State: home.State{home.Main: "docked"}},
		home.Entity{ID: "n1", Kind: home.Sensor, Class: "temperature", Device: "freezer", Name: "Temperature", Unit: "°C", State: home.State{home.Main: -18.4}, Reports: can(home.Main)},
		home.Entity{ID: "n2", Kind: home.Sensor, Class: "humidity", Device: "freezer", Name: "Humidity", Unit: "%", State: home.State{home.Main: 45.0}, Reports: can(home.Main)},
		home.Entity{ID: "n3", Kind: home.Sensor, Class: "battery", Category: "diagnostic", Device: "freezer", Name: "Battery", Unit: "%", State: home.State{home.Main: 91.0}, Reports: can(home.Main)},
		home.Entity{ID: "n4", Kind: home.Sensor, Class: "temperature", Area: "Living Room", Device: "living room climate", Name: "Temperature", Unit: "°C", State: home.State{home.Main: 21.5}, Reports: can(home.Main)},
		home.Entity{ID: "w1", Kind: home.BinarySensor, Class: "window", Name: "Bathroom window", State: home.State{home.Main: "on"}, Reports: can(home.Main)},
		home.Entity{ID: "w2", Kind: home.BinarySensor, Class: "window", Name: "Kitchen window", State: home.State{home.Main: "off"}, Reports: can(home.Main)},
		home.Entity{ID: "q1", Kind: home.Select, Name: "Pump mode", Can: can(home.Main), Options: map[home.Key][]string{home.Main: {"Eco Mode", "Turbo"}}, State: home.State{home.Main: "Turbo"}},
	)
}

func newTools(t *testing.T, house home.Devices) (map[string]tools.Tool, *Home) {
	t.Helper()
	h, err := New(Options{Devices: house})
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]tools.Tool{}
	for _, tool := range h.Tools() {
		byName[tool.Spec().Name] = tool
	}
	return byName, h
}

func call(t *testing.T, tool tools.Tool, args string) tools.Result {
	t.Helper()
	r, err := tool.Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(args)}})
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return r
}
