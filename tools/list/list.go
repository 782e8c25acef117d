// Package list holds the tools for shopping and other lists: list_add, list_show,
// list_names, list_remove and list_clear. It runs no goroutine and imports llm
// and tools only; the lists are kept by a store that the daemon gives it.
package list

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hearthd/tools"
)

const (
	defaultList = "shopping"
	maxOnList   = 200 // items; nobody reads a longer one
)

// store keeps lists. What it has confirmed survives a crash. Names are unique on a list,
// regardless of case. AddItems and RemoveItems return the names that changed something.
type store interface {
	Items(ctx context.Context, list string) ([]string, error)
	Lists(ctx context.Context) (map[string][]string, error)
	AddItems(ctx context.Context, list string, names []string) (added []string, err error)
	RemoveItems(ctx context.Context, list string, names []string) (removed []string, err error)
	ClearList(ctx context.Context, list string) (int, error)
}

// Options says where the lists are.
type Options struct{ Store store }

type lists struct{ store store }

var errNoItems = &tools.ArgumentError{Reason: "the items are empty"}

type listArgument struct {
	List string `json:"list" max:"40" about:"name of the list, shopping when it is not given"`
}

type itemsArguments struct {
	Items []string `json:"items" need:"yes" min:"1" max:"30" item:"50"`
	listArgument
}

// New makes the tools.
func New(o Options) ([]tools.Tool, error) {
	if o.Store == nil {
		return nil, errors.New("make list tools: a store is needed")
	}
	l := lists{o.Store}
	return []tools.Tool{
		tools.Action("list_add", "Puts items on a list.", l.add),
		tools.Query("list_show", "Reads a list out, or tells whether something is on it.", l.show),
		tools.Query("list_names", "Tells which lists there are.", l.names),
		tools.Action("list_remove", "Takes items off a list.", l.remove),
		tools.Action("list_clear", "Takes everything off a list.", l.clear),
	}, nil
}

// view is the structured result: the list as it is now.
type view struct {
	List  string   `json:"list"`
	Items []string `json:"items"`
}

func (l lists) add(ctx context.Context, a itemsArguments) (tools.Result, error) {
	name, have, err := l.open(ctx, a.listArgument)
	if err != nil {
		return tools.Result{}, err
	}
	items := clean(a.Items)
	if len(items) == 0 {
		return tools.Result{}, errNoItems
	}
	var fresh, known []string
	for _, item := range items {
		if find(have, item) >= 0 || find(fresh, item) >= 0 {
			known = append(known, item)
		} else {
			fresh = append(fresh, item)
		}
	}
	if len(have)+len(fresh) > maxOnList {
		return tools.Result{Text: fmt.Sprintf("The %s list is full, so I added nothing.", name), Data: view{name, have}}, nil
	}
	if len(fresh) > 0 {
		if fresh, err = l.store.AddItems(ctx, name, fresh); err != nil {
			return tools.Result{}, unreachable(err)
		}
	}
	return tools.Result{Text: saidAdded(name, fresh, known), Data: view{name, append(have, fresh...)}}, nil
}

func saidAdded(name string, fresh, known []string) string {
	is, was := "is", "was"
	if len(known) > 1 {
		is, was = "are", "were"
	}
	switch {
	case len(known) == 0:
		return fmt.Sprintf("Added %s to the %s list.", tools.Join(fresh), name)
	case len(fresh) == 0:
		return fmt.Sprintf("%s %s already on the %s list.", tools.Sentence(tools.Join(known)), is, name)
	}
	there := tools.Sentence(tools.Join(known))
	return fmt.Sprintf("Added %s to the %s list. %s %s already there.", tools.Join(fresh), name, there, was)
}

func (l lists) show(ctx context.Context, a struct {
	Items []string `json:"items" max:"30" item:"50" about:"only tell whether these are on it"`
	listArgument
}) (tools.Result, error) {
	name, have, err := l.open(ctx, a.listArgument)
	if err != nil {
		return tools.Result{}, err
	}
	if len(have) == 0 {
		return tools.Result{Text: fmt.Sprintf("The %s list is empty.", name), Data: view{name, []string{}}}, nil
	}
	if items := clean(a.Items); len(items) > 0 {
		return tools.Result{Text: saidWhether(name, have, items), Data: view{name, have}}, nil
	}
	text := fmt.Sprintf("The %s list has %s: %s.", name, tools.Count(len(have), "item", "items"), tools.Join(have))
	return tools.Result{Text: text, Data: view{name, have}}, nil
}

// saidWhether tells which of items are on a list.
func saidWhether(name string, have, items []string) string {
	var there, missing []string
	for _, item := range items {
		i := slices.IndexFunc(have, func(other string) bool { return key(other) == key(item) || amountOf(other, item) })
		if i < 0 {
			missing = append(missing, item)
		} else {
			there = append(there, have[i])
		}
	}
	is := "is"
	if len(there) > 1 {
		is = "are"
	}
	switch {
	case len(missing) == 0:
		return fmt.Sprintf("Yes, %s %s on the %s list.", tools.Join(there), is, name)
	case len(there) == 0:
		return fmt.Sprintf("No, there is no %s on the %s list.", either(missing), name)
	}
	return fmt.Sprintf("%s %s on the %s list, but no %s.", tools.Sentence(tools.Join(there)), is, name, either(missing))
}

