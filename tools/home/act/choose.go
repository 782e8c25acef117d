package act

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// which asks which one is meant, and remembers for which command.
func (h *Home) which(t *teller, targets []home.Entity, a *meaning.Request, reading bool) tools.Result {
	text, names := t.which(targets, "home.which")
	q := question{ask: *a, reading: reading, asked: time.Now()}
	for _, t := range targets {
		q.ids = append(q.ids, t.ID)
	}
	h.mu.Lock()
	h.open = q
	h.mu.Unlock()
	if h.opt.Choice != nil {
		parts := t.partsOf(names)
		for _, e := range targets {
			if home.Scattered(targets) && e.Area != "" { // "the one in the study"
				parts = append(parts, strings.Join(home.Written(e.Area), " "))
			}
		}
		h.opt.Choice(append(slices.Clone(names), parts...))
	}
	return t.result(text, map[string]any{"choices": names})
}

// which asks which of some devices is meant, and gives their names.
func (t *teller) which(targets []home.Entity, key string) (text string, names []string) {
	devices := t.devices(targets)
	for _, d := range devices {
		names = append(names, t.Part("home.name", d))
	}
	more := len(devices) > 6
	if more {
		devices = devices[:5]
	}
	return t.Say(key, args{"question": t.Part("home.which_of", args{"devices": devices, "others": more})}), names
}

// pending returns the open question, those of its devices that a name fits, and whether all of them
// are meant.
func (h *Home) pending(name string) (fits []home.Entity, all bool, open question) {
	h.mu.Lock()
	open = h.open
	h.mu.Unlock()
	if len(open.ids) == 0 || time.Since(open.asked) > chooseWithin {
		return nil, false, question{}
	}
	fits, all = h.see().Among(open.ids).Choose(name)
	return fits, all || len(fits) == 1, open
}

// partsOf are shorter answers to a question: the words that only one of the names contains, and
// their positions.
func (t *teller) partsOf(names []string) []string {
	count := map[string]int{}
	for _, n := range names {
		for _, w := range slices.Compact(slices.Sorted(slices.Values(home.Written(n)))) {
			count[w]++
		}
	}
	places := t.Lines("home.places")
	parts := places[:min(len(names)+1, len(places))]
	for _, w := range slices.Sorted(maps.Keys(count)) {
		if count[w] == 1 && !unicode.IsDigit(rune(w[0])) && !slices.Contains(names, w) {
			parts = append(parts, w)
		}
	}
	return parts
}

// settle closes the open question: it was answered, or something else was asked.
func (h *Home) settle() {
	h.mu.Lock()
	asked := h.open.ids != nil
	h.open = question{}
	h.mu.Unlock()
	if asked && h.opt.Choice != nil {
		h.opt.Choice(nil)
	}
}

func (h *Home) choose(ctx context.Context, a meaning.Request) (tools.Result, error) {
	fits, all, open := h.pending(a.Name)
	t := h.teller(&a)
	switch {
	case open.ids == nil:
		return tools.Result{Text: t.Say("home.no_choice")}, nil
	case len(fits) == 0:
		return tools.Result{Text: t.Say("home.none_of_them", args{"name": home.Clean(a.Name)})}, nil
	case !all:
		return h.which(t, fits, &open.ask, open.reading), nil
	}
	h.settle()
	if open.reading {
		return t.tell(fits, &open.ask, ""), nil
	}
	h.begin(&open.ask)
	return h.carry(ctx, t, h.jobs(fits, &open.ask))
}
