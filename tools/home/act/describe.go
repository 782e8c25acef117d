package act

import (
	"fmt"
	"slices"
	"strings"

	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// describe describes the state of a device, by the name that distinguishes it from others.
func (t *teller) describe(e *home.Entity, name args, what string) string {
	now, known := e.State[home.Main]
	battery, hasBattery := e.State[home.Battery].(float64)
	value := slices.Contains([]home.Kind{home.Sensor, home.Number, home.Select, home.Text}, e.Kind)
	with := args{"device": name, "how": "", "value": home.Rounded(battery)}
	key := "home.done"
	switch {
	case e.Offline:
		with["how"] = t.Part("home.became", args{"state": "unreachable"})
	case strings.Contains(what, "batter") && hasBattery:
		key = "home.battery"
	case e.Kind.Sets(home.Target):
		with["how"] = t.climate(e)
	case !known && value:
		key = "home.no_value"
	case !known && e.Kind == home.BinarySensor:
		key = "home.no_state"
	case !known:
		key = "home.unknown"
	case e.Kind == home.BinarySensor:
		with["how"] = t.state(home.Condition(e.Class, now == "on"))
	case value:
		key, with["how"] = "home.shows", t.reading(now, e.Unit)
	default:
		with["how"] = t.details(e, now, what)
	}
	return t.Say(key, with)
}

// details describe what is on or open further.
func (t *teller) details(e *home.Entity, now any, what string) string {
	with := args{"state": t.state(fmt.Sprint(now)), "value": "", "colour": "", "title": "", "artist": ""}
	on := now == "on"
	for k, shown := range map[home.Key]bool{
		home.Brightness: on, home.Speed: on, home.Position: now != "closed", home.Volume: true,
	} {
		if f, has := e.State[k].(float64); has && shown && (k != home.Position || f > 0 && f < 100) {
			with["value"] = home.Rounded(f)
		}
	}
	if c, ok := e.State[home.Colour].(home.Color); ok && now == "on" && strings.Contains(what, "colo") {
		with["colour"] = home.ColorName(c)
	}
	for k, arg := range map[home.Key]string{home.Title: "title", home.Artist: "artist"} {
		if text, _ := e.State[k].(string); text != "" && now == "playing" {
			with[arg] = home.Clean(text)
			t.own = append(t.own, home.Clean(text))
		}
	}
	return t.Part("home.details", with)
}

func (t *teller) climate(e *home.Entity) string {
	var parts []string
	switch m, ok := e.State[home.Mode].(string); {
	case m == "off":
		parts = append(parts, t.state(m))
	case ok:
		parts = append(parts, t.Part("home.mode", args{"mode": t.state(m)}))
	}
	if f, ok := e.State[home.Target].(float64); ok {
		parts = append(parts, t.Part("home.set", args{"value": t.reading(f, "°C")}))
	}
	if f, ok := e.State[home.Current].(float64); ok {
		parts = append(parts, t.Part("home.measured", args{"value": t.reading(f, "°C")}))
	}
	if len(parts) == 0 {
		return t.Part("home.became", args{"state": "mute"})
	}
	return t.List(parts)
}

// nothing says that there is no such device, and what there is instead.
func (t *teller) nothing(h *meaning.House, a *meaning.Request) tools.Result {
	what, instead, there := h.Lack(a)
	if what == "which" || what == "place" {
		return tools.Result{Text: t.Say("home.say_" + what)}
	}
	name, where := home.Clean(a.Name), t.where(h.Area(a.Area))
	text := t.Say("home.no_"+what, args{"name": name, "where": where, "what": home.Clean(a.What)})
	var names []string
	for i := range instead {
		names = append(names, t.Part("home.accusative", t.device(&instead[i])))
	}
	if slices.Sort(names); names != nil {
		text += " " + t.Say("home.instead", args{"there": there, "list": slices.Compact(names)})
	}
	if name == "" {
		name = "anything"
	}
	return tools.Result{Text: text, Data: map[string]any{"unknown": strings.TrimSpace(name + " " + where)}, Foreign: true}
}
