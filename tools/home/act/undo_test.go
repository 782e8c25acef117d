package act

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// livingHouse is a house whose devices do what they are told as real ones do: one that is off reports no
// brightness, one that follows a colour no white, and a cover is where its position says.
type livingHouse struct{ *fakeHouse }

func (h livingHouse) Send(_ context.Context, id string, want home.State) error {
	h.mu.Lock()
	h.sent = append(h.sent, id+" "+marshal(want))
	e := h.devices[id]
	now := e.State
	if members := e.Members; len(members) > 0 {
		h.mu.Unlock()
		for _, m := range members {
			if err := h.Send(context.Background(), m, want); err != nil {
				return err
			}
		}
		return nil
	}
	now = maps.Clone(now)
	h.mu.Unlock()
	for _, k := range []home.Key{home.Main, home.Mode, home.Brightness, home.Kelvin, home.Colour, home.Effect, home.Preset, home.Speed, home.Target, home.Position, home.Tilt, home.Volume, home.FanMode} {
		if v, ok := want[k]; ok {
			live(&e, now, k, v)
		}
	}
	time.AfterFunc(h.after, func() {
		h.mu.Lock()
		e.State = now
		h.devices[id] = e
		close(h.changed)
		h.changed = make(chan struct{})
		h.mu.Unlock()
	})
	return nil
}

// live has a device do one thing.
func live(e *home.Entity, now home.State, k home.Key, v any) {
	switch {
	case k == home.Main && (v == "next" || v == "stopped"):
		return
	case k == home.Main && v == "returning":
		v = "docked"
	case k == home.Main && v == "on" && e.Kind == home.MediaPlayer:
		if v = now[home.Main]; v == "off" {
			v = "idle"
		}
	case k == home.Main && v == "on" && e.Kind == home.Light:
		if now[home.Main] != "on" && e.Can[home.Brightness] { // it comes on as it likes
			now[home.Brightness] = 100.0
			if e.Can[home.Kelvin] {
				now[home.Kelvin] = 2700.0
			}
		}
	case k == home.Main && v == "off":
		for _, k := range []home.Key{home.Brightness, home.Kelvin, home.Colour, home.Effect, home.Preset, home.Speed} {
			delete(now, k)
		}
	case k == home.Main && (e.Kind == home.Cover || e.Kind == home.Valve) && e.Can[home.Position]:
		now[home.Position] = map[any]float64{"open": 100, "closed": 0}[v]
	case k == home.Position:
		now[home.Main] = map[bool]string{true: "open", false: "closed"}[v != 0.0]
	case k == home.Speed:
		now[home.Main] = "on"
		delete(now, home.Preset)
	case k == home.Preset && e.Kind == home.Fan:
		now[home.Main], now[home.Speed] = "on", 50.0
	case k == home.Preset && e.Kind == home.Climate && v != "none":
		now[home.Target] = map[any]float64{"away": 15, "eco": 18}[v]
	case k == home.Kelvin:
		delete(now, home.Colour)
		delete(now, home.Effect)
	case k == home.Colour:
		delete(now, home.Kelvin)
		delete(now, home.Effect)
	}
	now[k] = v
}

// order calls home_control, or home_undo with what has no action.
func order(t *testing.T, h *Home, args string) tools.Result {
	t.Helper()
	if strings.Contains(args, "action") {
		return call(t, h.Tools()[0], args)
	}
	return call(t, h.Tools()[3], args)
}

func marshal(s home.State) string { data, _ := json.Marshal(s); return string(data) }

