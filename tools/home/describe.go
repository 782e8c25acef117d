package home

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hearthd/tools"
)

// tellsOf reports whether a device tells of what.
func (e *Entity) tellsOf(what []string) bool {
	fits := func(words []string) bool {
		return !slices.ContainsFunc(what, func(w string) bool { return covered([]string{w}, words) == 0 })
	}
	switch {
	case e.Kind == Climate || e.Kind == WaterHeater:
		return fits(classWords["temperature"]) && e.Reports[Current] || fits(classWords["humidity"]) && e.Reports[CurrentHumidity]
	case e.Kind == Sensor || e.Kind == BinarySensor || e.Kind == Number || e.Kind == Select:
		return fits(append(tokens(e.Name), classWords[e.Class]...))
	case e.Kind == Light:
		return fits([]string{"brightness", "color", "colour"})
	case e.Kind == Cover || e.Kind == Valve:
		return fits([]string{"position"})
	case e.Kind == MediaPlayer:
		return fits([]string{"volume"})
	case e.Kind == Fan:
		return fits([]string{"speed"})
	}
	return e.State[Battery] != nil && fits(classWords["battery"])
}

// describe says how a device is, by the name that tells it from others.
func describe(e *Entity, name, what string) string {
	the := article(name)
	subject := tools.Sentence(the) + " " + is(name) + " "
	now, known := e.State[Main]
	battery, hasBattery := e.State[Battery].(float64)
	value := slices.Contains([]Kind{Sensor, Number, Select, Text}, e.Kind)
	switch {
	case e.Offline:
		return subject + "not reachable right now."
	case strings.Contains(what, "batter") && hasBattery:
		return fmt.Sprintf("The battery of %s is at %s percent.", the, rounded(battery))
	case e.Kind == Climate || e.Kind == WaterHeater:
		return subject + climate(e) + "."
	case !known && (value || e.Kind == BinarySensor):
		return tools.Sentence(the) + " has not told its " + map[bool]string{true: "value", false: "state"}[value] + " yet."
	case !known:
		return fmt.Sprintf("I don't know how %s %s.", the, is(name))
	case e.Kind == BinarySensor:
		return subject + condition(e.Class, now == "on") + "."
	case value:
		return subject + reading(e, now) + "."
	}
	return subject + details(e, now, what) + "."
}

// details say how what is on or open is besides.
func details(e *Entity, now any, what string) string {
	text := plainWord(fmt.Sprint(now))
	for k, shown := range map[Key]bool{Brightness: now == "on", Speed: now == "on", Position: now != "closed", Volume: true} {
		if f, has := e.State[k].(float64); has && shown && (k != Position || f > 0 && f < 100) {
			text += " at " + rounded(f) + " percent"
		}
	}
	if c, ok := e.State[Colour].(Color); ok && now == "on" && strings.Contains(what, "colo") {
		text += " and " + colorName(c)
	}
	return text
}

// rounded is number without digits behind the point.
func rounded(f float64) string { return strconv.Itoa(int(f + 0.5)) }

func climate(e *Entity) string {
	var parts []string
	switch m, ok := e.State[Mode].(string); {
	case m == "off":
		parts = append(parts, "off")
	case ok:
		parts = append(parts, "in "+plainWord(m)+" mode")
	}
	if f, ok := e.State[Target].(float64); ok {
		parts = append(parts, "set to "+number(f)+" degrees")
	}
	if f, ok := e.State[Current].(float64); ok {
		parts = append(parts, "at "+number(f)+" degrees now")
	}
	if len(parts) == 0 {
		return "silent about itself"
	}
	return tools.Join(parts)
}
