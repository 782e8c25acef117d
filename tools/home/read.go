package home

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hearthd/tools"
)

// maxRead is how many devices are told of when not all were asked for.
const maxRead = 3

func (h *Home) read(_ context.Context, a arguments) (tools.Result, error) {
	all := h.entities()
	if a.Which == "" {
		a.Which = quantity(a.Name)
	}
	var found []Entity
	var choice bool
	var missing []arguments
	placed := a
	h.inPlace(a, func(a *arguments) bool {
		placed = *a
		found, choice = asked(all, a)
		missing = nil
		if parts := a.several(all); len(found) == 0 && parts != nil {
			found, missing = askedEach(all, parts)
		}
		return len(found) > 0
	})
	switch {
	case len(found) == 0:
		return h.nothing(&a), nil
	case choice:
		return h.which(found, &a, true), nil
	}
	r := tell(found, &placed)
	for i := range missing {
		r.Text += " " + h.nothing(&missing[i]).Text
	}
	return r, nil
}

// askedEach are the devices of all parts of a question, and the parts that there are none of.
func askedEach(all []Entity, parts []arguments) (found []Entity, missing []arguments) {
	for i := range parts {
		more, _ := asked(all, &parts[i])
		if len(more) == 0 {
			missing = append(missing, parts[i])
		}
		for _, e := range more {
			if !slices.ContainsFunc(found, func(f Entity) bool { return f.ID == e.ID }) {
				found = append(found, e)
			}
		}
	}
	return found, missing
}

// asked are the devices that a question means; choice says that it is not known which.
func asked(all []Entity, a *arguments) (found []Entity, choice bool) {
	q := a.query()
	if a.Is != "" && q.all && len(q.area) == 0 && len(q.words) == 0 {
		q.every = true
	}
	what := tokens(a.What)
	suits := func(e *Entity) bool {
		switch {
		case e.Kind == Scene || e.Kind == Script || e.Kind == Button:
			return false
		case a.Is != "":
			_, ok := answers(e, a.Is)
			return ok && (len(q.words) > 0 || e.Category == "" && (e.Kind != BinarySensor || a.Is != "on" && a.Is != "off"))
		case len(what) > 0:
			return measures(e, what) && (e.Kind != WaterHeater || len(q.words) > 0) // a room is not as warm as its boiler
		}
		return true
	}
	found = find(all, q, suits)
	if len(found) == 0 && len(what) > 0 && q.nothing() { // "what is the temperature": of anything
		q.all = true
		found = find(all, q, func(e *Entity) bool { return e.Category == "" && suits(e) })
	}
	found = preferred(found, a)
	return found, len(found) > maxRead && !q.all && a.Is == ""
}

// preferred leaves out what says the same as another: the sensor on the door of
// a garage that also tells of itself, and the settings of what is measured.
func preferred(found []Entity, a *arguments) []Entity {
	if a.Is != "" || a.What != "" || len(found) < 2 {
		return found
	}
	main := slices.Clone(found)
	main = slices.DeleteFunc(main, func(e Entity) bool { return e.Category != "" || e.Kind == Number || e.Kind == Select })
	if len(main) == 0 {
		return found
	}
	return main
}

// measures reports whether a device tells of what.
func measures(e *Entity, what []string) bool {
	words := append(slices.Clone(classWords[e.Class]), tokens(e.Name)...)
	fits := func(words []string) bool {
		for _, w := range what {
			if newMemo().among(what, w, words) == 0 {
				return false
			}
		}
		return true
	}
	switch {
	case e.Kind == Climate || e.Kind == WaterHeater:
		return fits(classWords["temperature"]) && e.Reports[Current] || fits(classWords["humidity"]) && e.Reports[CurrentHumidity]
	case e.Kind == Sensor || e.Kind == BinarySensor || e.Kind == Number || e.Kind == Select:
		return fits(words)
	case e.Kind == Light:
		return fits([]string{"brightness", "color", "colour"})
	case e.Kind == Cover || e.Kind == Valve:
		return fits([]string{"position"})
	}
	return e.State[Battery] != nil && fits(classWords["battery"])
}

// openClass are the classes of binary sensors that say open and closed.
var openClass = map[string]bool{"door": true, "window": true, "garage_door": true, "opening": true}

