// Package list holds the tools for shopping and other lists: list_add, list_show, list_names,
// list_remove, list_clear and list_undo. It runs no goroutine and imports config/letters, tools and tools/phrase
// only; the lists are kept by a store that the daemon gives it, or by a Home Assistant.
package list

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
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
type Options struct {
	Store store
	Book  *phrase.Book // what is said; nil: in English
}

type lists struct {
	store store
	*phrase.Book
	shared bool // others write on the lists too, so their words are foreign
	recent *tools.Recent[string]
	last   *change
}

var errNoItems = &tools.ArgumentError{Reason: "the items are empty"}

type listArgument struct {
	List string `json:"list" max:"40" about:"name of the list, shopping when it is not given; my: of the person who asks; it: the one spoken of last"`
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
	if o.Book == nil {
		o.Book = phrase.English()
	}
	_, shared := o.Store.(*House)
	l := lists{o.Store, o.Book, shared, new(tools.Recent[string]), new(change)}
	return []tools.Tool{
		tools.CallFunc(llm.ToolSpec{Name: "list_add", Description: "Puts items on a list."}, l.add),
		tools.CallFunc(llm.ToolSpec{Name: "list_show", ReadOnly: true,
			Description: "Reads a list out, or tells whether something is on it."}, l.show),
		tools.Query("list_names", "Tells which lists there are.", l.names),
		tools.CallFunc(llm.ToolSpec{Name: "list_remove", Description: "Takes items off a list."}, l.remove),
		tools.WithLimits(tools.CallFunc(llm.ToolSpec{Name: "list_clear", Description: "Takes everything off a list."},
			l.clear), tools.Limits{Grave: tools.Always}),
		tools.WithLimits(tools.Action("list_undo", "Takes the last change of a list back.", l.undo),
			tools.Limits{Undoes: []string{"list_add", "list_remove", "list_clear", "list_undo"}, Unlisted: true}),
	}, nil
}

// view is the structured result: the list as it is now.
type view struct {
	List  string   `json:"list"`
	Items []string `json:"items"`
}

func (l lists) add(ctx context.Context, c tools.Call, a struct {
	itemsArguments
	Instead []string `json:"instead" max:"30" item:"50" about:"what they replace on the list; it: what was added last"`
}) (tools.Result, error) {
	if slices.Equal(a.Instead, []string{tools.It}) {
		if a.Instead = l.last.put(); len(a.Instead) > 1 { // which of them is not said, but "make that eight limes"
			a.Instead = only(a.Instead, func(was string) bool {
				return slices.ContainsFunc(a.Items, func(item string) bool { return l.key(l.thing(item)) == l.key(l.thing(was)) })
			})
		}
	}
	if len(a.Instead) == 0 {
		return l.put(ctx, c, a.itemsArguments)
	}
	return l.exchange(ctx, c, a.itemsArguments, itemsArguments{a.Instead, a.listArgument})
}

// put puts items on a list.
func (l lists) put(ctx context.Context, c tools.Call, a itemsArguments) (tools.Result, error) {
	name, have, items, err := l.openFor(ctx, c, a)
	if err != nil {
		return tools.Result{}, err
	}
	var fresh, known []string
	for _, item := range items {
		amounts := only(have, func(other string) bool { return l.amountOf(other, item) })
		switch {
		case l.find(have, item) >= 0 || l.find(fresh, item) >= 0:
			known = append(known, item)
		case len(amounts) > 0:
			known = append(known, amounts...)
		default: // how much of it is new: both stand there then, and both are told
			fresh = append(fresh, item)
			known = append(known, only(have, func(other string) bool { return l.amountOf(item, other) })...)
		}
	}
	if len(have)+len(fresh) > maxOnList {
		return l.result("list.full", phrase.Args{"list": name}, have), nil
	}
	if len(fresh) > 0 {
		if fresh, err = l.store.AddItems(ctx, name, fresh); err != nil {
			return tools.Result{}, l.partly(err, "list.added", name, fresh)
		}
	}
	l.last.note(name, fresh, true)
	key := "list.added_some"
	switch {
	case len(known) == 0:
		key = "list.added"
	case len(fresh) == 0:
		key = "list.known"
	}
	r := l.result(key, phrase.Args{"list": name, "items": fresh, "known": known}, append(have, fresh...))
	r.Kept = !l.shared && len(fresh) > 0
	return r, nil
}

// result makes the answer text about a list that now has items.
func (l lists) result(key string, args phrase.Args, items []string) tools.Result {
	return tools.Result{Text: l.Say(key, args), Data: view{args["list"].(string), items}, Foreign: l.foreign(items)}
}

// foreign reports whether items may be words of others.
func (l lists) foreign(items []string) bool { return l.shared && len(items) > 0 }

func (l lists) show(ctx context.Context, c tools.Call, a struct {
	Items []string `json:"items" max:"30" item:"50" about:"only tell whether these are on it"`
	listArgument
}) (tools.Result, error) {
	name, have, err := l.open(ctx, c, a.listArgument)
	if err != nil {
		return tools.Result{}, err
	}
	if len(have) == 0 {
		return l.result("list.empty", phrase.Args{"list": name}, []string{}), nil
	}
	if items := l.clean(a.Items); len(items) > 0 {
		return l.whether(name, have, items), nil
	}
	return l.result("list.shown", phrase.Args{"list": name, "n": len(have), "items": have}, have), nil
}

