package home

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode"

	"hearthd/tools"
)

// which asks which one is meant, and remembers what for.
func (h *Home) which(targets []Entity, a *arguments, reading bool) tools.Result {
	names := choices(targets)
	h.mu.Lock()
	h.open, h.ask, h.reading, h.asked = nil, *a, reading, time.Now()
	for _, t := range targets {
		h.open = append(h.open, t.ID)
	}
	h.mu.Unlock()
	if h.opt.Choice != nil {
		h.opt.Choice(append(slices.Clone(names), partsOf(names)...))
	}
	return tools.Result{Text: "Which one: " + or(names) + "?", Data: map[string]any{"choices": names}, Foreign: true}
}

// pending gives the devices of an open question that fit a name.
func (h *Home) pending(name string) (fits []Entity, a arguments, reading bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.open) == 0 || time.Since(h.asked) > chooseWithin {
		return nil, arguments{}, false
	}
	var open []Entity
	for _, id := range h.open {
		if e, ok := h.opt.Devices.Entity(id); ok {
			open = append(open, e)
		}
	}
	return choice(open, name), h.ask, h.reading
}

// ordinals are the places of the question.
var ordinals = map[string]int{"first": 0, "former": 0, "second": 1, "latter": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1}

// choice gives those of the devices that an answer means.
func choice(open []Entity, name string) []Entity {
	q := newQuery(name, "")
	any := func(*Entity) bool { return true }
	n := len(q.words)
	switch {
	case n == 1 && q.words[0] == "1" || n == 0 && q.all: // "the … one", "all of them"
		return open
	case n > 0:
		if i, ok := ordinals[q.words[0]]; ok {
			if i < 0 {
				i += len(open)
			}
			if i < len(open) {
				return open[i : i+1]
			}
		}
	}
	fits := find(open, q, any)
	if n > 1 && q.words[n-1] == "1" && len(fits) != 1 { // "the counter one"
		q.words = q.words[:n-1]
		fits = find(open, q, any)
	}
	return fits
}

// partsOf are shorter answers to a question: the words that only one of the names
// has, and their places.
func partsOf(names []string) []string {
	count := map[string]int{}
	for _, n := range names {
		for _, w := range slices.Compact(slices.Sorted(slices.Values(tokens(n)))) {
			count[w]++
		}
	}
	parts := []string{"first", "last"}
	parts = append(parts, []string{"second", "third", "fourth", "fifth"}[:min(max(len(names)-1, 0), 4)]...)
	for _, w := range slices.Sorted(maps.Keys(count)) {
		if count[w] == 1 && !unicode.IsDigit(rune(w[0])) && !slices.Contains(names, w) {
			parts = append(parts, w)
		}
	}
	return parts
}

func (h *Home) choose(ctx context.Context, a arguments) (tools.Result, error) {
	fits, ask, reading := h.pending(a.Name)
	switch {
	case ask == arguments{}:
		return tools.Result{Text: "There is nothing to choose from right now."}, nil
	case len(fits) == 0:
		return tools.Result{Text: fmt.Sprintf("%s is none of them.", tools.Sentence(Clean(a.Name)))}, nil
	case len(fits) > 1 && !newQuery(a.Name, "").all:
		return h.which(fits, &ask, reading), nil
	}
	h.mu.Lock()
	h.open = nil
	h.mu.Unlock()
	if h.opt.Choice != nil {
		h.opt.Choice(nil)
	}
	if reading {
		return tell(fits, &ask), nil
	}
	return h.do(ctx, fits, &ask)
}
