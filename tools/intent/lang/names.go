package lang

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"hearthd/config/letters"
)

// Name is a thing of the house that people call by name.
type Name struct {
	Value string   // what a tool is given
	Forms []string // how it is called; none means Value
}

// Bounds of a vocabulary.
const (
	maxNames     = 5000
	maxNameParts = 6 // words of one name
)

// SetNames replaces a vocabulary, for all reads that begin from now on.
func (l *Language) SetNames(vocab string, names []Name) {
	v := &vocabulary{forms: map[int][]form{}, short: map[string]string{}}
	firsts := map[string]int{}
	if len(names) > maxNames {
		names = names[:maxNames]
	}
	for _, n := range names {
		forms := n.Forms
		if len(forms) == 0 {
			forms = []string{n.Value}
		}
		for _, f := range forms {
			toks, ok := l.Tokenize(f)
			if !ok || len(toks) == 0 || len(toks) > maxNameParts {
				continue
			}
			v.add(l, toks, n.Value, firsts)
		}
	}
	for word, value := range v.short {
		if value != "" {
			v.exact.Add([]string{word}, value)
		}
	}
	v.seal()
	slices.Sort(v.said)
	v.said = slices.Compact(v.said)
	l.setting.Lock()
	defer l.setting.Unlock()
	all := maps.Clone(*l.names.Load())
	all[vocab] = v
	l.names.Store(&all)
	l.changes.Add(1)
}

// Version counts the calls of SetNames.
func (l *Language) Version() uint64 { return l.changes.Load() }

// NamesSaid are the spoken forms of the names of all vocabularies, sorted.
func (l *Language) NamesSaid() map[string][]string {
	all := map[string][]string{}
	for vocab, v := range *l.names.Load() {
		all[vocab] = v.said
	}
	return all
}

// add adds a name; firsts are the places in v.firsts.
func (v *vocabulary) add(l *Language, toks []Token, value string, firsts map[string]int) {
	ws := make([]string, len(toks))
	folded := make([]string, len(toks))
	for i, t := range toks {
		ws[i], folded[i] = t.Text, l.fold(t.Text)
	}
	v.exact.Add(ws, value)
	for _, spelling := range []*strings.Replacer{l.plain, l.marked} {
		v.exact.Add(strings.Fields(spelling.Replace(strings.Join(ws, " "))), value)
	}
	first, known := firsts[folded[0]]
	if !known {
		first = len(v.firsts)
		v.firsts, firsts[folded[0]] = append(v.firsts, folded[0]), first
	}
	itself := strings.EqualFold(value, Join(toks))
	v.forms[len(ws)] = append(v.forms[len(ws)], form{first, slices.Clone(folded[1:]), value, itself, ws[len(ws)-1]})
	v.joined = append(v.joined, joined{strings.Join(folded, ""), value})
	for i, t := range toks { // the Band of an LED-Band is no Bande
		folded[i] = l.fold(cmp.Or(t.said, t.Text))
	}
	v.joined = append(v.joined, joined{strings.Join(folded, ""), value})
	if len(toks) == 2 && toks[1].Glued && toks[0].Written == "" && !l.begins(ws[0]) {
		if other, twice := v.short[ws[0]]; twice && other != value {
			value = ""
		}
		v.short[ws[0]] = value
	}
	v.said = append(v.said, strings.Join(ws, " "))
}

// begins reports whether a name of the lexicon begins with word, which then is not only the first part of a compound.
func (l *Language) begins(word string) bool {
	for _, list := range l.first {
		if slices.Contains(list, word) {
			return true
		}
	}
	return false
}

// namesOf reads a name of a vocabulary: an exact one, the longest first, or
// else the one that sounds most alike.
func (l *Language) namesOf(vocab string) reader {
	return func(toks []Token, i int) []Reading {
		v := (*l.names.Load())[vocab]
		if v == nil {
			return nil
		}
		var rs []Reading
		v.exact.Each(toks, i, func(end int, value string) { rs = append(rs, Reading{End: end, Value: value}) })
		return append(rs, v.alike(l, toks, i, rs)...)
	}
}

// alike returns the names that sound like the words at i, the longest first. Where two are equally
// near, neither is taken: a guess would switch the wrong thing.
func (v *vocabulary) alike(l *Language, toks []Token, i int, exact []Reading) (rs []Reading) {
	h := hearing{l: l, v: v, toks: toks[i:min(i+maxNameParts, len(toks))]}
	if len(h.toks) == 0 {
		return nil
	}
	whole := h.whole()
	h.near = make([]int, len(v.firsts))
	for k, first := range v.firsts {
		h.near[k] = distance(first, h.sound(0))
		h.any = h.any || h.near[k] >= 0
	}
	for n := len(h.toks); n > 0; n-- {
		if slices.ContainsFunc(exact, func(r Reading) bool { return r.End == i+n }) {
			continue
		}
		value, off, tie := h.nearest(n)
		if value == "" {
			value = whole[n]
		}
		if value != "" && !tie {
			price := CostMisheard
			if off == 0 {
				price = CostOpen
			}
			rs = append(rs, Reading{i + n, value, price})
		}
	}
	return rs
}

