package act

import (
	"context"
	"slices"
	"strings"

	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
	"hearthd/tools/phrase"
)

func (h *Home) read(ctx context.Context, a meaning.Request) (tools.Result, error) {
	h.said.Set(&a)
	ho := h.see()
	m := ho.Read(&a)
	if len(m.Devices) == 0 && a.What == home.Playback && a.Name != "" { // "what is on the thermostat"
		a.What = ""
		m = ho.Read(&a)
	}
	if r, ok, err := h.own(ctx, &a, m.Devices); ok || err != nil {
		return r, err
	}
	t := h.teller(&a)
	if err := h.lost(t); err != nil {
		return tools.Result{}, err
	}
	switch {
	case len(m.Devices) == 0:
		return t.nothing(ho, &a), nil
	case m.Choice:
		return h.which(t, m.Devices, &a, true), nil
	}
	missing, where := "", ""
	for i := range m.Missing {
		missing += " " + t.nothing(ho, &m.Missing[i]).Text
	}
	if m.Here {
		where = t.where(h.opt.Area)
	}
	h.heedAsked(m.Devices, &a)
	r := t.tell(m.Devices, &a, where)
	r.Text, r.Foreign = r.Text+missing, r.Foreign || missing != ""
	return r, nil
}

// heedAsked keeps what "it" means after a question: the devices that are as was asked, or else the one that was told
// of.
func (h *Home) heedAsked(found []home.Entity, a *meaning.Request) {
	isSo := func(e home.Entity) bool { yes, ok := home.Answers(&e, a.Is); return yes && ok }
	h.place.Set(home.AreaOf(home.Prefer(slices.Clone(found), isSo))) // of three windows, where the open one is
	var told, so []string
	for i := range found {
		if e := &found[i]; e.Controllable() {
			told = append(told, e.ID)
			if isSo(*e) {
				so = append(so, e.ID)
			}
		}
	}
	switch {
	case len(so) > 0:
		h.heed(so)
	case len(told) == 1:
		h.heed(told)
	case len(told) == 0 && len(found) == 1: // a window is no "it" to switch, but the place where more is asked
		h.heed([]string{found[0].ID})
	}
}

// maxDescribed is how many devices are described one by one.
const maxDescribed = 8

// tell answers a question about devices; where is the place of all of them, if it was not said.
func (t *teller) tell(found []home.Entity, a *meaning.Request, where string) tools.Result {
	data := found[:min(len(found), maxLines)]
	if a.Is != "" {
		return t.result(t.verdict(found, a, where), data)
	}
	var parts []string
	names := t.devices(found)
	for i := range found[:min(len(found), maxDescribed)] {
		parts = append(parts, t.describe(&found[i], names[i], a.What))
	}
	if n := len(found) - maxDescribed; n > 0 {
		parts = append(parts, t.Say("home.and_more", args{"n": n}))
	}
	return t.result(strings.Join(parts, " "), data)
}

// Outside tells what the thermometers of the house measure outside; ok is false where none does.
func Outside(devices home.Devices, book *phrase.Book) (r tools.Result, ok bool) {
	var found []home.Entity
	for _, e := range devices.Entities() {
		_, told := e.State[home.Main].(float64)
		if e.Kind == home.Sensor && e.Class == "temperature" && told && !e.Offline &&
			home.Mentions(home.Tokens(e.Full()+" "+e.Area), home.Words("words", "outside")) {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		return tools.Result{}, false
	}
	t := &teller{Book: book, said: map[string]bool{}}
	return t.tell(found, &meaning.Request{What: "temperature"}, ""), true
}
