// Package guard decides what a model may do by itself once it has read text from outside the house,
// and makes such text harmless to show.
//
// From then on a call with an effect runs only if the person's own words ask for it: the words of
// the request and those of the call have to be the same. A word of the call that was not said may
// be what a stranger wants; a word of the request that is missing in the call (not, is, when,
// except, the kitchen of the kitchen light) may reverse its meaning. So the package needs no list
// of dangerous things, and does not allow what it does not know: the caller asks the person then.
//
// It runs no goroutine and holds no state. It must not import anything of hearthd but llm.
package guard

import (
	"slices"

	"hearthd/llm"
)

// maxRequest bounds the words of a request that may allow a call.
const maxRequest = 60

// Opens reports whether a request asks for exactly that call: what is done and to what. taught
// gives the English words, among those that Knows accepts, for words of another language. A
// question allows nothing, in any language: words that are not known have to be in the call.
func Opens(request string, call llm.ToolCall, taught map[string]string) bool {
	if speaker(request, call, taught) {
		return true
	}
	c, ok := read(call)
	if !ok {
		return false
	}
	for _, o := range orders(request, taught) {
		if c.says(o) {
			return true
		}
	}
	return false
}

// order is something that a person wants done.
type order struct {
	action string   // its class
	words  []string // what it is done to, without little words
	spoken []string // all words of the request, the little ones too
}

// orders are what a request asks for; none when it asks for nothing or cannot be read with
// certainty.
func orders(request string, taught map[string]string) []order {
	parts, ok := split(request, taught)
	whole := slices.Concat(parts...)
	turned := slices.ContainsFunc(whole, func(w string) bool { return turning[w] })
	if !ok || turned || len(whole) == 0 || len(whole) > maxRequest {
		return nil
	}
	var all []order
	several := slices.ContainsFunc(parts[1:], isVerb)
	if o, ok := newOrder(whole, whole); ok && (!several || writes(o.action)) {
		all = append(all, o)
		if writes(o.action) { // the text to be written may read like an order
			return all
		}
	}
	if len(parts) == 1 {
		return all
	}
	before := ""
	for _, words := range parts {
		o, ok := newOrder(words, whole)
		switch {
		case ok && writes(o.action):
			return nil
		case ok:
			before = o.action
		case before == "": // "turn the kitchen light and the hall light off"
			return all
		case isVerb(words) || len(taught) > 0:
			return nil
		case slices.ContainsFunc(whole, func(w string) bool { return within[w] }):
			return all // "the fan in the bath and the hall" does not say what in the hall is meant
		default: // "and the hall light"
			o = order{action: before, words: content(words), spoken: whole}
		}
		all = append(all, o)
	}
	return all
}

// newOrder reads words that begin with a verb.
func newOrder(words, spoken []string) (order, bool) {
	words = slices.Clone(words)
	for len(words) > 0 && little[words[0]] {
		words = words[1:]
	}
	if len(words) == 0 {
		return order{}, false
	}
	action, rest := actions[words[0]], words[1:]
	switch {
	case particles[words[0]] != "":
		return order{}, false
	case light[words[0]]:
		action, rest = particle(rest)
	}
	if action == "" || len(content(rest)) == 0 {
		return order{}, false
	}
	if amounts[action] && slices.Contains(rest, "to") {
		action = "set"
	}
	o := order{action: action, words: content(rest), spoken: spoken}
	if writes(action) { // put milk on the list
		o.words = slices.DeleteFunc(o.words, func(w string) bool { return w == "on" })
	}
	return o, true
}

// particle takes the "on" of "turn on the light", "turn the light on" and "turn the light on
// please" out of words, and gives its class; "" when there is none, or more than one.
func particle(words []string) (action string, rest []string) {
	at := -1
	for i, w := range words {
		if p := particles[w]; p != "" {
			if at >= 0 {
				return "", nil
			}
			at, action = i, p
		}
	}
	if at < 0 || at > 0 && len(content(words[at+1:])) > 0 {
		return "", nil
	}
	return action, slices.Delete(slices.Clone(words), at, at+1)
}

// content is words without the little ones.
func content(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return little[w] })
}

func isVerb(words []string) bool {
	words = content(words)
	return len(words) > 0 && (light[words[0]] || actions[words[0]] != "" && particles[words[0]] == "")
}
