package discovery

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hearthd/tools/home"
)

// input is a switch that is wired to the device and does not switch a relay.
func (t *tasmota) input(i int, name string) *entity {
	b := t.builder(home.BinarySensor, name)
	n := fmt.Sprintf("Switch%d", i+1)
	take := func(v any) (any, bool) {
		switch v {
		case t.States[1]:
			return "on", true
		case t.States[0]:
			return "off", true
		}
		return nil, false
	}
	b.config["own"] = fmt.Sprintf("%sSWITCH%d", t.stat, i+1)
	b.value(home.Main, []string{n}, take, "sensor", "status")
	b.value(home.Main, []string{n, "Action"}, take, "result")
	b.value(home.Main, []string{"STATE"}, take, "own")
	b.e.polls = []message{{t.cmnd + "STATUS", "10"}}
	return b.e
}

// quantities are the class and unit of what Tasmota measures (its i18n.h), by the
// name in its JSON.
var quantities = map[string][2]string{
	"Temperature": {"temperature", "°C"}, "DewPoint": {"temperature", "°C"}, "Humidity": {"humidity", "%"}, "Pressure": {"atmospheric_pressure", "hPa"}, "SeaPressure": {"atmospheric_pressure", "hPa"},
	"Power": {"power", "W"}, "ApparentPower": {"apparent_power", "VA"}, "ReactivePower": {"reactive_power", "var"}, "Factor": {"power_factor", ""},
	"Voltage": {"voltage", "V"}, "Current": {"current", "A"}, "Frequency": {"frequency", "Hz"}, "Total": {"energy", "kWh"}, "Today": {"energy", "kWh"}, "Yesterday": {"energy", "kWh"},
	"Illuminance": {"illuminance", "lx"}, "CarbonDioxide": {"carbon_dioxide", "ppm"}, "eCO2": {"carbon_dioxide", "ppm"}, "TVOC": {"volatile_organic_compounds", "ppb"},
	"PM1": {"pm1", "µg/m³"}, "PM2.5": {"pm25", "µg/m³"}, "PM10": {"pm10", "µg/m³"}, "Distance": {"distance", "cm"}, "Weight": {"weight", "kg"}, "Moisture": {"moisture", "%"}, "UvIndex": {"", ""}, "Range": {"", ""},
}

// sensors adds what tasmota/discovery/MAC/sensors tells of.
func (t *tasmota) sensors(payload []byte, out map[string]*entity) error {
	if len(payload) == 0 {
		return nil
	}
	top, err := parseObject(payload)
	if err != nil {
		return fmt.Errorf("sensors: %w", err)
	}
	sn, _ := top["sn"].(map[string]any)
	unit := "°C"
	if sn["TempUnit"] == "F" {
		unit = "°F"
	}
	var walk func(path []string, v any)
	walk = func(path []string, v any) {
		if len(out) >= maxComponents {
			err = fmt.Errorf("sensors: more than %d", maxComponents)
			return
		}
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(append(slices.Clone(path), k), v[k])
			}
		case []any:
			for i := range v {
				walk(append(slices.Clone(path), strconv.Itoa(i)), v[i])
			}
		case nil: // of one that is not read yet
			if _, known := quantities[path[len(path)-1]]; known {
				t.sensor(path, unit, out)
			}
		case float64:
			t.sensor(path, unit, out)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(sn)) {
		if m, ok := sn[k].(map[string]any); ok {
			walk([]string{k}, m)
		} else if q, known := quantities[k]; known && q[0] != "" {
			walk([]string{k}, sn[k])
		}
	}
	return err
}

func (t *tasmota) sensor(path []string, degrees string, out map[string]*entity) {
	what, name := "", strings.Join(path, " ")
	for _, p := range path {
		if _, known := quantities[p]; known {
			what = p
		}
	}
	if path[0] == "ENERGY" {
		name = strings.Join(path[1:], " ")
		if what == "Total" || what == "Today" || what == "Yesterday" {
			name = "Energy " + name
		}
	}
	b := t.builder(home.Sensor, name)
	q := quantities[what]
	b.e.Class, b.e.Unit = q[0], q[1]
	if q[0] == "temperature" {
		b.e.Unit = degrees
	}
	if what == "" {
		b.e.Category = "diagnostic"
	}
	b.value(home.Main, path, amount, "sensor", "status")
	b.e.polls = []message{{t.cmnd + "STATUS", "10"}}
	out["sensor/"+strings.Join(path, "/")] = b.e
}