func (l lists) names(ctx context.Context, _ struct{}) (tools.Result, error) {
	all, err := l.store.Lists(ctx)
	if err != nil {
		return tools.Result{}, unreachable(err)
	}
	var said []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		said = append(said, fmt.Sprintf("the %s list with %s", name, tools.Count(len(all[name]), "item", "items")))
	}
	if len(said) == 0 {
		return tools.Result{Text: "All lists are empty."}, nil
	}
	text := fmt.Sprintf("You have %s: %s.", tools.Count(len(said), "list", "lists"), tools.Join(said))
	return tools.Result{Text: text, Data: all}, nil
}

func (l lists) remove(ctx context.Context, a itemsArguments) (tools.Result, error) {
	name, have, err := l.open(ctx, a.listArgument)
	if err != nil {
		return tools.Result{}, err
	}
	items := clean(a.Items)
	if len(items) == 0 {
		return tools.Result{}, errNoItems
	}
	var gone, missing []string
	for _, item := range items {
		if i := find(have, item); i >= 0 {
			gone = append(gone, have[i])
			have = slices.Delete(have, i, i+1)
			continue
		}
		before := len(have)
		have = slices.DeleteFunc(have, func(other string) bool {
			if !amountOf(other, item) {
				return false
			}
			gone = append(gone, other)
			return true
		})
		if len(have) == before {
			missing = append(missing, item)
		}
	}
	if len(gone) > 0 {
		if gone, err = l.store.RemoveItems(ctx, name, gone); err != nil {
			return tools.Result{}, unreachable(err)
		}
	}
	var said []string
	if len(gone) > 0 {
		said = append(said, fmt.Sprintf("Removed %s from the %s list.", tools.Join(gone), name))
	}
	if len(missing) > 0 {
		said = append(said, fmt.Sprintf("There is no %s on the %s list.", either(missing), name))
	}
	return tools.Result{Text: strings.Join(said, " "), Data: view{name, have}}, nil
}

func (l lists) clear(ctx context.Context, a listArgument) (tools.Result, error) {
	name := listName(a.List)
	n, err := l.store.ClearList(ctx, name)
	if err != nil {
		return tools.Result{}, unreachable(err)
	}
	text := fmt.Sprintf("The %s list is cleared.", name)
	if n == 0 {
		text = fmt.Sprintf("The %s list was already empty.", name)
	}
	return tools.Result{Text: text, Data: view{name, []string{}}}, nil
}

// open is the name of the list that is meant, and what is on it.
func (l lists) open(ctx context.Context, a listArgument) (name string, have []string, err error) {
	name = listName(a.List)
	if have, err = l.store.Items(ctx, name); err != nil {
		return name, nil, unreachable(err)
	}
	return name, have, nil
}

func unreachable(err error) error {
	return &tools.Failure{Say: "Sorry, I can't get at the lists right now.", Cause: err}
}

// listName makes "My Shopping List" and "shopping" the same list.
func listName(name string) string {
	words := strings.Fields(strings.ToLower(name))
	for len(words) > 0 && slices.Contains([]string{"the", "my", "our", "a"}, words[0]) {
		words = words[1:]
	}
	for len(words) > 0 && words[len(words)-1] == "list" {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return defaultList
	}
	return strings.Join(words, " ")
}

// clean removes spaces and leading articles, and items that are empty then.
func clean(items []string) []string {
	var out []string
	for _, item := range items {
		words := strings.Fields(item)
		for len(words) > 1 && slices.Contains([]string{"the", "some", "a", "an"}, strings.ToLower(words[0])) {
			words = words[1:]
		}
		if len(words) > 0 {
			out = append(out, strings.Join(words, " "))
		}
	}
	return out
}

// either says "tea, rice or mac and cheese".
func either(items []string) string {
	last := len(items) - 1
	if last < 1 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:last], ", ") + " or " + items[last]
}

// find is the index of an item, regardless of case and plural.
func find(items []string, item string) int {
	return slices.IndexFunc(items, func(other string) bool { return key(other) == key(item) })
}

// amountOf reports whether other is an amount of item, as "2 liters of milk", "3 eggs"
// and "half a dozen eggs" are of "milk" and "egg".
func amountOf(other, item string) bool {
	_, name, isOf := strings.Cut(other, " of ")
	if !isOf {
		words := strings.Fields(other)
		n := 0
		for n < len(words) && counts(words[n]) {
			n++
		}
		if n > 0 {
			name = strings.Join(words[n:], " ")
		}
	}
	return name != "" && key(name) == key(item)
}

var amounts = strings.Fields(`a an one two three four five six seven eight nine ten eleven twelve fifteen twenty
	half quarter couple few several dozen pair`)

// counts reports whether a word before a thing says how many.
func counts(word string) bool {
	return strings.ContainsAny(word, "0123456789") || slices.Contains(amounts, strings.ToLower(word))
}

// key makes "Eggs" and "egg", "tomatoes" and "tomato" equal. It is no grammar:
// it only has to treat both forms of a word alike.
func key(item string) string {
	item = strings.ToLower(item)
	for _, ending := range []string{"es", "s", "e"} {
		if short, ok := strings.CutSuffix(item, ending); ok && len(short) > 2 {
			return short
		}
	}
	return item
}
