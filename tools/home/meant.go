package home

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hearthd/tools"
)

// pronouns stand for what was spoken of before.
var pronouns = map[string]bool{"it": true, "them": true, "that": true, "those": true, "this": true, "these": true, "they": true}

// nothing reports whether a person named nothing.
func (q query) nothing() bool { return len(q.words) == 0 && len(q.area) == 0 && !q.all }

// turns reports whether the command only switches.
func (a *arguments) turns() bool { return a.Action == "on" || a.Action == "off" }

// meant are the devices of a command that names none: those of the last one, or
// the lights that are on.
func (h *Home) meant(all []Entity, a *arguments) []Entity {
	h.mu.Lock()
	recent := h.recent
	if time.Since(h.done) > recentWithin {
		recent = nil
	}
	h.mu.Unlock()
	var last, lit []Entity
	for i := range all {
		e := &all[i]
		switch {
		case !a.suits(e):
		case slices.Contains(recent, e.ID):
			last = append(last, *e)
		case e.Kind == Light && e.State[Main] == "on":
			lit = append(lit, *e)
		}
	}
	if len(last) > 0 || a.turns() {
		return last
	}
	return a.query().nearest(lit)
}

// remember keeps what "it" may mean next.
func (h *Home) remember(jobs []*job) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.recent, h.done = nil, time.Now()
	for _, j := range jobs {
		if j.outcome != refused {
			h.recent = append(h.recent, j.ID)
		}
	}
}

// preferred narrows what a command to a whole room means: its lights where they
// are to be on, and what is on where it is to be brighter or darker. What makes light of
// a room is never anything else: no fan runs because it is dark.
func (a *arguments) preferred(all []Entity, q query) func(*Entity) bool {
	light := func(e *Entity) bool { return e.Kind == Light && a.suits(e) }
	better := func(e *Entity) bool {
		return light(e) && (a.BrightnessStep == nil || e.State[Main] == "on")
	}
	switch {
	case (a.Action == "on" || a.lights()) && len(find(all, q, better)) > 0:
		return better
	case a.lights() && (len(q.words) == 0 || q.onlyArea(all)):
		return light
	}
	return a.suits
}

// lights reports whether the command is about light, however much or which.
func (a *arguments) lights() bool {
	return a.BrightnessStep != nil || a.Brightness != nil || a.Color != "" || a.Kelvin != nil
}

// nothing says that there is no such device, and what there is instead.
func (h *Home) nothing(a *arguments) tools.Result {
	name := Clean(a.Name + " " + a.Kind)
	where := inArea(a.Area)
	all := h.entities()
	kinds := a.kinds()
	switch {
	case name == "" && where == "" && len(kinds) == 0:
		return tools.Result{Text: "Please say which device you mean."}
	case name == "" && len(kinds) > 0:
		name = strings.ReplaceAll(string(kinds[0]), "_", " ")
	case name == "":
		name = "anything"
	}
	text := fmt.Sprintf("I don't know a device called %s%s.", name, where)
	if q := newQuery(a.Name, a.Area); a.Name == "" || q.onlyArea(all) || q.all && len(q.words) == 0 {
		text = fmt.Sprintf("I know of nothing%s that can do that.", where)
		if a.What != "" {
			text = fmt.Sprintf("I know of nothing%s that tells the %s.", where, Clean(a.What))
		}
	}
	if a.What != "" { // there may be what tells it elsewhere
		what := tokens(a.What)
		all = slices.DeleteFunc(all, func(e Entity) bool { return e.Category != "" || !measures(&e, what) })
		kinds = []Kind{Sensor, Climate, WaterHeater}
	}
	if hint := instead(all, newQuery("", a.Area), kinds); hint != "" {
		text += " " + hint
	}
	return tools.Result{Text: text, Data: map[string]any{"unknown": strings.TrimSpace(name + where)}, Foreign: true}
}

// kinds are those that the command speaks of, by its words or by what it wants.
func (a *arguments) kinds() []Kind {
	var out []Kind
	words := tokens(a.Name + " " + a.Kind)
	for _, k := range []Kind{Light, Switch, Cover, Fan, Lock, Climate, WaterHeater, Humidifier, Valve, Vacuum, LawnMower, Scene, Siren, MediaPlayer} {
		if mentions(words, kindWords[k]) {
			out = append(out, k)
		}
	}
	if len(out) > 0 {
		return out
	}
	switch {
	case a.Action == "lock" || a.Action == "unlock":
		return []Kind{Lock}
	case a.Action == "open" || a.Action == "close" || a.Position != nil:
		return []Kind{Cover, Valve}
	case a.Temperature != nil || a.TempStep != nil:
		return []Kind{Climate, WaterHeater}
	case a.Brightness != nil || a.BrightnessStep != nil || a.Color != "" || a.Kelvin != nil:
		return []Kind{Light}
	case a.What != "":
		return []Kind{Sensor}
	}
	return nil
}

// instead names what there is: of the kinds, in the area, or both.
func instead(all []Entity, q query, kinds []Kind) string {
	var of, in, both []string
	for i := range all {
		e := &all[i]
		if e.Category != "" || e.Kind == BinarySensor || !e.controllable() && !slices.Contains(kinds, e.Kind) {
			continue
		}
		isOf := slices.Contains(kinds, e.Kind)
		isIn := len(q.area) > 0 && q.score(e) > 0
		if isOf {
			of = append(of, e.the())
		}
		if isIn {
			in = append(in, e.the())
		}
		if isOf && isIn {
			both = append(both, e.the())
		}
	}
	for _, list := range []struct {
		names []string
		there string
	}{{both, "There I know"}, {in, "There I know"}, {of, "I do know"}} {
		if len(list.names) > 0 {
			slices.Sort(list.names)
			return list.there + " " + tools.Join(slices.Compact(list.names)) + "."
		}
	}
	return ""
}
