package daemon

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hearthd/config"
)

func TestHooksMayRunOnEveryEvent(t *testing.T) {
	source, err := os.ReadFile("event/event.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := regexp.MustCompile(`kind\(\) string +{ return "([a-z_]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(kinds) < 20 {
		t.Fatalf("found %d kinds of events", len(kinds))
	}
	c := config.Default()
	for _, k := range kinds {
		c.Hooks = append(c.Hooks[:0], config.Hook{On: []string{k[1]}, Command: []string{"true"}})
		if ps := c.Validate(); len(ps) > 0 {
			t.Errorf("%s: %v", k[1], ps)
		}
	}
	c.Hooks[0].On = []string{"birthday"}
	ps := c.Validate()
	if len(ps) != 1 {
		t.Fatalf("%v", ps)
	}
	names := strings.Split(strings.TrimPrefix(ps[0].Reason, "must be one of "), ", ")
	for _, k := range kinds {
		names = slices.DeleteFunc(names, func(n string) bool { return n == k[1] })
	}
	if len(names) > 0 {
		t.Errorf("there are no events %v", names)
	}
}

func TestHardwareThatIsOffHasNoPart(t *testing.T) {
	d := bare()
	c := config.Default()
	d.cfg = &c
	parts, err := d.hardware(nil, nil)
	if err != nil || len(parts) != 1 || parts[0].Name != "keys" {
		t.Errorf("%v, %v", parts, err)
	}
	c.Buttons.Devices = nil
	if parts, err := d.hardware(nil, nil); err != nil || len(parts) != 0 {
		t.Errorf("%v, %v", parts, err)
	}
	c.Hooks = []config.Hook{{On: []string{"turn"}, Command: []string{"true"}}}
	c.Lights = []config.Light{{LED: "x", States: []string{"idle"}}}
	if parts, err := d.hardware(nil, nil); err != nil || len(parts) != 2 {
		t.Errorf("%v, %v", parts, err)
	}
}
