package home

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
)

// fakeHouse is a house whose devices do what they are told, after a while.
type fakeHouse struct {
	mu      sync.Mutex
	devices map[string]Entity
	changed chan struct{}
	sent    []string
	after   time.Duration
	deaf    map[string]bool // by ID; these never answer
	err     error
	lost    error
	cut     bool // it is lost with the first command
}

func can(keys ...Key) map[Key]bool {
	m := map[Key]bool{}
	for _, k := range keys {
		m[k] = true
	}
	return m
}

func newHouse(list ...Entity) *fakeHouse {
	h := &fakeHouse{devices: map[string]Entity{}, changed: make(chan struct{}), after: 200 * time.Millisecond, deaf: map[string]bool{}}
	for _, e := range list {
		if e.Reports == nil {
			e.Reports = maps.Clone(e.Can)
		}
		if e.State == nil {
			e.State = State{}
		}
		h.devices[e.ID] = e
	}
	return h
}

func (h *fakeHouse) Entities() []Entity {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.devices))
}

func (h *fakeHouse) Entity(id string) (Entity, bool) {
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

func (h *fakeHouse) set(id string, want State) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.devices[id]
	e.State = maps.Clone(e.State)
	maps.Copy(e.State, want)
	h.devices[id] = e
	close(h.changed)
	h.changed = make(chan struct{})
}

func (h *fakeHouse) Send(_ context.Context, id string, want State) error {
	data, _ := json.Marshal(want)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cut {
		h.sent, h.lost = append(h.sent, id+" "+string(data)), ErrAway
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

func light(id, name, area string, keys ...Key) Entity {
	return Entity{ID: id, Kind: Light, Name: name, Area: area, Can: can(append(keys, Main)...)}
}

// kitchen is the house of the tests.
func kitchen() *fakeHouse {
	return newHouse(
		light("l1", "Ceiling light", "Kitchen", Brightness, Kelvin), light("l2", "Counter", "Kitchen", Brightness), light("l3", "Sofa lamp", "Living Room", Brightness, Colour, Effect),
		light("l4", "", "", Brightness), light("l5", "Bedside", "Bedroom"),
		Entity{ID: "s1", Kind: Switch, Device: "coffee machine", Can: can(Main)}, Entity{ID: "s2", Kind: Switch, Name: "Child lock", Device: "coffee machine", Category: "config", Can: can(Main)},
		Entity{ID: "s3", Kind: Switch, Name: "Hallway lamp", Can: can(Main)},
		Entity{ID: "c1", Kind: Cover, Class: "garage", Name: "Garage door", Can: can(Main), State: State{Main: "closed"}},
		Entity{ID: "c2", Kind: Cover, Class: "blind", Name: "Blinds", Area: "Living Room", Can: can(Main, Position), State: State{Main: "closed", Position: 0.0}},
		Entity{ID: "k1", Kind: Lock, Name: "Front door", Can: can(Main), State: State{Main: "locked"}},
		Entity{ID: "t1", Kind: Climate, Name: "Thermostat", Area: "Bathroom", Min: 5, Max: 30, Can: can(Mode, Target, Preset), Options: map[Key][]string{Mode: {"off", "heat", "auto"}, Preset: {"eco", "comfort"}}, State: State{Mode: "heat", Target: 20.0, Current: 19.5}, Reports: can(Mode, Target, Preset, Current)},
		Entity{ID: "f1", Kind: Fan, Name: "Bedroom fan", Can: can(Main, Speed)},
		Entity{ID: "z1", Kind: Scene, Name: "Movie night", Can: can(Main), Reports: can()},
		Entity{ID: "b1", Kind: Switch, Name: "Pool pump", Can: can(Main), Reports: can()},
		Entity{ID: "v1", Kind: Vacuum, Name: "Robo", Can: can(Main), State: State{Main: "docked"}},
		Entity{ID: "n1", Kind: Sensor, Class: "temperature", Device: "freezer", Name: "Temperature", Unit: "°C", State: State{Main: -18.4}, Reports: can(Main)},
		Entity{ID: "n2", Kind: Sensor, Class: "humidity", Device: "freezer", Name: "Humidity", Unit: "%", State: State{Main: 45.0}, Reports: can(Main)},
		Entity{ID: "n3", Kind: Sensor, Class: "battery", Category: "diagnostic", Device: "freezer", Name: "Battery", Unit: "%", State: State{Main: 91.0}, Reports: can(Main)},
		Entity{ID: "n4", Kind: Sensor, Class: "temperature", Area: "Living Room", Device: "living room climate", Name: "Temperature", Unit: "°C", State: State{Main: 21.5}, Reports: can(Main)},
		Entity{ID: "w1", Kind: BinarySensor, Class: "window", Name: "Bathroom window", State: State{Main: "on"}, Reports: can(Main)},
		Entity{ID: "w2", Kind: BinarySensor, Class: "window", Name: "Kitchen window", State: State{Main: "off"}, Reports: can(Main)},
		Entity{ID: "q1", Kind: Select, Name: "Pump mode", Can: can(Main), Options: map[Key][]string{Main: {"Eco Mode", "Turbo"}}, State: State{Main: "Turbo"}},
	)
}

func newTools(t *testing.T, house Devices) (map[string]tools.Tool, *Home) {
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