// hearing compares the words at a place with the names of a vocabulary.
type hearing struct {
	l      *Language
	v      *vocabulary
	toks   []Token
	sounds []string // of toks, as far as somebody asked
	near   []int    // of each of v.firsts: how far it is from the first word, or -1
	any    bool     // one of them is near
}

// sound is a word, folded.
func (h *hearing) sound(k int) string {
	for len(h.sounds) <= k {
		h.sounds = append(h.sounds, h.l.fold(h.toks[len(h.sounds)].Text))
	}
	return h.sounds[k]
}

// whole are the names that the first n words are without the spaces: "lamp shade" and "lampshade".
func (h *hearing) whole() (values [maxNameParts + 1]string) {
	text, begins := "", true
	for n := 1; n <= len(h.toks) && begins; n++ {
		text += h.sound(n - 1)
		values[n], begins = h.v.joinedAs(text)
	}
	return values
}

// nearest is the name that the first n words are most like, by how many edits; tie: another one is as near.
func (h *hearing) nearest(n int) (value string, off int, tie bool) {
	if n > 1 && !h.any {
		return "", 0, false
	}
	off = 1 << 30
	last, forms := h.toks[n-1].Text, h.v.forms[n]
	for k := range forms {
		f := &forms[k]
		// "the lights" are not the one that is called Light
		if f.itself && h.l.isMany(last, f.last) && (n == 1 || h.off(f, n-1) == 0) {
			return Join(h.toks[:n]), 0, false
		}
		switch d := h.off(f, n); {
		case d < 0 || d > off || d > 0 && h.bindsOtherwise(f, n):
		case d == off:
			tie = tie || f.value != value && !h.l.isMany(value, f.value)
		default:
			value, off, tie = f.value, d, false
		}
	}
	return value, off, tie
}

// off is how many edits the first n words are away from those of a name, or -1 where a word needs too many.
func (h *hearing) off(f *form, n int) int {
	sum := h.near[f.first]
	for k := 1; k < n && sum >= 0; k++ {
		d := distance(f.rest[k-1], h.sound(k))
		if d < 0 {
			return -1
		}
		sum += d
	}
	return sum
}

// bindsOtherwise reports whether one of n words that were said is in no name and is not that of this one: German "Herd
// nicht" is no Herdlicht.
func (h *hearing) bindsOtherwise(f *form, n int) bool {
	for k, t := range h.toks[:n] {
		name := h.v.firsts[f.first]
		if k > 0 {
			name = f.rest[k-1]
		}
		if h.l.NotAName[t.Text] && name != h.sound(k) {
			return true
		}
	}
	return false
}

// isMany reports whether many is the plural of one.
func (l *Language) isMany(many, one string) bool {
	end, ok := strings.CutPrefix(many, one)
	return ok && slices.Contains(l.Plurals.Said, end)
}

// distance is the number of edits from want to said, or -1 when it needs more than its length
// allows: none below four letters, one up to six, two beyond, or one where the first letter
// differs: "peeling" is not "milking".
func distance(want, said string) int {
	most := 0
	switch {
	case want == said:
		return 0
	case len(want) < 4 || IsDigits(want) || IsDigits(said):
		return -1
	case len(want) < 7 || said == "" || said[0] != want[0]:
		most = 1
	default:
		most = 2
	}
	if d := letters.Edits(want, said, most); d <= most {
		return d
	}
	return -1
}

// fold makes words that sound alike equal where spelling rules allow it: one spelling per homophone
// of the data, no doubled letters, no plural s, and a few groups of letters that English writes in
// several ways. The rules are those of the first steps of Lawrence Philips' Metaphone (1990), with
// the vowels kept.
func (l *Language) fold(w string) string {
	if IsDigits(w) {
		return w
	}
	if same, ok := l.sameSound[w]; ok {
		w = same
	}
	if v := l.small.After(w); v != nil && v.Ends {
		return Decimal(v.value)
	}
	w = sounds.Replace(w)
	out := make([]byte, 0, len(w))
	for i := range len(w) {
		if i == 0 || w[i] != w[i-1] {
			out = append(out, w[i])
		}
	}
	if n := len(out); n > 3 && out[n-1] == 's' {
		out = out[:n-1]
	}
	return string(out)
}

var sounds = strings.NewReplacer(
	"'s", "", "'", "", "ph", "f", "ight", "ite", "kn", "n", "wr", "r", "ck", "k", "ee", "i", "ea", "i", "y", "i",
	"wh", "w", "gh", "g", "ou", "u", "oo", "u", "th", "0",
)
