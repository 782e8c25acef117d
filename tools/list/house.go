package list

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hearthd/config/letters"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// assistant is a Home Assistant, whose errors have sentences for people.
type assistant interface {
	// Called gives the names of the entities of a domain, by their IDs.
	Called(domain string) (map[string][]string, error)
	// Shown gives the state of one.
	Shown(id string) (state string, attributes map[string]any)
	// Do calls an action of an entity, and decodes what it responds with, unless into is nil.
	Do(ctx context.Context, action, id string, data map[string]any, into any) error
}

// House has the lists of a Home Assistant, todo.*, under the names that they have there. What is completed there is on
// no list here.
type House struct {
	lists
	there assistant
}

// NewHouse makes it, with what is said; nil: in English.
func NewHouse(there assistant, book *phrase.Book) *House {
	if book == nil {
		book = phrase.English()
	}
	return &House{lists{Book: book}, there}
}

var errNowhere = errors.New("there is no such list")

// maxName bounds the name of an item, in bytes.
const maxName = 200

// item is one of a list there.
type item struct {
	ID   string `json:"uid"` // empty: its name serves
	Name string `json:"summary"`
}

func (i item) ref() string { return cmp.Or(i.ID, i.Name) }

// called gives the lists by the names that they have here: "To-do list" there is to do.
func (h *House) called() (map[string]string, error) {
	all, err := h.there.Called("todo")
	if err != nil {
		return nil, err
	}
	ids := map[string]string{}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		for _, name := range all[id] {
			name = h.listName(strings.ReplaceAll(name, "-", " "), "")
			if _, taken := ids[name]; !taken {
				ids[name] = id
			}
		}
	}
	return ids, nil
}

// open gives the items of a list, and its ID.
func (h *House) open(ctx context.Context, list string) (id string, items []item, err error) {
	ids, err := h.called()
	if err != nil {
		return "", nil, err
	}
	id, ok := ids[list]
	if !ok {
		say := h.Say("list.nowhere", phrase.Args{"list": list})
		return "", nil, &tools.Failure{Say: say, Cause: fmt.Errorf("open list %q: %w", list, errNowhere)}
	}
	// What is sent to one that is away is taken, and lost.
	if h.away(id) {
		return "", nil, h.unreachable(fmt.Errorf("open list %q: it is unavailable", list))
	}
	items, err = h.items(ctx, id)
	return id, items, err
}

func (h *House) away(id string) bool {
	state, _ := h.there.Shown(id)
	return state == "unavailable"
}

func (h *House) items(ctx context.Context, id string) ([]item, error) {
	var list struct{ Items []item }
	err := h.there.Do(ctx, "todo.get_items", id, map[string]any{"status": []string{"needs_action"}}, &list)
	if err != nil {
		return nil, err
	}
	items := list.Items[:min(len(list.Items), 5*maxOnList)]
	return slices.DeleteFunc(items, func(i item) bool { return i.Name == "" }), nil
}

// names are what the items are called, in the order of the list.
func names(items []item) []string {
	list := []string{}
	for _, i := range items {
		list = append(list, letters.Plain(i.Name, maxName))
	}
	return list
}

// Items gives what is to be bought or done.
func (h *House) Items(ctx context.Context, list string) ([]string, error) {
	_, items, err := h.open(ctx, list)
	return names(items), err
}

// Lists gives all lists that can be read, those on which nothing is too.
func (h *House) Lists(ctx context.Context) (map[string][]string, error) {
	ids, err := h.called()
	if err != nil {
		return nil, err
	}
	all, seen := map[string][]string{}, map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		if id := ids[name]; !seen[id] && !h.away(id) { // it may have several names
			seen[id] = true
			items, err := h.items(ctx, id)
			if err != nil {
				return nil, err
			}
			all[name] = names(items)
		}
	}
	return all, nil
}

// AddItems puts names on a list, one after the other.
func (h *House) AddItems(ctx context.Context, list string, names []string) (added []string, err error) {
	id, _, err := h.open(ctx, list)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := h.there.Do(ctx, "todo.add_item", id, map[string]any{"item": name}, nil); err != nil {
			return added, err
		}
		added = append(added, name)
	}
	return added, nil
}

// RemoveItems takes names off a list.
func (h *House) RemoveItems(ctx context.Context, list string, names []string) ([]string, error) {
	return h.each(ctx, list, names, "todo.remove_item", nil)
}

// FinishItems ticks names off a list, which keeps them as completed.
func (h *House) FinishItems(ctx context.Context, list string, names []string) ([]string, error) {
	return h.each(ctx, list, names, "todo.update_item", map[string]any{"status": "completed"})
}

// each calls an action for each item of the list that is called one of the names.
func (h *House) each(ctx context.Context, list string, called []string, action string, more map[string]any,
) (done []string, err error) {
	id, items, err := h.open(ctx, list)
	if err != nil {
		return nil, err
	}
	for i, name := range names(items) {
		if !slices.Contains(called, name) {
			continue
		}
		data := map[string]any{"item": items[i].ref()}
		maps.Copy(data, more)
		if err := h.there.Do(ctx, action, id, data, nil); err != nil {
			return done, err
		}
		if !slices.Contains(done, name) {
			done = append(done, name)
		}
	}
	return done, nil
}

// ClearList takes everything off a list that is not completed.
func (h *House) ClearList(ctx context.Context, list string) (int, error) {
	id, items, err := h.open(ctx, list)
	if err != nil || len(items) == 0 {
		return 0, err
	}
	refs := make([]string, len(items))
	for i, one := range items {
		refs[i] = one.ref()
	}
	return len(refs), h.there.Do(ctx, "todo.remove_item", id, map[string]any{"item": refs}, nil)
}
