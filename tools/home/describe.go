package home

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// tellsOf reports whether a device reports what is asked for.
func (e *Entity) tellsOf(what []string) bool {
	fits := func(words ...string) bool {
		return !slices.ContainsFunc(what, func(w string) bool { return covered([]string{w}, words) == 0 })
	}
	switch uses := uses[e.Kind]; {
	case slices.Contains(uses.sets, Target):
		return e.Reports[Current] && fits(classWords["temperature"]...) || fits("mode") ||
			e.Reports[CurrentHumidity] && fits(classWords["humidity"]...)
	case uses.verbs != nil && len(uses.verbs) == 0 && e.Kind != Text && e.Kind != Alarm:
		return fits(append(tokens(e.Name), classWords[e.Class]...)...)
	case e.Kind == Light:
		return fits("brightness", "color", "colour")
	case e.Kind == MediaPlayer && slices.Equal(what, []string{playback}):
		return true
	case e.Kind.level() != "":
		return fits(string(e.Kind.level()))
	}
	return e.State[Battery] != nil && fits(classWords["battery"]...)
}

// describe describes the state of a device, by the name that distinguishes it from others.
func (t *teller) describe(e *Entity, name args, what string) string {
	now, known := e.State[Main]
	battery, hasBattery := e.State[Battery].(float64)
	value := slices.Contains([]Kind{Sensor, Number, Select, Text}, e.Kind)
	with := args{"device": name, "how": "", "value": rounded(battery)}
	key := "home.done"
	switch {
	case e.Offline:
		with["how"] = t.Part("home.became", args{"state": "unreachable"})
	case strings.Contains(what, "batter") && hasBattery:
		key = "home.battery"
	case slices.Contains(uses[e.Kind].sets, Target):
		with["how"] = t.climate(e)
	case !known && value:
		key = "home.no_value"
	case !known && e.Kind == BinarySensor:
		key = "home.no_state"
	case !known:
		key = "home.unknown"
	case e.Kind == BinarySensor:
		with["how"] = t.state(condition(e.Class, now == "on"))
	case value:
		key, with["how"] = "home.shows", t.reading(now, e.Unit)
	default:
		with["how"] = t.details(e, now, what)
	}
	return t.Say(key, with)
}

// details describe what is on or open further.
func (t *teller) details(e *Entity, now any, what string) string {
	with := args{"state": t.state(fmt.Sprint(now)), "value": "", "colour": "", "title": "", "artist": ""}
	on := now == "on"
	for k, shown := range map[Key]bool{Brightness: on, Speed: on, Position: now != "closed", Volume: true} {
		if f, has := e.State[k].(float64); has && shown && (k != Position || f > 0 && f < 100) {
			with["value"] = rounded(f)
		}
	}
	if c, ok := e.State[Colour].(Color); ok && now == "on" && strings.Contains(what, "colo") {
		with["colour"] = colorName(c)
	}
	for k, arg := range map[Key]string{Title: "title", Artist: "artist"} {
		if text, _ := e.State[k].(string); text != "" && now == "playing" {
			with[arg] = Clean(text)
			t.own = append(t.own, Clean(text))
		}
	}
	return t.Part("home.details", with)
}

// rounded is number without digits behind the point.
func rounded(f float64) string { return number(math.Floor(f + 0.5)) }

func (t *teller) climate(e *Entity) string {
	var parts []string
	switch m, ok := e.State[Mode].(string); {
	case m == "off":
		parts = append(parts, t.state(m))
	case ok:
		parts = append(parts, t.Part("home.mode", args{"mode": t.state(m)}))
	}
	if f, ok := e.State[Target].(float64); ok {
		parts = append(parts, t.Part("home.set", args{"value": t.reading(f, "°C")}))
	}
	if f, ok := e.State[Current].(float64); ok {
		parts = append(parts, t.Part("home.measured", args{"value": t.reading(f, "°C")}))
	}
	if len(parts) == 0 {
		return t.Part("home.became", args{"state": "mute"})
	}
	return t.List(parts)
}
