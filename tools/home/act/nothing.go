package act

import (
	"slices"
	"strings"

	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// nothing says that there is no such device, and what there is instead.
func (t *teller) nothing(h *meaning.House, a *meaning.Request) tools.Result {
	what, instead, there := h.Lack(a)
	if what == "which" {
		return tools.Result{Text: t.Say("home.say_which")}
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
