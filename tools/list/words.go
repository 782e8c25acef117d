package list

import (
	"cmp"
	"slices"
	"strings"

	"hearthd/config/letters"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// words are language-dependent words, which the language's data has.
func (l lists) words(key string) []string { return strings.Fields(l.Part(key)) }

// meant is the list that a person speaks of, which "it" means next.
func (l lists) meant(name, person string) string {
	list := cmp.Or(l.recent.Get(), defaultList)
	if name != tools.It {
		list = l.listName(name, person)
	}
	l.recent.Set(list)
	return list
}

// listName makes "My Shopping List" and "shopping" the same list, and "my list" that of a person, if it is known who
// that is.
func (l lists) listName(name, person string) string {
	if person != "" && slices.Contains(l.words("list.mine"), strings.ToLower(strings.TrimSpace(name))) {
		name = l.Part("list.whose", phrase.Args{"name": person})
	}
	words, before, after := strings.Fields(strings.ToLower(name)), l.words("list.before"), l.words("list.after")
	for len(words) > 0 && slices.Contains(before, words[0]) {
		words = words[1:]
	}
	for len(words) > 0 && slices.Contains(after, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	isShopping := func(w string) bool { return words[0] == w || misspelt(words[0], w) }
	if len(words) == 0 || len(words) == 1 && slices.ContainsFunc(l.words("list.shopping"), isShopping) {
		return defaultList
	}
	return strings.Join(words, " ")
}

// leastSpelt is how many letters a word has at least that may be misspelt.
const leastSpelt = 7

// misspelt reports whether a word lacks a letter of w, or has one too many: shoping, and not shipping.
func misspelt(word, w string) bool {
	return len(w) >= leastSpelt && len(word) != len(w) && letters.Edits(word, w, 1) == 1
}

// clean removes spaces and leading articles, and items that are empty then.
func (l lists) clean(items []string) []string {
	var out []string
	articles := l.words("list.articles")
	for _, item := range items {
		words := strings.Fields(item)
		for len(words) > 1 && slices.Contains(articles, strings.ToLower(words[0])) && !l.counted(words) {
			words = words[1:]
		}
		if len(words) > 0 {
			out = append(out, strings.Join(words, " "))
		}
	}
	return out
}

// counted reports whether the article in front is one of something, as in "ein Kilo Mehl".
func (l lists) counted(words []string) bool {
	return len(words) > 2 && slices.Contains(l.words("list.amounts"), strings.ToLower(words[0])) &&
		slices.Contains(l.words("list.measures"), strings.ToLower(words[1])) && words[2] != l.Part("list.of")
}

// only are the items for which is holds.
func only(items []string, is func(string) bool) (some []string) {
	for _, item := range items {
		if is(item) {
			some = append(some, item)
		}
	}
	return some
}

// find is the index of an item, regardless of case and plural.
func (l lists) find(items []string, item string) int {
	return slices.IndexFunc(items, func(other string) bool { return l.key(other) == l.key(item) })
}

// amountOf reports whether other is an amount of item, as "2 liters of milk", "3 eggs"
// and "half a dozen eggs" are of "milk" and "egg".
func (l lists) amountOf(other, item string) bool {
	name := l.thing(other)
	return name != other && l.key(name) == l.key(item)
}

// thing is what an item is an amount of, or the item.
func (l lists) thing(item string) string {
	_, name, isOf := strings.Cut(item, " "+l.Part("list.of")+" ")
	if !isOf {
		words := strings.Fields(item)
		amounts, measures := l.words("list.amounts"), l.words("list.measures")
		n := slices.IndexFunc(words, func(w string) bool {
			return !strings.ContainsAny(w, "0123456789") && !slices.Contains(amounts, strings.ToLower(w))
		})
		if n > 0 && slices.Contains(measures, strings.ToLower(words[n])) {
			n++
		}
		if n > 0 {
			name = strings.Join(words[n:], " ")
		}
	}
	return cmp.Or(name, item)
}

// key makes "Eggs" and "egg", "tomatoes" and "tomato" equal. It is no grammar:
// it only has to treat both forms of a word alike.
func (l lists) key(item string) string {
	item = strings.ToLower(item)
	for _, ending := range l.words("list.endings") {
		if short, ok := strings.CutSuffix(item, ending); ok && len(short) > 2 {
			return short
		}
	}
	return item
}
