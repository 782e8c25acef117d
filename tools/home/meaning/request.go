package meaning

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hearthd/tools/home"
	"hearthd/tools/when"
)

// Request are those of home_control, home_later, home_read and home_undo.
type Request struct {
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
	Degrees  *float64    `json:"degrees,omitempty"` // how warm, beside a mode
	And      bool        `json:"and,omitempty"`     // it goes on from what was spoken of last, and is of the same room first
	What     string      `json:"what,omitempty"`
	Is       string      `json:"is,omitempty"`
	In       int         `json:"in_s,omitempty"` // of home_later, as the next two
	Time     *when.Clock `json:"time,omitempty"`
	Day      when.Day    `json:"day,omitempty"`

	Of   []home.Kind `json:"-"` // only devices of these kinds are meant; nil: of any
	Turn uint64      `json:"-"` // that the call belongs to; 0: none
}

// UnmarshalJSON reads arguments. It also reads those of orders and of households' files from before
// there were properties: then each property was a key, one in kelvin, and steps were keys too.
func (a *Request) UnmarshalJSON(data []byte) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		return err
	}
	type plain Request
	var p plain
	for key, raw := range keys {
		property, steps := strings.CutSuffix(key, "_step")
		if key == "kelvin" {
			property = "color_temperature"
		}
		if home.KeysOf(property) == nil || string(raw) == "null" {
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
	*a = Request(p)
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

// Steps reports whether a command asks for more or less than there is now, or for a part of that, and sets whether it
// sets a value.
func (a *Request) Steps() bool {
	return a.Unit == "times" || a.Value == nil && (a.Step != nil || a.Action == "raise" || a.Action == "lower")
}

func (a *Request) inDegrees() bool { return a.Unit == "degrees" || a.Unit == "fahrenheit" }

// Sets reports whether it sets a value, or changes one.
func (a *Request) Sets() bool { return a.Value != nil || a.Steps() }

// Word is the value as a word, or "".
func (a *Request) Word() string { w, _ := a.Value.(string); return strings.ToLower(w) }

// kinds are those that the command is about, by its words or by what it sets.
func (a *Request) kinds() (kinds []home.Kind, named bool) {
	words := home.Tokens(a.Name)
	property := a.Property
	if property == "" && a.inDegrees() {
		property = "temperature"
	}
	locks := a.Action == "lock" || a.Action == "unlock"
	opens := locks || a.Action == "open" || a.Action == "close"
	covers := slices.ContainsFunc(home.Singulars(words), home.IsCoverWord)
	var able []home.Kind
	for _, k := range home.Offered() {
		switch {
		case home.Mentions(words, k.Words()), k == home.Cover && !locks && covers:
			kinds = append(kinds, k)
		case opens && k.Verb(a.Action) != "" || property != "" && k.Settings(property) != nil:
			able = append(able, k)
		}
	}
	switch {
	case len(kinds) > 0:
		return kinds, true
	case a.What == home.Playback:
		return []home.Kind{home.MediaPlayer}, false
	case a.What != "":
		return []home.Kind{home.Sensor, home.Climate, home.WaterHeater}, false
	}
	return able, false
}

// Undoing is the action of home_undo.
const Undoing = "undo"

// Opens reports whether a request is to open something.
func (a *Request) Opens() bool { return a.Action == "open" || a.Action == "unlock" }
