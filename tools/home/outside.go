package home

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"hearthd/tools"
)

// Devices give themselves their names, and say how they are in their own words, so that
// an answer which holds any is foreign. It is not where the call has said the same words
// already: "turn on the kitchen light" brings nothing with "The kitchen light is on".

var (
	// ownWords are those that this package itself puts into its answers. None of them asks
	// for anything, by itself or with others.
	ownWords = set(`the a an i it of in to at by and or yes no not none all both them that there is are was were already now right
		percent degrees fahrenheit kelvin brighter dimmer reachable sent told got did does report back answer but device devices
		moving returning opening closing locking unlocking cleaning mowing charging sorry could
		ll turn send later minutes minute hours hour seconds second today tomorrow am pm`, commonWords())
	// states are what a device is, or was: behind such a word they ask for nothing.
	being  = set("is are was were already not now")
	states = set("on off open closed locked unlocked set done clear")
)

func commonWords() string {
	var all []string
	for _, words := range kindWords {
		for _, w := range words {
			all = append(all, w, w+"s", w+"es")
		}
	}
	for k := range kindWords {
		all = append(all, strings.ReplaceAll(string(k), "_", " "))
	}
	for n := range 100 {
		all = append(all, strings.ReplaceAll(tools.Words(n), "-", " "))
	}
	for color := range colors {
		all = append(all, color)
	}
	return strings.Join(all, " ")
}

func set(lists ...string) map[string]bool {
	s := make(map[string]bool)
	for _, w := range strings.Fields(strings.Join(lists, " ")) {
		s[w] = true
	}
	return s
}

// told makes of a tool's answers foreign only those that hold more than the call.
func told[A any](call func(context.Context, A) (tools.Result, error)) func(context.Context, A) (tools.Result, error) {
	return func(ctx context.Context, a A) (tools.Result, error) {
		said, err := json.Marshal(a)
		if err != nil {
			return tools.Result{}, err
		}
		r, err := call(ctx, a)
		r.Foreign = r.Foreign && brings(r.Text, string(said))
		return r, err
	}
}

// brings reports whether a text has words that were not said, and that are not of this
// package.
func brings(text, said string) bool {
	known, before := plainly(said), ""
	for _, w := range plainly(text) {
		is := ownWords[w] || being[before] && states[w] || unicode.IsDigit([]rune(w)[0]) ||
			slices.Contains(known, w) || slices.Contains(known, w+"s") || slices.Contains(known, strings.TrimSuffix(w, "s"))
		if !is {
			return true
		}
		before = w
	}
	return false
}

// plainly are the words of a text, each with nothing but letters, or nothing but digits.
func plainly(text string) []string {
	var b strings.Builder
	last := ' '
	for _, r := range strings.ToLower(text) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.IsDigit(r) != unicode.IsDigit(last) {
			b.WriteByte(' ')
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			b.WriteRune(r)
		}
		last = r
	}
	return strings.Fields(b.String())
}