// living has a device of each kind, and some that are groups and scenes of others.
func living() livingHouse {
	list := []home.Entity{
		{ID: "lamp", Kind: home.Light, Name: "Reading lamp", Area: "Bedroom", Can: can(home.Main, home.Brightness, home.Kelvin, home.Colour, home.Effect),
			Min: 2000, Max: 6500, Options: map[home.Key][]string{home.Effect: {"None", "Candle"}}},
		light("spot", "Counter", "Kitchen", home.Brightness), light("bulb", "Pendant", "Kitchen"),
		{ID: "plug", Kind: home.Switch, Name: "Kettle", Area: "Kitchen", Can: can(home.Main)},
		{ID: "blind", Kind: home.Cover, Name: "Blind", Class: "blind", Area: "Bedroom", Can: can(home.Main, home.Position, home.Tilt)},
		{ID: "awning", Kind: home.Cover, Name: "Awning", Class: "awning", Can: can(home.Main)},
		{ID: "valve", Kind: home.Valve, Name: "Water", Can: can(home.Main)},
		{ID: "fan", Kind: home.Fan, Name: "Fan", Area: "Bedroom", Step: 10, Can: can(home.Main, home.Speed, home.Preset), Options: map[home.Key][]string{home.Preset: {"sleep", "eco"}}},
		{ID: "heat", Kind: home.Climate, Name: "Thermostat", Area: "Hall", Min: 7, Max: 30, Can: can(home.Mode, home.Target, home.Preset),
			Options: map[home.Key][]string{home.Mode: {"off", "heat", "auto"}, home.Preset: {"none", "away", "eco"}}},
		{ID: "lock", Kind: home.Lock, Name: "Front door", Area: "Hall", Can: can(home.Main)},
		{ID: "robot", Kind: home.Vacuum, Name: "Robot", Can: can(home.Main, home.FanMode), Options: map[home.Key][]string{home.FanMode: {"quiet", "strong"}}},
		{ID: "radio", Kind: home.MediaPlayer, Name: "Radio", Area: "Kitchen", Can: can(home.Main, home.Volume)},
		{ID: "number", Kind: home.Number, Name: "Delay", Min: 0, Max: 90, Can: can(home.Main)},
		{ID: "select", Kind: home.Select, Name: "Program", Can: can(home.Main), Options: map[home.Key][]string{home.Main: {"wash", "rinse", "spin"}}},
		{ID: "siren", Kind: home.Siren, Name: "Siren", Can: can(home.Main)},
		{ID: "group", Kind: home.Light, Name: "Kitchen lights", Area: "Kitchen", Members: []string{"spot", "bulb"}, Can: can(home.Main), Reports: can()},
		{ID: "scene", Kind: home.Scene, Name: "Sunset", Members: []string{"lamp", "spot"}, Can: can(home.Main), Reports: can()},
		{ID: "script", Kind: home.Script, Name: "Good night", Can: can(home.Main), Reports: can()},
		{ID: "button", Kind: home.Button, Name: "Doorbell", Can: can(home.Main), Reports: can()},
	}
	return livingHouse{newHouse(list...)}
}

// anyState puts every device of a house into a state that it may have.
func (h livingHouse) anyState(rnd *rand.Rand) {
	pick := func(list ...any) any { return list[rnd.IntN(len(list))] }
	level := func() any { return pick(5.0, 25.0, 50.0, 75.0, 100.0) }
	states := map[string]home.State{
		"lamp": {home.Main: "on", home.Brightness: level()}, "spot": {home.Main: "on", home.Brightness: level()}, "bulb": {home.Main: pick("on", "off")},
		"plug": {home.Main: pick("on", "off")}, "blind": {home.Position: pick(0.0, 30.0, 100.0), home.Tilt: level()},
		"awning": {home.Main: pick("open", "closed")}, "valve": {home.Main: pick("open", "closed")},
		"fan":  {home.Main: "on", home.Speed: level()},
		"heat": {home.Mode: pick("off", "heat", "auto"), home.Target: pick(17.0, 20.0, 22.0), home.Preset: pick("none", "eco")},
		"lock": {home.Main: pick("locked", "unlocked")}, "robot": {home.Main: pick("docked", "cleaning", "paused"), home.FanMode: pick("quiet", "strong")},
		"radio":  {home.Main: pick("off", "playing", "paused"), home.Volume: level()},
		"number": {home.Main: pick(10.0, 20.0)}, "select": {home.Main: pick("wash", "rinse")}, "siren": {home.Main: pick("on", "off")},
	}
	if states["heat"][home.Preset] == "eco" {
		states["heat"][home.Target] = 18.0
	}
	switch pick(0, 1, 2, 3) {
	case 0:
		states["lamp"][home.Kelvin] = 4000.0
	case 1:
		states["lamp"][home.Colour] = home.Color{R: 0, G: 0, B: 255}
	case 2:
		states["lamp"][home.Colour], states["lamp"][home.Effect] = home.Color{R: 255, G: 0, B: 0}, "Candle"
	case 3:
		states["lamp"] = home.State{home.Main: "off"}
	}
	if pick(0, 1) == 0 {
		states["spot"] = home.State{home.Main: "off"}
	}
	switch pick(0, 1, 2) {
	case 0:
		states["fan"] = home.State{home.Main: "off"}
	case 1:
		states["fan"][home.Preset], states["fan"][home.Speed] = "sleep", 50.0
	}
	states["blind"][home.Main] = map[bool]string{true: "open", false: "closed"}[states["blind"][home.Position] != 0.0]
	for id, s := range states {
		e := h.devices[id]
		e.State = s
		h.devices[id] = e
	}
}

