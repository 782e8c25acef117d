package intent

import "strings"

// Bounds of slots whose words are free in typed text.
const (
	maxNameWords = 4  // words of a label, an ingredient, a list or one item
	maxItems     = 20 // items of one request
	maxTextWords = 40 // words of a sentence that is taken as it is
)

// slotTypes gives the readings of a slot at a token, the preferred one first.
var slotTypes = map[string]func(m *Matcher, toks []token, i int) []reading{
	"number":      numbers,
	"temperature": temperatures,
	"duration":    durations,
	"percent":     percents,
	"unit":        units,
	"list":        listNames,
	"label":       names,
	"ingredient":  names,
	"items":       items,
	freeText:      sentences,
}

// freeText is the slot type of any words. A grammar cannot hold it, so it stands
// in what is typed only.
const freeText = "text"

// sentences reads any words, the longest reading first.
func sentences(_ *Matcher, toks []token, i int) []reading {
	var rs []reading
	for n := min(maxTextWords, len(toks)-i); n > 0; n-- {
		rs = append(rs, reading{i + n, join(toks[i : i+n])})
	}
	return rs
}

// units reads a unit of the lexicon as its canonical name.
func units(m *Matcher, toks []token, i int) []reading {
	for n := maxNameWords; n > 0; n-- {
		if i+n > len(toks) {
			continue
		}
		if u, ok := m.units[join(toks[i:i+n])]; ok {
			return []reading{{i + n, u}}
		}
	}
	return nil
}

// names reads any few words, the shortest reading first.
func names(m *Matcher, toks []token, i int) []reading {
	var rs []reading
	if m.notAName[at(toks, i)] {
		return nil
	}
	for n := 1; n <= maxNameWords && i+n <= len(toks); n++ {
		if t := toks[i+n-1]; t.text == "timer" || n > 1 && t.comma {
			break
		}
		rs = append(rs, reading{i + n, join(toks[i : i+n])})
	}
	return rs
}

// listNames reads a list of the lexicon, or else any few words.
func listNames(m *Matcher, toks []token, i int) []reading {
	rs := names(m, toks, i)
	for _, s := range m.file.Lexicon.List {
		if ws := strings.Fields(s); hasWords(toks, i, ws) {
			rs = append([]reading{{i + len(ws), s}}, rs...)
		}
	}
	for k, r := range rs {
		if same, ok := m.listSame[r.value.(string)]; ok {
			rs[k].value = same
		}
	}
	return rs
}

// items reads "milk, eggs and olive oil": any words, cut at commas and "and",
// but never inside something that the lexicon knows. Where a recogniser wrote
// no comma, the lexicon tells where one item ends.
func items(m *Matcher, toks []token, i int) []reading {
	var rs []reading
	for end := i + 1; end <= len(toks); end++ {
		if list := m.split(toks[i:end]); list != nil {
			rs = append(rs, reading{end, list})
		}
	}
	return rs
}

// split gives the items in toks, or nil when they make no sense as items.
func (m *Matcher) split(toks []token) []string {
	if list := m.splitKnown(toks); list != nil {
		return list
	}
	var list []string
	start, inside := 0, 0 // tokens before inside belong to a known item
	for i := 0; i <= len(toks); i++ {
		inside = max(inside, i+m.knownItem(toks, i))
		if i < len(toks) && !(toks[i].text == "and" && i >= inside) && !(toks[i].comma && i > start) {
			continue
		}
		switch name := m.itemName(toks[start:i]); {
		case name != "":
			list = append(list, name)
		case i == 0 || i == len(toks) || !toks[i].comma:
			return nil // "and" without an item on both sides
		}
		if start = i; i < len(toks) && toks[i].text == "and" {
			start++
		}
	}
	return bounded(list)
}

// splitKnown reads toks as known items only, the longest name first.
func (m *Matcher) splitKnown(toks []token) []string {
	var list []string
	for i := 0; i < len(toks); {
		if n := m.knownItem(toks, i); n > 0 {
			list = append(list, join(toks[i:i+n]))
			i += n
			continue
		}
		if t := toks[i].text; i+1 == len(toks) || t != "and" && !articles[t] {
			return nil
		}
		i++
	}
	return bounded(list)
}

func (m *Matcher) knownItem(toks []token, i int) int {
	for n := min(maxNameWords, len(toks)-i); n > 0; n-- {
		if m.known[join(toks[i:i+n])] {
			return n
		}
	}
	return 0
}

func bounded(list []string) []string {
	if len(list) > maxItems {
		return nil
	}
	return list
}

// articles may stand before an item and are not part of it.
var articles = map[string]bool{"a": true, "an": true, "the": true, "some": true, "my": true, "more": true}

// itemName is the item that toks name, or "" when they name none.
func (m *Matcher) itemName(toks []token) string {
	for len(toks) > 1 && articles[toks[0].text] {
		toks = toks[1:]
	}
	if len(toks) == 0 || len(toks) > maxNameWords || m.notAName[toks[0].text] {
		return ""
	}
	return strings.TrimSpace(join(toks))
}
