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
	v := &vocabulary{forms: map[int][]form{}, joined: map[string]string{}, short: map[string]string{}}
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
			v.add(l, toks, n.Value)
		}
	}
	for word, value := range v.short {
		if value != "" {
			v.exact.Add([]string{word}, value)
		}
	}
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

func (v *vocabulary) add(l *Language, toks []Token, value string) {
	ws := make([]string, len(toks))
	folded := make([]string, len(toks))
	for i, t := range toks {
		ws[i], folded[i] = t.Text, l.fold(t.Text)
	}
	v.exact.Add(ws, value)
	for _, spelling := range []*strings.Replacer{l.plain, l.marked} {
		v.exact.Add(strings.Fields(spelling.Replace(strings.Join(ws, " "))), value)
	}
	v.forms[len(ws)] = append(v.forms[len(ws)], form{slices.Clone(folded), value, strings.EqualFold(value, Join(toks)), ws[len(ws)-1]})
	v.joined[strings.Join(folded, "")] = value
	for i, t := range toks { // the Band of an LED-Band is no Bande
		folded[i] = l.fold(cmp.Or(t.said, t.Text))
	}
	v.joined[strings.Join(folded, "")] = value
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
func (v *vocabulary) alike(l *Language, toks []Token, i int, exact []Reading) []Reading {
	var rs []Reading
	said := make([]string, 0, maxNameParts)
	for k := i; k < len(toks) && k < i+maxNameParts; k++ {
		said = append(said, l.fold(toks[k].Text))
	}
	for n := len(said); n > 0; n-- {
		if slices.ContainsFunc(exact, func(r Reading) bool { return r.End == i+n }) {
			continue
		}
		best, value, tie := 1<<30, "", false
		price := CostMisheard
		last := toks[i+n-1].Text
		for _, f := range v.forms[n] {
			// "the lights" are not the one that is called Light
			if f.itself && l.isMany(last, f.last) && distance(f.words[:n-1], said[:n-1]) == 0 {
				best, value, tie = 0, Join(toks[i:i+n]), false
				break
			}
			switch d := distance(f.words, said[:n]); {
			case d < 0 || d > best || d > 0 && l.bindsOtherwise(f.words, toks[i:i+n]):
			case d == best:
				tie = tie || f.value != value && !l.isMany(value, f.value)
			default:
				best, value, tie = d, f.value, false
			}
		}
		if value == "" {
			value, tie = v.joined[strings.Join(said[:n], "")], false // "lamp shade" and "lampshade"
		}
		if value != "" && !tie {
			if best == 0 {
				price = CostOpen
			}
			rs = append(rs, Reading{i + n, value, price})
		}
	}
	return rs
}

// bindsOtherwise reports whether one of the words that was said is in no name and is not that of this one: German "Herd
// nicht" is no Herdlicht.
func (l *Language) bindsOtherwise(name []string, said []Token) bool {
	for k, t := range said {
		if l.NotAName[t.Text] && name[k] != l.fold(t.Text) {
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

// distance is the number of edits from want to said, or -1 when a word needs more than its length
// allows: none below four letters, one up to six, two beyond, or one where the first letter
// differs: "peeling" is not "milking".
func distance(want, said []string) int {
	sum := 0
	for i, w := range want {
		if w == said[i] {
			continue
		}
		most := 0
		switch {
		case IsDigits(w) || IsDigits(said[i]) || len(w) < 4:
		case len(w) < 7 || said[i] == "" || said[i][0] != w[0]:
			most = 1
		default:
			most = 2
		}
		d := letters.Edits(w, said[i], most)
		if d > most {
			return -1
		}
		sum += d
	}
	return sum
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