// anyOrder is one that a person may give to the living house.
func anyOrder(rnd *rand.Rand) string {
	orders := []string{
		`{"action":"on","name":"reading lamp"}`, `{"action":"off","name":"reading lamp"}`, `{"action":"set","name":"reading lamp","value":"red"}`,
		`{"action":"set","name":"reading lamp","value":10}`, `{"action":"set","name":"reading lamp","value":"cold white"}`, `{"action":"set","name":"reading lamp","property":"effect","value":"candle"}`,
		`{"action":"on","name":"kitchen lights"}`, `{"action":"off","area":"kitchen","which":"all"}`, `{"action":"off","name":"everything","area":"house"}`,
		`{"action":"set","name":"counter","value":40}`, `{"action":"toggle","name":"kettle"}`, `{"action":"on","name":"kettle"}`,
		`{"action":"open","name":"blind"}`, `{"action":"close","name":"blind"}`, `{"action":"set","name":"blind","value":60}`, `{"action":"set","name":"blind","property":"tilt","value":20}`,
		`{"action":"open","name":"awning"}`, `{"action":"close","name":"water"}`, `{"action":"off","name":"fan"}`, `{"action":"on","name":"fan"}`,
		`{"action":"set","name":"fan","property":"speed","value":75}`, `{"action":"set","name":"fan","property":"speed","value":"eco"}`,
		`{"action":"set","name":"thermostat","value":24}`, `{"action":"off","name":"thermostat"}`, `{"action":"on","name":"thermostat"}`, `{"action":"set","name":"thermostat","value":"away"}`,
		`{"action":"lock","name":"front door"}`, `{"action":"unlock","name":"front door"}`, `{"action":"start","name":"robot"}`, `{"action":"dock","name":"robot"}`,
		`{"action":"set","name":"radio","property":"volume","value":33}`, `{"action":"off","name":"radio"}`, `{"action":"pause","name":"radio"}`, `{"action":"on","name":"radio"}`,
		`{"action":"set","name":"delay","value":55}`, `{"action":"set","name":"program","value":"spin"}`, `{"action":"on","name":"siren"}`, `{"action":"on","name":"pendant"}`,
	}
	return orders[rnd.IntN(len(orders))]
}

// states are those of all devices, as a person sees them: an effect has its own colours, and a radio that was
// switched off plays nothing when it is on again.
func (h livingHouse) states() map[string]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := map[string]string{}
	for id, e := range h.devices {
		s := maps.Clone(e.State)
		if id == "radio" && s[home.Main] != "off" {
			s[home.Main] = "on"
		}
		if s[home.Effect] != nil {
			delete(s, home.Colour)
			delete(s, home.Kelvin)
		}
		all[id] = fmt.Sprint(s)
	}
	return all
}

func TestOrderThatIsTakenBackLeavesEveryDeviceAsItWas(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range 1000 {
		synctest.Test(t, func(t *testing.T) {
			house := living()
			house.anyState(rnd)
			h, err := New(Options{Devices: house})
			if err != nil {
				t.Fatal(err)
			}
			asked := anyOrder(rnd)
			before := house.states()
			said := order(t, h, asked).Text
			time.Sleep(time.Second)
			ordered := house.states()
			for i, want := range []map[string]string{before, ordered, before} { // undo, undo that, and once more
				undone := order(t, h, `{}`).Text
				time.Sleep(time.Second)
				if got := house.states(); !maps.Equal(got, want) {
					for id := range want {
						if got[id] != want[id] {
							t.Errorf("seed %d: %s (%s), undo %d (%s): %s is %s, want %s; sent %s", seed, asked, said, i+1, undone, id, got[id], want[id], house.sent)
						}
					}
					return
				}
			}
		})
	}
}