// answers reports whether a device is so; ok is false where that is no question.
func answers(e *Entity, is string) (yes, ok bool) {
	now, _ := e.State[Main].(string)
	switch is {
	case "on", "off":
		switch e.Kind {
		case Light, Switch, Fan, Humidifier, Siren, MediaPlayer, Vacuum, LawnMower:
		case Climate, WaterHeater:
			if m, ok := e.State[Mode].(string); ok {
				now = map[bool]string{true: "off", false: "on"}[m == "off"]
			}
		case BinarySensor:
			if openClass[e.Class] || e.Class == "lock" {
				return false, false
			}
		default:
			return false, false
		}
		if now == "cleaning" || now == "mowing" || now == "playing" {
			now = "on"
		}
		return now == is || is == "off" && now != "on" && now != "", true
	case "open", "closed":
		switch {
		case e.Kind == Cover || e.Kind == Valve:
			shut := now == "closed"
			return now != "" && shut == (is == "closed"), true
		case e.Kind == BinarySensor && openClass[e.Class]:
			return now == map[string]string{"open": "on", "closed": "off"}[is], true
		}
	case "locked", "unlocked":
		switch {
		case e.Kind == Lock:
			return now == is, true
		case e.Kind == BinarySensor && e.Class == "lock": // on is unlocked
			return now == map[string]string{"unlocked": "on", "locked": "off"}[is], true
		}
	}
	return false, false
}

// tell answers a question about devices.
func tell(found []Entity, a *arguments) tools.Result {
	r := tools.Result{Data: found[:min(len(found), maxTogether)], Foreign: true}
	if a.Is == "" {
		var parts []string
		for i := range found[:min(len(found), 8)] {
			parts = append(parts, describe(&found[i], a.What))
		}
		if n := len(found) - 8; n > 0 {
			parts = append(parts, fmt.Sprintf("And %s more.", tools.Words(n)))
		}
		r.Text = strings.Join(parts, " ")
		return r
	}
	r.Text = verdict(found, a)
	return r
}

// describe says how a device is.
func describe(e *Entity, what string) string {
	name, the := e.called(), e.the()
	subject := tools.Sentence(the) + " " + is(name)
	if e.Offline {
		return subject + " not reachable right now."
	}
	now, known := e.State[Main]
	number := func(k Key) (float64, bool) { f, ok := e.State[k].(float64); return f, ok }
	if strings.Contains(what, "batter") {
		if f, ok := number(Battery); ok {
			return fmt.Sprintf("The battery of %s is at %s percent.", the, rounded(f))
		}
	}
	switch e.Kind {
	case Sensor, Number, Select, Text:
		if !known {
			return tools.Sentence(the) + " has not told its value yet."
		}
		return subject + " " + reading(e, now) + "."
	case BinarySensor:
		if !known {
			return tools.Sentence(the) + " has not told its state yet."
		}
		return subject + " " + condition(e.Class, now == "on") + "."
	case Climate, WaterHeater:
		return subject + " " + climate(e) + "."
	}
	if !known {
		return fmt.Sprintf("I don't know how %s %s.", the, is(name))
	}
	text := fmt.Sprintf("%s %s", subject, plainWord(fmt.Sprint(now)))
	if now == "on" {
		if f, ok := number(Brightness); ok && e.Kind == Light {
			text += " at " + rounded(f) + " percent"
		}
		if c, ok := e.State[Colour].(Color); ok && strings.Contains(what, "colo") {
			text += " and " + colorName(c)
		}
		if f, ok := number(Speed); ok {
			text += " at " + rounded(f) + " percent"
		}
	}
	if f, ok := number(Position); ok && f > 0 && f < 100 {
		text += " at " + rounded(f) + " percent"
	}
	return text + "."
}

// rounded is number without digits behind the point.
func rounded(f float64) string { return strconv.Itoa(int(f + 0.5)) }

func climate(e *Entity) string {
	var parts []string
	if m, ok := e.State[Mode].(string); ok {
		if m == "off" {
			parts = append(parts, "off")
		} else {
			parts = append(parts, "in "+plainWord(m)+" mode")
		}
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
