package discovery

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// quantity is the name in the table of quantities for a name in Tasmota's JSON. That may end in a
// number.
func quantity(name string) (string, bool) {
	if tables["quantities"][name] == nil {
		name = strings.TrimRight(name, "0123456789")
	}
	return name, tables["quantities"][name] != nil
}

// measured is one value that a device reports.
type measured struct {
	path        []string // in the JSON of its sensors
	what        string   // of the table of quantities; empty: it is none of them
	class, unit string
	words       bool // it is text
}

// readers are sensors of Tasmota that report which card or tag is held to them, and not a state.
var readers = map[string]bool{"PN532": true, "RDM6300": true}

// sensing reads the sensors that tasmota/discovery/MAC/sensors lists.
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
	for key, class := range tables["set up"] {
		word, _ := sn[key].(string)
		if unit := tables["units"][word]; unit != nil {
			s.units[class[0]] = unit[0]
		}
	}
	for _, k := range slices.Sorted(maps.Keys(sn)) {
		if m, ok := sn[k].(map[string]any); ok && !readers[k] {
			s.walk([]string{k}, m)
		} else if q, known := quantity(k); known && tables["quantities"][q][0] != "-" {
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
	case nil: // one that was not read yet
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
	if q := tables["quantities"][m.what]; q != nil && !words {
		m.class, m.unit = strings.Trim(q[0], "-"), strings.Trim(q[1], "-")
		m.unit = cmp.Or(s.units[m.class], m.unit)
	}
	s.found = append(s.found, m)
}

// quoted writes a text as a template has it.
var quoted = strings.NewReplacer(`\`, `\\`, "'", `\'`)

// sensor is one value that the device reports.
func (t *tasmotaDevice) sensor(m measured) part {
	name := strings.Join(m.path, " ")
	if m.path[0] == "ENERGY" {
		name = strings.Join(m.path[1:], " ")
		if m.what == "Total" || m.what == "Today" || m.what == "Yesterday" {
			name = "Energy " + name
		}
	}
	at := ""
	for _, p := range m.path {
		at += "['" + quoted.Replace(p) + "']"
	}
	c := config{
		"device_class": m.class, "unit_of_measurement": m.unit,
		"state_topic": t.measured(), "value_template": "{{ value_json" + at + " | default(value_json.StatusSNS" + at + ") }}",
		"polls": []message{{t.cmnd + "STATUS", "10"}},
	}
	if !m.words {
		c["state_class"] = "measurement"
	}
	if m.what == "" && !m.words || strings.HasSuffix(name, "Time") {
		c["entity_category"] = "diagnostic"
	}
	return t.part("sensor", name, c)
}