// afterOrder gives orders to a living house in a known state, and says what was said to the last one and what it sent.
func afterOrder(t *testing.T, then func(h livingHouse), orders ...string) (said, sent string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		house := living()
		for id, s := range map[string]home.State{
			"lamp": {home.Main: "on", home.Brightness: 40.0, home.Kelvin: 2700.0}, "spot": {home.Main: "off"}, "bulb": {home.Main: "on"}, "plug": {home.Main: "off"},
			"blind": {home.Main: "open", home.Position: 30.0}, "fan": {home.Main: "off"}, "lock": {home.Main: "locked"}, "radio": {home.Main: "playing", home.Volume: 40.0},
			"heat": {home.Mode: "heat", home.Target: 20.0}, "awning": {home.Main: "closed"},
		} {
			e := house.devices[id]
			e.State = s
			house.devices[id] = e
		}
		h, err := New(Options{Devices: house, Area: "Kitchen"})
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range orders {
			if i == len(orders)-1 {
				then(house)
				house.sent = nil
			}
			said = order(t, h, o).Text
			time.Sleep(time.Second)
		}
		slices.Sort(house.sent)
		sent = strings.Join(house.sent, "; ")
	})
	return said, sent
}

func TestUndoSaysWhatItDoes(t *testing.T) {
	nothing := func(livingHouse) {}
	const undo, off, bulb = `{}`, `{"action":"off","area":"house","which":"all"}`, `{"action":"off","name":"pendant"}`
	for name, c := range map[string]struct {
		then       func(livingHouse)
		orders     []string
		said, sent string
	}{
		"a lamp is as bright and as white as it was": {nothing, []string{`{"action":"set","name":"reading lamp","value":"red"}`, undo}, "The reading lamp is at 2700 kelvin.", `lamp {"kelvin":2700,"state":"on"}`},
		"a cover goes where it was":                  {nothing, []string{`{"action":"close","name":"blind"}`, undo}, "The blind is at 30 percent.", `blind {"position":30}`},
		"of a group each member is as it was":        {nothing, []string{`{"action":"on","name":"kitchen lights"}`, undo}, "The counter is off.", `spot {"state":"off"}`},
		"what the order left alone is left alone":    {nothing, []string{`{"action":"on","name":"pendant"}`, undo}, "There is nothing that I could put back.", ""},
		"nothing was ordered":                        {nothing, []string{undo}, "There is nothing that I could put back.", ""},
		"the order is too old":                       {func(livingHouse) { time.Sleep(undoWithin) }, []string{bulb, undo}, "There is nothing that I could put back.", ""},
		"a later order was refused":                  {nothing, []string{bulb, `{"action":"on","name":"piano"}`, undo}, "There is nothing that I could put back.", ""},
		"a scene is its lights": {func(h livingHouse) {
			h.set("lamp", home.State{home.Brightness: 5.0})
			h.set("spot", home.State{home.Main: "on"})
		}, []string{`{"action":"on","name":"sunset"}`, undo}, "Both lights are as before.", `lamp {"brightness":40,"state":"on"}; spot {"state":"off"}`},
		"a script is done":                           {nothing, []string{`{"action":"on","name":"good night"}`, undo}, "Good night: that cannot be taken back.", ""},
		"a button is pressed":                        {nothing, []string{`{"action":"press","name":"doorbell"}`, undo}, "Doorbell: that cannot be taken back.", ""},
		"somebody else changed it":                   {func(h livingHouse) { h.set("lamp", home.State{home.Brightness: 80.0}) }, []string{`{"action":"set","name":"reading lamp","value":10}`, undo}, "The reading lamp has been changed since then, so I leave it as it is.", ""},
		"one of several":                             {nothing, []string{off, `{"name":"radio"}`}, "The radio is on.", `radio {"state":"on"}`},
		"one that goes on as before":                 {nothing, []string{off, `{"action":"on","name":"reading lamp"}`}, "The reading lamp is at 40 percent.", `lamp {"brightness":40,"kelvin":2700,"state":"on"}`},
		"one that is to stay on and was not touched": {nothing, []string{bulb, `{"name":"kettle","value":"on"}`}, "The kettle is on.", `plug {"state":"on"}`},
		"one that is to stay on":                     {nothing, []string{off, `{"name":"radio","value":"on"}`}, "The radio is on.", `radio {"state":"on"}`},
		"one of a room":                              {nothing, []string{off, `{"area":"kitchen"}`}, "Both devices are on.", `bulb {"state":"on"}; radio {"state":"on"}`},
		"one that was not touched":                   {nothing, []string{bulb, `{"name":"kettle"}`}, "Kettle is nothing that I changed just now.", ""},
		"an order for another":                       {nothing, []string{bulb, `{"instead":"kettle"}`}, "The pendant is on. The kettle was already off.", `bulb {"state":"on"}; plug {"state":"off"}`},
		"an order for another room":                  {nothing, []string{bulb, `{"name":"kitchen","instead":"bedroom"}`}, "The pendant is on. The reading lamp is off.", `bulb {"state":"on"}; lamp {"state":"off"}`},
		"an order for one that there is not":         {nothing, []string{bulb, `{"instead":"piano"}`}, "The pendant is on. I don't know a device called piano.", `bulb {"state":"on"}`},
		"an order that was taken back, for another":  {nothing, []string{bulb, undo, `{"instead":"reading lamp"}`}, "The reading lamp is off.", `lamp {"state":"off"}`},
		"two rooms that were confused, taken back":   {nothing, []string{bulb, `{"instead":"bedroom"}`, undo}, "Both lights are as before.", `bulb {"state":"off"}; lamp {"brightness":40,"kelvin":2700,"state":"on"}`},
	} {
		t.Run(name, func(t *testing.T) {
			said, sent := afterOrder(t, c.then, c.orders...)
			if said != c.said || sent != c.sent {
				t.Errorf("said %q, sent %s; want %q, %s", said, sent, c.said, c.sent)
			}
		})
	}
}

