package hass

import (
	"slices"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"hearthd/tools/home"
)

func ids(c *Client) []string {
	var list []string
	for _, e := range c.Entities() {
		list = append(list, e.ID)
	}
	slices.Sort(list)
	return list
}

func TestAliasesAreNames(t *testing.T) {
	c, _, told := run(t, token)
	if err := await(t, told); err != nil {
		t.Fatal(err)
	}
	l, _ := c.Entity("light.kitchen")
	if diff := cmp.Diff([]string{"Big shiny lamp", "Sparky"}, l.Aliases); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Galley"}, l.AreaAliases); diff != "" {
		t.Error(diff)
	}
	if names := l.Names("en"); !slices.Contains(names, "sparky") {
		t.Errorf("%q", names)
	}
}

// What people did not expose is neither controlled nor read, whoever's token it is.
func TestWhatIsNotExposedIsNotThere(t *testing.T) {
	const lamp = `{"entity_id":"light.desk","options":{"conversation":{"should_expose":true}}},` +
		`{"entity_id":"lock.back","options":{"conversation":{"should_expose":false},"cloud.alexa":{"should_expose":true}}},`
	const states = `{"entity_id":"light.desk","state":"on","attributes":{}},{"entity_id":"lock.back",` +
		`"state":"locked","attributes":{}},`
	for name, tt := range map[string]struct {
		with *assistant
		want []string
	}{
		"nothing was chosen": {&assistant{},
			[]string{"climate.bath", "cover.garage", "humidifier.bath", "input_boolean.guest", "light.kitchen", "lock.front", "sensor.freezer"}},
		"an old one knows no choice": {&assistant{old: true},
			[]string{"climate.bath", "cover.garage", "humidifier.bath", "input_boolean.guest", "light.kitchen", "lock.front", "sensor.freezer"}},
		"the list of an administrator": {&assistant{shown: `"sensor.freezer":{"conversation":true},` +
			`"lock.front":{"conversation":false},"cover.garage":{"cloud.alexa":true}`}, []string{"sensor.freezer"}},
		"the registry, for anybody else": {&assistant{guest: true, row: lamp, many: states}, []string{"light.desk"}},
		"both": {&assistant{row: lamp, many: states,
			shown: `"sensor.freezer":{"conversation":true}`}, []string{"light.desk", "sensor.freezer"}},
		"all were taken back": {&assistant{row: `{"entity_id":"light.kitchen",` +
			`"options":{"conversation":{"should_expose":false}}},`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			a := tt.with
			c, told := runWith(t, a, token)
			if err := await(t, told); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, ids(c)); diff != "" {
				t.Error(diff)
			}
			for _, id := range []string{"lock.back", "lock.front"} {
				if e, there := c.Entity(id); !there {
					if err := c.Send(t.Context(), id, home.State{home.Main: "unlocked"}); err == nil {
						t.Errorf("%s is opened: %+v", id, e)
					}
				}
			}
		})
	}
}

// A person takes a device away from voice while we run; its next state does not bring it
// back.
func TestWhatIsNoLongerExposedGoes(t *testing.T) {
	c, a, told := run(t, token)
	if err := await(t, told); err != nil {
		t.Fatal(err)
	}
	a.mu.Lock()
	a.row = `{"entity_id":"lock.front","options":{"conversation":{"should_expose":false}}},` +
		`{"entity_id":"sensor.freezer","options":{"conversation":{"should_expose":true}}},`
	for _, event := range []string{
		`{"id":4,"type":"event","event":{"event_type":"entity_registry_updated","data":{"action":"update",` +
			`"entity_id":"lock.front","changes":{"options":{}}}}}`,
		`{"id":2,"type":"event","event":{"event_type":"state_changed","data":{"entity_id":"lock.front",` +
			`"new_state":{"entity_id":"lock.front","state":"locked","attributes":{}}}}}`,
	} {
		if err := a.conn.Write(t.Context(), websocket.MessageText, []byte(event)); err != nil {
			t.Error(err)
		}
	}
	a.mu.Unlock()
	for {
		changed := c.Changed()
		if slices.Equal(ids(c), []string{"sensor.freezer"}) {
			return
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatal("it is still there")
		}
	}
}
