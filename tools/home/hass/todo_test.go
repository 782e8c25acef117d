package hass

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// refuses is an error that the real one answers with.
func refuses(code, text string) error { return &refusal{code, text} }

// action is a call of one, as the real one validates it.
type action struct {
	ID       int
	Type     string
	Domain   string
	Service  string
	Data     json.RawMessage `json:"service_data"`
	Target   map[string]any
	Response bool `json:"return_response"`
}

// data decodes the data of an action, of which unknown keys are refused.
func (c *action) data(into any) error {
	dec := json.NewDecoder(bytes.NewReader(c.Data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return refuses("invalid_format", "extra keys not allowed @ "+err.Error())
	}
	return nil
}

// responds checks that a response is asked for where there is one, and only there.
func (c *action) responds(does bool) error {
	switch {
	case does && !c.Response:
		return refuses("service_validation_error", "The action requires responses and must be called with return_response=True")
	case !does && c.Response:
		return refuses("service_validation_error", "An action which does not return responses can't be called with return_response=True")
	}
	return nil
}

// chore is an item of a to-do list.
type chore struct {
	UID     string `json:"uid"`
	Summary string `json:"summary"`
	Status  string `json:"status"`
}

// todos are the to-do lists, as of Home Assistant 2026.2.
type todos struct {
	lists map[string][]chore // by entity
	away  string             // one that is unavailable
	fixed string             // one of which nothing can be deleted
	full  int                // items of a list, behind which it fails; 0: none
	n     int
}

// act does an action of the domain todo.
func (l *todos) act(c *action) (response any, err error) {
	if err := c.responds(c.Service == "get_items"); err != nil {
		return nil, err
	}
	id := fmt.Sprint(c.Target["entity_id"])
	if _, there := l.lists[id]; !there || id == l.away {
		if c.Response {
			return nil, refuses("home_assistant_error", "Service call requested response data but did not match any entities")
		}
		return nil, nil // it does nothing, and says so to nobody
	}
	switch c.Service {
	case "get_items":
		return l.get(id, c)
	case "add_item":
		return nil, l.add(id, c)
	case "update_item":
		var in struct{ Item, Status string }
		if err := c.data(&in); err != nil {
			return nil, err
		}
		return nil, l.change(id, []string{in.Item}, func(i int) { l.lists[id][i].Status = in.Status })
	case "remove_item":
		return nil, l.remove(id, c)
	}
	return nil, refuses("not_found", "Service todo."+c.Service+" not found.")
}

func (l *todos) get(id string, c *action) (any, error) {
	var in struct{ Status []string }
	if err := c.data(&in); err != nil {
		return nil, err
	}
	some := []chore{}
	for _, i := range l.lists[id] {
		if len(in.Status) == 0 || slices.Contains(in.Status, i.Status) {
			some = append(some, i)
		}
	}
	return map[string]any{id: map[string]any{"items": some}}, nil
}

func (l *todos) add(id string, c *action) error {
	var in struct{ Item string }
	if err := c.data(&in); err != nil {
		return err
	}
	if in.Item = strings.TrimSpace(in.Item); in.Item == "" {
		return refuses("invalid_format", "length of value must be at least 1 for dictionary value @ data['item']")
	}
	if l.full > 0 && len(l.lists[id]) >= l.full {
		return refuses("home_assistant_error", "it is full")
	}
	l.n++
	l.lists[id] = append(l.lists[id], chore{fmt.Sprintf("u%d", l.n), in.Item, "needs_action"})
	return nil
}

func (l *todos) remove(id string, c *action) error {
	var in struct{ Item json.RawMessage }
	if err := c.data(&in); err != nil {
		return err
	}
	if id == l.fixed {
		return refuses("service_validation_error", "Entity "+id+" does not support action todo.remove_item")
	}
	var list []string
	if one := ""; json.Unmarshal(in.Item, &one) == nil {
		list = []string{one}
	} else if err := json.Unmarshal(in.Item, &list); err != nil {
		return refuses("invalid_format", "value should be a string @ data['item']")
	}
	if err := l.change(id, list, func(i int) { l.lists[id][i].Status = "gone" }); err != nil {
		return err
	}
	l.lists[id] = slices.DeleteFunc(l.lists[id], func(i chore) bool { return i.Status == "gone" })
	return nil
}

// change does something with items that are named by their IDs or, the first of those, by their words.
func (l *todos) change(id string, names []string, do func(int)) error {
	for _, name := range names {
		i := slices.IndexFunc(l.lists[id], func(i chore) bool { return i.UID == name || i.Summary == name })
		if i < 0 {
			return refuses("service_validation_error", "Unable to find to-do list item: "+name)
		}
		do(i)
	}
	return nil
}

// acts answers an action of a domain that is no device's; nil: there is none of that domain.
func (a *assistant) acts(data []byte) (result []byte, err error, known bool) {
	var c action
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, refuses("invalid_format", err.Error()), true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	var response any
	switch {
	case c.Domain == "todo" && a.todos != nil:
		response, err = a.todos.act(&c)
	default:
		return nil, nil, false
	}
	out := map[string]any{"context": map[string]any{"id": "01JX", "parent_id": nil, "user_id": "u"}}
	if c.Response {
		out["response"] = response
	}
	result, jerr := json.Marshal(out)
	return result, errors.Join(err, jerr), true
}