func TestWayInIsAskedAboutBeforeAnUndoOpensIt(t *testing.T) {
	for _, c := range []struct{ order, undo, question string }{
		{`{"action":"lock","name":"front door"}`, `{}`, "Unlock the front door?"},
		{`{"action":"unlock","name":"front door"}`, `{}`, ""},
		{`{"action":"on","name":"kettle"}`, `{}`, ""},
		{`{"action":"lock","name":"back door"}`, `{"instead":"front door"}`, "Unlock the back door?"},
		{`{"action":"unlock","name":"back door"}`, `{"instead":"front door"}`, "Unlock the front door?"},
		{`{"action":"on","name":"locked up"}`, `{}`, "Unlock the front door?"},
	} {
		synctest.Test(t, func(t *testing.T) {
			house := livingHouse{newHouse(
				home.Entity{ID: "lock", Kind: home.Lock, Name: "Front door", Can: can(home.Main), State: home.State{home.Main: "unlocked"}},
				home.Entity{ID: "back", Kind: home.Lock, Name: "Back door", Can: can(home.Main), State: home.State{home.Main: "unlocked"}},
				home.Entity{ID: "plug", Kind: home.Switch, Name: "Kettle", Can: can(home.Main), State: home.State{home.Main: "off"}},
				home.Entity{ID: "scene", Kind: home.Scene, Name: "Locked up", Members: []string{"lock", "plug"}, Can: can(home.Main), Reports: can()},
			)}
			h, err := New(Options{Devices: house})
			if err != nil {
				t.Fatal(err)
			}
			order(t, h, c.order)
			if strings.Contains(c.order, "locked up") {
				house.set("lock", home.State{home.Main: "locked"})
				house.set("plug", home.State{home.Main: "off"})
			}
			time.Sleep(time.Second)
			if got := h.confirms("home.shall", meaning.Undoing)(json.RawMessage(c.undo)); got != c.question {
				t.Errorf("%s, %s: asks %q, want %q", c.order, c.undo, got, c.question)
			}
		})
	}
}

func TestUndoOfWhatIsOnItsWayTurnsItRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		house := newHouse(home.Entity{ID: "blind", Kind: home.Cover, Name: "Blind", Class: "blind", Can: can(home.Main, home.Position), State: home.State{home.Main: "open", home.Position: 30.0}})
		house.deaf["blind"] = true
		h, err := New(Options{Devices: house})
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			time.Sleep(time.Second)
			house.set("blind", home.State{home.Main: "closing", home.Position: 25.0})
		}()
		order(t, h, `{"action":"close","name":"blind"}`)
		said := order(t, h, `{}`).Text
		if got := house.sent[len(house.sent)-1]; got != `blind {"position":30}` {
			t.Errorf("sent %s, said %s", house.sent, said)
		}
	})
}
