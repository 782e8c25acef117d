package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// hostileTemplates keep a processor busy for seconds each, if they are let.
var hostileTemplates = []string{
	`{% for i in range(2000) %}{% set x = value | regex_search('(a*)*b') %}{% endfor %}`,
	`{% set ns = namespace(x=[1], y=[1]) %}{% for i in range(30) %}{% set ns.x = [ns.x, ns.x] %}{% set ns.y = [ns.y, ns.y] %}{% endfor %}` +
		`{{ ns.x == ns.y }}`,
	`{{ value * 131072 }}`,
	`{{ (value ~ 'é').strip('é' ~ value) }}{% for i in range(9999) %}{% set x = value | list | sort %}{% endfor %}`,
}

// One retained message of a stranger's device stops neither the house nor its end.
func TestHostileTemplatesStopNothing(t *testing.T) {
	k := newKitchen(t)
	b := newMosquitto(t, k.dir)
	z := newZigbee(t, b.options())
	for i, source := range hostileTemplates {
		for j := range 20 {
			z.publish(fmt.Sprintf("homeassistant/sensor/hostile%d_%d/config", i, j),
				fmt.Sprintf(`{"name":"Meter %d %d","state_topic":"hostile","value_template":%q}`, i, j, source))
		}
	}
	z.publish("hostile", strings.Repeat("a", 32<<10))
	freezer := func(z *zigbee) {
		k.until("the devices", func() bool {
			return k.ask("what is the freezer temperature").Answer == "The freezer temperature is -18.5 degrees."
		})
		k.until("the condition", func() bool {
			return slices.ContainsFunc(k.status().Conditions, func(c Condition) bool {
				return c.Code == "devices" && strings.Contains(c.Text, "value_template of Meter")
			})
		})
		var found struct {
			Devices []struct{ ID string }
			Skipped []string
		}
		check(t, k.Call(t.Context(), http.MethodGet, "/v1/devices", nil, &found))
		if len(found.Devices) < 20*len(hostileTemplates) || len(found.Skipped) != 20*len(hostileTemplates)+1 {
			t.Errorf("%d devices, %d of them are named", len(found.Devices), len(found.Skipped))
		}
		k.ask("turn on the kitchen light")
		z.gets(`zigbee2mqtt/kitchen_light/set {"state":"ON"}`)
	}
	k.begin(b.environ()...)
	freezer(z)
	k.restart(b.environ()...)
	freezer(z)
	check(t, k.Stop())
}
