package home

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"hearthd/tools"
)

// maxRead is how many devices are described when not all were asked for.
const maxRead = 3

func (h *Home) read(ctx context.Context, a arguments) (tools.Result, error) {
	h.said.Set(&a)
	if a.Which == "" {
		a.Which = quantity(a.Name)
	}
	ho := h.see()
	m := h.mean(ho, &a)
	if locked := map[string]string{"open": "unlocked", "closed": "locked"}[a.Is]; len(m.found) == 0 && locked != "" {
		b := a // a lock that is open is not locked
		b.Is = locked
		if l := h.mean(ho, &b); len(l.found) > 0 {
			a, m = b, l
		}
	}
	if r, ok, err := h.own(ctx, &a, m.found); ok || err != nil {
		return r, err
	}
	t := h.teller(&a)
	if err := h.lost(t); err != nil {
		return tools.Result{}, err
	}
	if a.Which == "most" || a.Which == "least" {
		m.found, m.choice = ho.extreme(m.found, &a), false
	}
	switch {
	case len(m.found) == 0:
		return t.nothing(ho, &a), nil
	case m.choice:
		return h.which(t, m.found, &a, true), nil
	}
	missing, where := "", ""
	for i := range m.missing {
		missing += " " + t.nothing(ho, &m.missing[i]).Text
	}
	if ho.areNear(m.found, m.near) {
		where = t.where(h.opt.Area)
	}
	h.heedAsked(m.found, &a)
	r := t.tell(m.found, &a, where)
	r.Text, r.Foreign = r.Text+missing, r.Foreign || missing != ""
	return r, nil
}

// heedAsked keeps what "it" means after a question: the devices that are as was asked, or else the one that was told of.
func (h *Home) heedAsked(found []Entity, a *arguments) {
	var told, so []string
	for i := range found {
		if e := &found[i]; e.controllable() {
			told = append(told, e.ID)
			if yes, ok := answers(e, a.Is); yes && ok {
				so = append(so, e.ID)
			}
		}
	}
	switch {
	case len(so) > 0:
		h.recent.Set(so)
	case len(told) == 1:
		h.recent.Set(told)
	}
}

// extreme is the device that shows most, or least, of what is asked: of rooms, where any device is for those.
func (h *house) extreme(found []Entity, a *arguments) (best []Entity) {
	k := map[bool]Key{true: CurrentHumidity, false: Current}[has(tokens(a.What), classWords["humidity"])]
	value := func(e *Entity) (v float64, ok bool) {
		if v, ok = e.State[k].(float64); !ok {
			v, ok = e.State[Main].(float64)
		}
		return v, ok && !e.Offline
	}
	ofRoom := func(e Entity) bool {
		return h.has(func(t *thing) bool {
			other := func(w string) bool { return t.roles[w]&(ofPlace|ofItsKind) == 0 }
			return t.ID == e.ID && (e.Kind == Climate || !slices.ContainsFunc(singulars(tokens(e.full())), other))
		})
	}
	if rooms := slices.DeleteFunc(slices.Clone(found), func(e Entity) bool { return !ofRoom(e) }); len(rooms) > 0 {
		found = rooms
	}
	most := math.Inf(-1)
	for _, e := range found {
		v, ok := value(&e)
		if a.Which == "least" {
			v = -v
		}
		if ok && v > most {
			best, most = []Entity{e}, v
		}
	}
	return best
}

// isRead reports whether anybody asks about the state of a device.
func (e *Entity) isRead() bool { return e.Kind != Scene && e.Kind != Script && e.Kind != Button }

// isAsked returns a function that reports which devices a question may mean.
func (a *arguments) isAsked(q *query) func(*Entity) bool {
	what, named := tokens(a.What), len(q.words) > 0
	return func(e *Entity) bool {
		_, answered := answers(e, a.Is)
		general := e.Category != "" || e.Kind == BinarySensor && isPower(a.Is)
		switch {
		case !e.isRead():
			return false
		case a.Is != "":
			return answered && (named || !general)
		}
		return len(what) == 0 || e.tellsOf(what) && (e.Kind != WaterHeater || named) // a room is not as warm as its boiler
	}
}

// readIn are the devices that a question means; choice says that the person has to choose.
func (a *arguments) readIn(h *house, q *query) (found []Entity, choice bool) {
	if a.Is != "" && q.many && len(q.area)+len(q.words) == 0 {
		q.every, q.near = true, nil
	}
	asked := a.isAsked(q)
	found, all := h.find(*q, false, asked)
	if n := len(q.words) - 1; len(found) == 0 && a.What != "" && n > 0 && has(q.words[n], slices.Collect(maps.Keys(kindWord))) {
		q.words = q.words[:n] // the battery of the door lock may be called that of the door
		found, all = h.find(*q, false, asked)
	}
	if len(found) == 0 && a.What != "" && q.nothing() { // "what is the temperature": of anything
		q.many, all = true, true
		found, _ = h.find(*q, false, func(e *Entity) bool { return e.Category == "" && asked(e) })
	}
	found = a.worthTelling(found)
	return found, len(found) > maxRead && !all && a.Is == ""
}

// worthTelling leaves out players that are silent where another one plays, and settings of what is measured, unless the
// device has nothing else.
func (a *arguments) worthTelling(found []Entity) []Entity {
	sounds := func(e Entity) bool { return e.State[Main] == "playing" }
	if a.What == playback && slices.ContainsFunc(found, sounds) {
		found = slices.DeleteFunc(found, func(e Entity) bool { return !sounds(e) })
	}
	set := func(e Entity) bool { return e.Category != "" || e.Kind == Number || e.Kind == Select }
	if a.Is == "" && a.What == "" && slices.ContainsFunc(found, func(e Entity) bool { return !set(e) }) {
		found = slices.DeleteFunc(found, set)
	}
	return found
}

// areNear reports whether all are in a room.
func (h *house) areNear(found []Entity, room []string) bool {
	return len(room) > 0 && !h.has(func(t *thing) bool { return !t.isNear(room) && contains(found, t.ID) })
}

// maxDescribed is how many devices are described one by one.
const maxDescribed = 8

// tell answers a question about devices; where is the place of all of them, if it was not said.
func (t *teller) tell(found []Entity, a *arguments, where string) tools.Result {
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
