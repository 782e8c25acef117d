package home

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hearthd/tools/when"
)

// arguments are those of home_control, home_later, home_read and home_undo.
type arguments struct {
	Action   string      `json:"action,omitempty"`
	Name     string      `json:"name,omitempty"`
	Area     string      `json:"area,omitempty"`
	Which    string      `json:"which,omitempty"` // all, both, any, none, list or number
	Except   string      `json:"except,omitempty"`
	Instead  string      `json:"instead,omitempty"` // of home_undo: what the order was meant for
	Property string      `json:"property,omitempty"`
	Value    any         `json:"value,omitempty"` // a float64 or a word
	Step     *float64    `json:"step,omitempty"`
	Unit     string      `json:"unit,omitempty"`
	Percent  *float64    `json:"percent,omitempty"` // how bright, beside a color
	What     string      `json:"what,omitempty"`
	Is       string      `json:"is,omitempty"`
	In       int         `json:"in_s,omitempty"` // of home_later, as the next two
	Time     *when.Clock `json:"time,omitempty"`
	Day      when.Day    `json:"day,omitempty"`

	of   []Kind // only devices of these kinds are meant; nil: of any
	turn uint64 // that the call belongs to; 0: none
}

const (
	targetSchema = `"name":{"type":"string","maxLength":80,"description":"the device as the person ` +
		`called it: kitchen light, front door, freezer temperature; a kind for all of them: lights, all blinds"},` +
		`"area":{"type":"string","maxLength":60,"description":"room or floor, if it is not part of the name; here, house"},` +
		`"which":{"enum":["all","both","any","none","list","number","most","least"]},"except":{"type":"string",` +
		`"maxLength":80,"description":"device or room that stays as it is"}`
	readSchema = `{"type":"object","properties":{` + targetSchema + `,` +
		`"what":{"type":"string","maxLength":40,"description":"what is measured: temperature, humidity, battery, power …"},` +
		`"is":{"type":"string","maxLength":30,"description":"what the person asks whether it is so: on, off, open, ` +
		`closed, locked, unlocked, wet, occupied, home …"}}}`
	chooseSchema = `{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":80}},` +
		`"required":["name"],"additionalProperties":false}`
	undoSchema = `{"type":"object","properties":{` + targetSchema + `,"value":{"enum":["on","off"],` +
		`"description":"how the device was, if the person says it"},"instead":{"type":"string","maxLength":80,` +
		`"description":"the device or room that the order was meant for"}}}`
	timeSchema = `"in_s":{"type":"integer","minimum":1,"maximum":604800,"description":"seconds from now"},` +
		`"time":{"type":"string","format":"clock","description":"or a time of day: 24 hours, such as 19:30, or ` +
		`words, with am or pm where that is known"},` +
		`"day":{"type":"string","format":"day","description":"2027-05-03, or words: tomorrow, friday"},`
)

// controlSchema is that of home_control, and with a time that of home_later.
func controlSchema(time string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` + time +
		`"action":{"enum":["on","off","toggle","open","close","stop","lock","unlock","start","pause","dock","press",` +
		`"set","raise","lower","again"],"description":"set only with a value or a step; again: the last order, for ` +
		`others or once more"},` +
		targetSchema + `,"property":{"enum":["` + strings.Join(slices.Sorted(maps.Keys(properties)), `","`) + `"]},` +
		`"value":{"type":["number","string"],"maxLength":120,"description":"a number (percent, degrees, kelvin), ` +
		`or a word: blue, warm white, max, half, low, eco, next"},` +
		`"step":{"type":"number","minimum":-10000,"maximum":10000,"description":"how much more than now, ` +
		`in percent or degrees; less: negative"},` +
		`"unit":{"enum":["percent","degrees","fahrenheit","kelvin","times"],"description":"times: of what it is ` +
		`now, 0.5 for half as bright"},"percent":{"type":"number","minimum":0,"maximum":100,"description":"how ` +
		`bright, beside a color"}},"required":["action"]}`)
}

// UnmarshalJSON reads arguments. It also reads those of orders and of households' files from before
// there were properties: then each property was a key, one in kelvin, and steps were keys too.
func (a *arguments) UnmarshalJSON(data []byte) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		return err
	}
	type plain arguments
	var p plain
	for key, raw := range keys {
		property, steps := strings.CutSuffix(key, "_step")
		if key == "kelvin" {
			property = "color_temperature"
		}
		if properties[property] == nil || string(raw) == "null" {
			continue
		}
		if key == "kelvin" {
			p.Unit = key
		}
		if p.Property != "" {
			return fmt.Errorf("%s and %s are two properties: set one at a time", p.Property, key)
		}
		p.Property = property
		keys[map[bool]string{true: "step", false: "value"}[steps]] = raw
		delete(keys, key)
	}
	var kind string
	if raw, is := keys["kind"]; is {
		if err := json.Unmarshal(raw, &kind); err != nil {
			return err
		}
		delete(keys, "kind")
	}
	data, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return err
	}
	*a = arguments(p)
	a.Name = strings.TrimSpace(a.Name + " " + kind)
	switch v := a.Value.(type) {
	case nil, float64:
	case string: // which may be a number
		v = strings.TrimSpace(v)
		if a.Value = v; v == "" {
			a.Value = nil
		}
		if f, err := strconv.ParseFloat(strings.TrimRight(v, " %°"), 64); err == nil && f-f == 0 {
			a.Value = f
		}
	default:
		return fmt.Errorf("a value is a number or a word, and not %v", v)
	}
	return nil
}

// steps reports whether a command asks for more or less than there is now, or for a part of that, and sets whether it
// sets a value.
func (a *arguments) steps() bool {
	return a.Unit == "times" || a.Value == nil && (a.Step != nil || a.Action == "raise" || a.Action == "lower")
}

func (a *arguments) inDegrees() bool { return a.Unit == "degrees" || a.Unit == "fahrenheit" }

func (a *arguments) sets() bool { return a.Value != nil || a.steps() }

// word is the value as a word, or "".
func (a *arguments) word() string { w, _ := a.Value.(string); return strings.ToLower(w) }
