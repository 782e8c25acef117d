package home

import (
	"fmt"
	"slices"

	"hearthd/tools"
)

// kinds are those that the command speaks of, by its words or by what it wants.
func (a *arguments) kinds() (kinds []Kind, named bool) {
	words := tokens(a.Name)
	property := a.Property
	if property == "" && a.Unit == "degrees" {
		property = "temperature"
	}
	locks := a.Action == "lock" || a.Action == "unlock"
	opens := locks || a.Action == "open" || a.Action == "close"
	var able []Kind
	for k, use := range uses {
		switch {
		case !use.offered:
		case mentions(words, kindWords[k]) || k == Cover && !locks && slices.ContainsFunc(words, func(w string) bool { return coverWord[singular(w)] != "" }):
			kinds = append(kinds, k)
		case opens && k.verb(a.Action) != "" || property != "" && k.settings(property) != nil:
			able = append(able, k)
		}
	}
	switch {
	case len(kinds) > 0:
		return kinds, true
	case a.What != "":
		return []Kind{Sensor, Climate, WaterHeater}, false
	}
	return able, false
}

// nothing says that there is no such device, and what there is instead.
func (h *house) nothing(a *arguments) tools.Result {
	name, where := Clean(a.Name), inArea(a.Area)
	kinds, named := a.kinds()
	q := h.ask(a.Name, a.Area, "")
	text := fmt.Sprintf("I don't know a device called %s%s.", name, where)
	switch {
	case name == "" && where == "" && len(kinds) == 0:
		return tools.Result{Text: "Please say which device you mean."}
	case name != "" && (!q.onlyPlace || named) && (!q.many || len(q.words) > 0):
	case a.What != "":
		text = fmt.Sprintf("I know of nothing%s that tells the %s.", where, Clean(a.What))
	default:
		text = fmt.Sprintf("I know of nothing%s that can do that.", where)
	}
	if hint := h.instead(h.ask("", a.Area, ""), kinds, tokens(a.What)); hint != "" {
		text += " " + hint
	}
	if name == "" {
		name = "anything"
	}
	return tools.Result{Text: text, Data: map[string]any{"unknown": name + where}, Foreign: true}
}

// instead names what there is: of the kinds in the area, or else in the area, or else of the
// kinds, and where something is to be told, only what tells it.
func (h *house) instead(q query, kinds []Kind, what []string) string {
	var lists [3][]string
	for i := range h.things {
		t := &h.things[i]
		of := slices.Contains(kinds, t.Kind)
		_, in := q.fit(t)
		in = in && len(q.area) > 0
		tells := len(what) == 0 && t.controllable() || of && (len(what) == 0 || t.tellsOf(what))
		for list, fits := range []bool{of && in, in, of} {
			if fits && tells && t.Category == "" && t.Kind != BinarySensor {
				lists[list] = append(lists[list], t.the())
			}
		}
	}
	for i, there := range []string{"There I know ", "There I know ", "I do know "} {
		if names := lists[i]; len(names) > 0 {
			slices.Sort(names)
			return there + tools.Join(slices.Compact(names)) + "."
		}
	}
	return ""
}
