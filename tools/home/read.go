package home

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hearthd/tools"
)

// maxRead is how many devices are told of when not all were asked for.
const maxRead = 3

func (h *Home) read(_ context.Context, a arguments) (tools.Result, error) {
	if a.Which == "" {
		a.Which = quantity(a.Name)
	}
	ho := h.see()
	areas, room := h.scopes(&a, ho)
	var found []Entity
	var choice bool
	var missing []arguments
	in := query{}
	for _, area := range areas {
		in = a.asked(ho, area, room)
		if found, choice = a.readIn(ho, area, room); len(found) > 0 {
			break
		}
		if found, missing = a.readEach(ho, area, room); len(found) > 0 {
			break
		}
	}
	if a.Except != "" {
		found = ho.without(found, a.Except, (*Entity).isRead)
	}
	switch {
	case len(found) == 0:
		return h.see().nothing(&a), nil
	case choice:
		return h.which(found, &a, true), nil
	}
	r := tell(found, &a, ho.areNear(found, in.near), room)
	for i := range missing {
		r.Text += " " + h.see().nothing(&missing[i]).Text
	}
	return r, nil
}

// isRead reports whether anybody asks how a device is.
func (e *Entity) isRead() bool { return e.Kind != Scene && e.Kind != Script && e.Kind != Button }

// readEach are the devices of all parts of a question, and the parts that there are none of.
func (a *arguments) readEach(h *house, area, room string) (found []Entity, missing []arguments) {
	for _, part := range a.several(h, area) {
		more, _ := part.readIn(h, part.Area, room)
		if len(more) == 0 {
			missing = append(missing, part)
		}
		found = union(found, more)
	}
	return found, missing
}

// readIn are the devices that a question means; choice says that it is not known which.
func (a *arguments) readIn(h *house, area, room string) (found []Entity, choice bool) {
	q := a.asked(h, area, room)
	if a.Is != "" && q.many && len(q.area) == 0 && len(q.words) == 0 {
		q.every, q.near = true, nil
	}
	what := tokens(a.What)
	suits := func(e *Entity) bool {
		switch {
		case !e.isRead():
			return false
		case a.Is != "":
			_, ok := answers(e, a.Is)
			general := e.Kind == BinarySensor && (a.Is == "on" || a.Is == "off")
			return ok && (len(q.words) > 0 || e.Category == "" && !general)
		case len(what) > 0:
			return measures(e, what) && (e.Kind != WaterHeater || len(q.words) > 0) // a room is not as warm as its boiler
		}
		return true
	}
	found, all := h.find(q, false, suits)
	if len(found) == 0 && len(what) > 0 && q.nothing() { // "what is the temperature": of anything
		q.many, all = true, true
		found, _ = h.find(q, false, func(e *Entity) bool { return e.Category == "" && suits(e) })
	}
	if a.Is == "" && a.What == "" && len(found) > 1 { // the settings of what is measured are not asked for
		main := slices.DeleteFunc(slices.Clone(found), func(e Entity) bool { return e.Category != "" || e.Kind == Number || e.Kind == Select })
		if len(main) > 0 {
			found = main
		}
	}
	return found, len(found) > maxRead && !all && a.Is == ""
}

// areNear reports whether all are in a room.
func (h *house) areNear(found []Entity, room []string) bool {
	return len(room) > 0 && !slices.ContainsFunc(h.things, func(t thing) bool {
		return !t.isNear(room) && slices.ContainsFunc(found, func(e Entity) bool { return e.ID == t.ID })
	})
}

// tell answers a question about devices; near says that all are in the room of the box.
func tell(found []Entity, a *arguments, near bool, room string) tools.Result {
	r := tools.Result{Data: found[:min(len(found), maxTogether)], Foreign: true}
	if a.Is != "" {
		where := ""
		if near {
			where = inArea(room)
		}
		r.Text = verdict(found, a, where)
		return r
	}
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
