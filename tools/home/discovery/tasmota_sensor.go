package discovery

import (
	"cmp"
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
// name in its JSON. A name may have a number behind it.
var quantities = map[string][2]string{
	"Temperature": {"temperature", "°C"}, "DewPoint": {"temperature", "°C"}, "Humidity": {"humidity", "%"},
	"Pressure": {"atmospheric_pressure", "hPa"}, "SeaPressure": {"atmospheric_pressure", "hPa"},
	"Power": {"power", "W"}, "ActivePower": {"power", "W"}, "ApparentPower": {"apparent_power", "VA"}, "ReactivePower": {"reactive_power", "var"},
	"Factor": {"power_factor", ""}, "Voltage": {"voltage", "V"}, "Current": {"current", "A"}, "Frequency": {"frequency", "Hz"}, "PhaseAngle": {"", "°"},
	"Total": {"energy", "kWh"}, "Today": {"energy", "kWh"}, "Yesterday": {"energy", "kWh"}, "Energy": {"energy", "kWh"},
	"ImportActive": {"energy", "kWh"}, "ExportActive": {"energy", "kWh"},
	"Illuminance": {"illuminance", "lx"}, "Ambient": {"illuminance", "lx"}, "CCT": {"", "K"}, "Battery": {"battery", "%"},
	"CarbonDioxide": {"carbon_dioxide", "ppm"}, "eCO2": {"carbon_dioxide", "ppm"}, "TVOC": {"volatile_organic_compounds", "ppb"},
	"PM1": {"pm1", "µg/m³"}, "PM2.5": {"pm25", "µg/m³"}, "PM10": {"pm10", "µg/m³"},
	"Distance": {"distance", "cm"}, "Weight": {"weight", "kg"}, "Moisture": {"moisture", "%"}, "UvIndex": {"", ""}, "Range": {"", ""},
	"Speed": {"wind_speed", "km/h"}, "Dir": {"wind_direction", "°"}, "Rain": {"precipitation", "mm"},
}

// quantity is the name in quantities that a name of Tasmota's JSON stands for.
func quantity(name string) (string, bool) {
	if _, known := quantities[name]; known {
		return name, true
	}
	name = strings.TrimRight(name, "0123456789")
	_, known := quantities[name]
	return name, known
}

// measured is one value that a device tells of.
type measured struct {
	path        []string // in the JSON of its sensors
	what        string   // of quantities; empty: it is none of them
	class, unit string
	words       bool // it is text
}

// unitWords are the units that a device may be set up for, by its word for them.
var unitWords = map[string]string{
	"C": "°C", "F": "°F", "hPa": "hPa", "mmHg": "mmHg", "inHg": "inHg",
	"ms": "m/s", "m/s": "m/s", "kmh": "km/h", "km/h": "km/h", "kt": "kn", "kn": "kn", "mph": "mph", "fts": "ft/s", "ft/s": "ft/s", "yds": "yd/s", "yd/s": "yd/s",
}

// readers are sensors of Tasmota that tell which card or tag is held to them, and not
// how anything is.
var readers = map[string]bool{"PN532": true, "RDM6300": true}

// sensing reads what tasmota/discovery/MAC/sensors tells of.
type sensing struct {
	units map[string]string // of classes, as the device is set up
	found []measured
}

func parseSensors(payload []byte) ([]measured, error) {
	if len(payload) == 0 {
		return nil, nil
	}
	top, err := parseObject(payload)
	if err != nil {
		return nil, fmt.Errorf("sensors: %w", err)
	}
	sn, _ := top["sn"].(map[string]any)
	s := sensing{units: map[string]string{}}
	for key, class := range map[string]string{"TempUnit": "temperature", "PressureUnit": "atmospheric_pressure", "SpeedUnit": "wind_speed"} {
		word, _ := sn[key].(string)
		if unit := unitWords[word]; unit != "" {
			s.units[class] = unit
		}
	}
	for _, k := range slices.Sorted(maps.Keys(sn)) {
		if m, ok := sn[k].(map[string]any); ok && !readers[k] {
			s.walk([]string{k}, m)
		} else if q, known := quantity(k); known && quantities[q][0] != "" {
			s.walk([]string{k}, sn[k])
		}
	}
	if len(s.found) > maxComponents {
		return nil, fmt.Errorf("sensors: more than %d", maxComponents)
	}
	return s.found, nil
}

func (s *sensing) walk(path []string, v any) {
	if len(s.found) > maxComponents {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			s.walk(append(slices.Clone(path), k), v[k])
		}
	case []any:
		for i := range v {
			s.walk(append(slices.Clone(path), strconv.Itoa(i)), v[i])
		}
	case nil: // of one that is not read yet
		if _, known := quantity(path[len(path)-1]); known {
			s.add(path, false)
		}
	case float64:
		s.add(path, false)
	case string:
		s.add(path, true)
	}
}

func (s *sensing) add(path []string, words bool) {
	m := measured{path: path, words: words}
	for _, p := range path {
		if q, known := quantity(p); known {
			m.what = q
		}
	}
	if !words {
		m.class, m.unit = quantities[m.what][0], quantities[m.what][1]
		m.unit = cmp.Or(s.units[m.class], m.unit)
	}
	s.found = append(s.found, m)
}

func (t *tasmota) sensor(m measured) *entity {
	name := strings.Join(m.path, " ")
	if m.path[0] == "ENERGY" {
		name = strings.Join(m.path[1:], " ")
		if m.what == "Total" || m.what == "Today" || m.what == "Yesterday" {
			name = "Energy " + name
		}
	}
	b := t.builder(home.Sensor, name)
	b.e.Class, b.e.Unit = m.class, m.unit
	if m.what == "" && !m.words || strings.HasSuffix(name, "Time") {
		b.e.Category = "diagnostic"
	}
	take := amount
	if m.words {
		take = func(v any) (any, bool) {
			text, ok := v.(string)
			return text, ok && len(text) <= maxText
		}
	}
	b.value(home.Main, m.path, take, "sensor", "status")
	b.e.polls = []message{{t.cmnd + "STATUS", "10"}}
	return b.e
}
