package act

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// FuzzNothingOpensUnasked gives commands to houses with many ways in. None of them may be sent
// what opens it where nothing was asked before.
func FuzzNothingOpensUnasked(f *testing.F) {
	group := part("gc", home.Cover, "shutter", "All covers", "", "Hall", home.State{home.Main: "closed"}, home.Main)
	group.Members = []string{"garage", "kitchen.b"}
	var house []home.Entity
	for _, e := range slices.Concat(mansion(), esphome(), abroad()) {
		if strings.Contains(e.ID, ".s") && !strings.Contains(e.ID, "kitchen") {
			continue
		}
		house = append(house, e)
	}
	house = append(house, group)
	for _, c := range slices.Concat(mansionCalls, esphomeCalls, abroadCalls) {
		var a meaning.Request
		if json.Unmarshal([]byte(c.args), &a) == nil && a.Action != "" {
			f.Add(a.Action, a.Name, a.Area, a.Which, a.Except, a.Property, fmt.Sprint(a.Value), a.Unit, c.room, a.Step != nil)
		}
	}
	f.Fuzz(func(t *testing.T, action, name, area, which, except, property, value, unit, room string, step bool) {
		args := map[string]any{"action": action, "name": name, "area": area, "which": which, "except": except, "property": property, "unit": unit}
		if value != "<nil>" {
			args["value"] = value
		}
		if step {
			args["step"] = len(value)
		}
		raw, _ := json.Marshal(args)
		devices := newHouse(house...)
		h, err := New(Options{Devices: devices, Area: room})
		if err != nil {
			t.Fatal(err)
		}
		var a meaning.Request
		if json.Unmarshal(raw, &a) != nil || h.confirms("home.shall", "")(raw) != "" {
			return
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		devices.deaf = map[string]bool{}
		for id := range devices.devices {
			devices.deaf[id] = true
		}
		_, _ = h.control(ctx, a)
		for _, s := range devices.sent {
			id, state, _ := strings.Cut(s, " ")
			var want home.State
			_ = json.Unmarshal([]byte(state), &want)
			e := devices.devices[id]
			if w, ok := h.WayIn(&e); ok && w.Opens(&e, want) {
				t.Errorf("%s in %q opens %s unasked", raw, room, s)
			}
		}
	})
}