// whether says which of items are on a list.
func (l lists) whether(name string, have, items []string) tools.Result {
	var there, missing []string
	for _, item := range items {
		i := slices.IndexFunc(have, func(other string) bool { return l.key(other) == l.key(item) || l.amountOf(other, item) })
		if i < 0 {
			missing = append(missing, item)
		} else {
			there = append(there, have[i])
		}
	}
	key := "list.some_there"
	switch {
	case len(missing) == 0:
		key = "list.there"
	case len(there) == 0:
		key = "list.not_there"
	}
	return l.result(key, phrase.Args{"list": name, "there": there, "missing": missing}, have)
}

func (l lists) names(ctx context.Context, _ struct{}) (tools.Result, error) {
	all, err := l.store.Lists(ctx)
	if err != nil {
		return tools.Result{}, l.unreachable(err)
	}
	var told []phrase.Args
	for _, name := range slices.Sorted(maps.Keys(all)) {
		told = append(told, phrase.Args{"list": name, "n": len(all[name])})
	}
	if len(told) == 0 {
		return tools.Result{Text: l.Say("list.no_lists")}, nil
	}
	return tools.Result{Text: l.Say("list.names", phrase.Args{"lists": told}), Data: all, Foreign: l.shared}, nil
}

type removeArguments struct {
	itemsArguments
	Done bool `json:"done" about:"they were bought or done, and not only taken off"`
}

func (l lists) remove(ctx context.Context, c tools.Call, a removeArguments) (tools.Result, error) {
	name, have, items, err := l.openFor(ctx, c, a.itemsArguments)
	if err != nil {
		return tools.Result{}, err
	}
	gone, missing, have := l.among(have, items)
	key, off := "list.removed", l.store.RemoveItems
	if house, ok := l.store.(*House); ok && a.Done {
		key, off = "list.finished", house.FinishItems
	}
	if len(gone) > 0 {
		if gone, err = off(ctx, name, gone); err != nil {
			return tools.Result{}, l.partly(err, key, name, gone)
		}
	}
	l.last.note(name, gone, false)
	var said []string
	if len(gone) > 0 {
		said = append(said, l.Say(key, phrase.Args{"list": name, "items": gone}))
	}
	if len(missing) > 0 {
		said = append(said, l.Say("list.missing", phrase.Args{"list": name, "missing": missing}))
	}
	return tools.Result{Text: strings.Join(said, " "), Data: view{name, have}, Foreign: l.foreign(have),
		Kept: !l.shared && len(gone) > 0}, nil
}

// among finds what is meant by items on a list: what goes, what is missing, and what stays. It is the item and every
// amount of it, or else the item of which an amount is named.
func (l lists) among(have, items []string) (gone, missing, rest []string) {
	for _, item := range items {
		off := only(have, func(other string) bool { return l.key(other) == l.key(item) || l.amountOf(other, item) })
		if len(off) == 0 {
			off = only(have, func(other string) bool { return l.amountOf(item, other) })
		}
		if len(off) == 0 {
			missing = append(missing, item)
		}
		gone = append(gone, off...)
		have = only(have, func(other string) bool { return !slices.Contains(off, other) })
	}
	return gone, missing, have
}

func (l lists) clear(ctx context.Context, c tools.Call, a listArgument) (tools.Result, error) {
	name, have, err := l.open(ctx, c, a)
	if err != nil {
		return tools.Result{}, err
	}
	n, err := l.store.ClearList(ctx, name)
	if err != nil {
		return tools.Result{}, l.unreachable(err)
	}
	l.last.note(name, have, false)
	key := "list.cleared"
	if n == 0 {
		key = "list.was_empty"
	}
	return l.result(key, phrase.Args{"list": name}, []string{}), nil
}

// open is the name of the list that is meant, and what is on it.
func (l lists) open(ctx context.Context, c tools.Call, a listArgument) (name string, have []string, err error) {
	name = l.meant(a.List, c.For.Person)
	if have, err = l.store.Items(ctx, name); err != nil {
		return name, nil, l.unreachable(err)
	}
	return name, have, nil
}

// openFor is open for a call that names items.
func (l lists) openFor(ctx context.Context, c tools.Call, a itemsArguments) (
	name string, have, items []string, err error,
) {
	if name, have, err = l.open(ctx, c, a.listArgument); err != nil {
		return name, nil, nil, err
	}
	if items = l.clean(a.Items); len(items) == 0 {
		return name, nil, nil, errNoItems
	}
	return name, have, items, nil
}

func (l lists) unreachable(err error) error {
	if f := new(tools.Failure); errors.As(err, &f) {
		return f
	}
	return &tools.Failure{Say: l.Say("list.unreachable"), Cause: err}
}

// partly is the failure of a change of which a part was made.
func (l lists) partly(err error, key, list string, done []string) error {
	err = l.unreachable(err)
	if f := new(tools.Failure); errors.As(err, &f) && len(done) > 0 {
		f.Say = l.Say(key, phrase.Args{"list": list, "items": done}) + " " + l.Say("list.rest", phrase.Args{"text": f.Say})
	}
	return err
}
