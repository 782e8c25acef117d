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
			words = coverWords[e.class()]
		}
		for _, w := range words[:min(2, len(words))] {
			forms = append(forms, e.Area+" "+w, e.Area+" "+w+"s")
		}
	}
	if e.Kind == Light { // "the bedside light", where there is a left and a right one
		words := tokens(e.Spoken())
		if rest := slices.DeleteFunc(slices.Clone(words), isPlain); len(rest) > 0 && len(rest) < len(words) && !mentions(words, kindWords[Light]) {
			forms = append(forms, strings.Join(rest, " ")+" light", strings.Join(rest, " ")+" lights")
		}
	}
	var out []string
	for _, f := range forms {
		if f = strings.Join(tokens(f), " "); f != "" && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}
