package home

import (
	"slices"
	"strings"
)

// Spoken is how a device is called in a sentence, without its article.
func (e *Entity) Spoken() string {
	switch {
	case e.Name == "" && e.Device == "":
		return strings.ReplaceAll(string(e.Kind), "_", " ")
	case e.Name == "":
		return e.Device
	case e.Device == "" || e.Kind == Scene || e.Kind == Script:
		return e.Name
	}
	rest, said := strings.CutPrefix(strings.ToLower(e.Name), strings.ToLower(e.Device))
	if said && (rest == "" || rest[0] == ' ') {
		return e.Name
	}
	if strings.HasSuffix(strings.ToLower(e.Device), " "+strings.ToLower(e.Name)) { // the fan of the ceiling fan
		return e.Device
	}
	return e.Device + " " + e.Name
}

// Names gives the ways in which people may call a device: its own name, that of
// its device, and its area with what it is. They are for a recogniser.
func (e *Entity) Names() []string {
	forms := []string{e.Spoken()}
	if e.Name != "" {
		forms = append(forms, e.Name)
	}
	forms = append(forms, e.Aliases...)
	if e.Area != "" {
		if e.Name != "" {
			forms = append(forms, e.Area+" "+e.Name)
		}
		words := kindWords[e.Kind]
		if e.Kind == Cover {
			words = lexicon["cover"][e.class()]
		}
		for _, w := range words[:min(2, len(words))] {
			forms = append(forms, e.Area+" "+w, e.Area+" "+w+"s")
		}
	}
	for _, f := range forms { // "the left curtain", which is called Curtain Left
		words := tokens(f)
		if n := len(words) - 1; n > 0 && slices.Contains(lexicon["words"]["side"], words[n]) {
			forms = append(forms, words[n]+" "+strings.Join(words[:n], " "),
				strings.Join(slices.Concat(words[:n-1], words[n:], words[n-1:n]), " "))
		}
	}
	if e.Kind == Light { // "the bedside light", where there is a left and a right one
		words := written(e.Spoken())
		if rest := slices.DeleteFunc(slices.Clone(words), isPlain); len(rest) > 0 && len(rest) < len(words) && !mentions(words, kindWords[Light]) {
			forms = append(forms, strings.Join(rest, " ")+" light", strings.Join(rest, " ")+" lights")
		}
	}
	var out []string
	for _, f := range forms {
		if f = strings.Join(written(f), " "); f != "" && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// called is the name of a device in a sentence, behind "the".
func (e *Entity) called() string {
	name := e.Spoken()
	if e.Kind == BinarySensor && e.Class == "presence" && e.Area+e.Device == "" { // a person
		return name
	}
	if e.Kind != Sensor && e.Kind != BinarySensor && len(tokens(e.Name)) > 1 {
		name = e.Name
	}
	if len(name) > 4 && strings.EqualFold(name[:4], "the ") {
		name = name[4:]
	}
	return lower(name)
}

// lower is a name within a sentence.
func lower(name string) string {
	words := strings.Split(name, " ")
	for i, w := range words {
		if isProper(w) { // no abbreviation
			words[i] = strings.ToLower(w)
		}
	}
	return strings.Join(words, " ")
}

func isProper(w string) bool {
	return len(w) > 1 && strings.ToUpper(w[:1])+strings.ToLower(w[1:]) == w && w != strings.ToLower(w)
}

// the is called with its article.
func (e *Entity) the() string { return article(e.called()) }

// article puts an article before a name, which "lamp 2", "Mia" and "mum's bedside" have none of.
func article(name string) string {
	first, _, _ := strings.Cut(name, " ")
	last := name[strings.LastIndex(name, " ")+1:]
	if last == "" || isNumber(last) || isProper(first) || first == "all" || strings.Contains(name, "'s ") {
		return name
	}
	return "the " + name
}

// is gives the verb for a name.
func is(name string) string {
	name, _, _ = strings.Cut(name, " in ")
	if ws := strings.Fields(name); len(ws) > 0 && plural(ws[len(ws)-1]) && !isProper(ws[len(ws)-1]) {
		return "are"
	}
	return "is"
}

func or(names []string) string {
	if len(names) > 6 {
		names = append(slices.Clone(names[:5]), "another one")
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// choices names devices so that each can be told from the others.
func choices(es []Entity) []string {
	names := make([]string, len(es))
	count := map[string]int{}
	for i := range es {
		names[i] = es[i].called()
		count[names[i]]++
	}
	for i := range es {
		if e := &es[i]; count[names[i]] > 1 {
			switch {
			case e.Area != "":
				names[i] += " in " + article(strings.ToLower(e.Area))
			case e.Device != "" && e.Device != e.Name:
				names[i] = e.Spoken()
			}
		}
	}
	return names
}
