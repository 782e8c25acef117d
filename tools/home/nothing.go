package home

import (
	"slices"
	"strings"

	"hearthd/tools"
)

// kinds are those that the command is about, by its words or by what it sets.
func (a *arguments) kinds() (kinds []Kind, named bool) {
	words := tokens(a.Name)
	property := a.Property
	if property == "" && a.inDegrees() {
		property = "temperature"
	}
	locks := a.Action == "lock" || a.Action == "unlock"
	opens := locks || a.Action == "open" || a.Action == "close"
	var able []Kind
	for k, use := range uses {
		switch {
		case !use.offered:
		case mentions(words, k.words()) || k == Cover && !locks && slices.ContainsFunc(singulars(words), isCoverWord):
			kinds = append(kinds, k)
		case opens && k.verb(a.Action) != "" || property != "" && k.settings(property) != nil:
			able = append(able, k)
		}
	}
	switch {
	case len(kinds) > 0:
		return kinds, true
	case a.What == playback:
		return []Kind{MediaPlayer}, false
	case a.What != "":
		return []Kind{Sensor, Climate, WaterHeater}, false
	}
	return able, false
}

// nothing says that there is no such device, and what there is instead.
func (t *teller) nothing(h *house, a *arguments) tools.Result {
	name, where := Clean(a.Name), t.where(h.area(a.Area))
	kinds, named := a.kinds()
	q := h.ask(a.Name, a.Area, "")
	key := "home.no_device"
	switch {
	case name == "" && where == "" && len(kinds) == 0, isPronoun(a.Name):
		return tools.Result{Text: t.Say("home.say_which")}
	case name != "" && (!q.onlyPlace || named) && (!q.many || len(q.words) > 0):
	case a.What != "" && a.What != playback:
		key = "home.no_measure"
	default:
		key = "home.no_able"
	}
	text := t.Say(key, args{"name": name, "where": where, "what": Clean(a.What)})
	if hint := t.instead(h, h.ask("", a.Area, ""), kinds, tokens(a.What)); hint != "" {
		text += " " + hint
	}
	if name == "" {
		name = "anything"
	}
	return tools.Result{Text: text, Data: map[string]any{"unknown": strings.TrimSpace(name + " " + where)}, Foreign: true}
}

// instead lists what there is: devices of the kinds in the area, or otherwise anything in the area,
// or otherwise of the kinds; and for a question only devices that report what is asked.
func (t *teller) instead(h *house, q query, kinds []Kind, what []string) string {
	var lists [3][]string
	for i := range h.things {
		d := &h.things[i]
		of := slices.Contains(kinds, d.Kind)
		_, in := q.fit(d)
		in = in && len(q.area) > 0
		tells := len(what) == 0 && d.controllable() || of && (len(what) == 0 || d.tellsOf(what))
		for list, fits := range []bool{of && in, in, of} {
			if fits && tells && d.Category == "" && d.Kind != BinarySensor {
				lists[list] = append(lists[list], t.Part("home.accusative", t.device(d.Entity)))
			}
		}
	}
	for i, names := range lists {
		if len(names) > 0 {
			slices.Sort(names)
			return t.Say("home.instead", args{"there": i < 2, "list": slices.Compact(names)})
		}
	}
	return ""
}

// area is a room or floor as the devices name it.
func (h *house) area(said string) string {
	for _, t := range h.things {
		if strings.EqualFold(t.Area, said) {
			return t.Area
		}
	}
	return said
}
