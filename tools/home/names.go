package home

import (
	"slices"
	"strings"

	"hearthd/language"
	"hearthd/tools/home/entrance"
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

// Names returns the ways in which people who speak a language may call a device: its own name, that
// of its device, and its area with its kind. They are for a recogniser.
func (e *Entity) Names(speech string) []string {
	spoken, ok := spokenWords[speech]
	if !ok {
		spoken = spokenWords["en"]
	}
	forms := []string{e.Spoken()}
	if e.Name != "" {
		forms = append(forms, e.Name)
	}
	forms = append(forms, e.Aliases...)
	forms = append(forms, e.withoutPlace(spoken)...)
	forms = append(forms, e.atPlace(spoken)...)
	forms = append(forms, e.labelled(spoken)...)
	for _, f := range forms { // "the left curtain", which is called Curtain Left
		words := Tokens(f)
		if whole := Written(f); len(whole) == 2 { // die linke Bettlampe, which is called Bettlampe links
			for _, side := range spoken.all["one "+whole[1]] {
				forms = append(forms, side+" "+whole[0])
			}
		}
		if n := len(words) - 1; n > 0 && slices.Contains(lexicon["words"]["side"], words[n]) {
			forms = append(forms, words[n]+" "+strings.Join(words[:n], " "),
				strings.Join(slices.Concat(words[:n-1], words[n:], words[n-1:n]), " "))
		}
	}
	if e.Kind == Light { // "the bedside light", where there is a left and a right one, and "the left bedside"
		words := Written(e.Spoken())
		bare := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return kindWord[Singular(w)] })
		if len(bare) > 1 {
			forms = append(forms, strings.Join(bare, " "))
		}
		rest := slices.DeleteFunc(slices.Clone(words), IsPlain)
		if len(rest) > 0 && len(rest) < len(words) && !Mentions(words, Light.Words()) {
			light := spoken.all["kind "+string(Light)][0]
			forms = append(forms, strings.Join(rest, " ")+" "+light, strings.Join(rest, " ")+" "+spoken.many(light))
		}
	}
	var out []string
	for _, f := range forms {
		for _, f := range []string{strings.Join(Written(f), " "), entire(f)} {
			if f != "" && !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// withoutPlace are the names of devices without the words of their area: the Kitchen Sonos is the Sonos. A single word
// is one only of what shines, sounds or blows, and none that other talk is full of.
func (e *Entity) withoutPlace(spoken ownWords) (forms []string) {
	alone := slices.Contains([]Kind{Light, MediaPlayer, Fan}, e.Kind)
	place := Singulars(Written(e.Area))
	for _, name := range append([]string{e.Spoken()}, e.Aliases...) {
		words := Written(name)
		rest := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(place, Singular(w)) })
		common := len(rest) == 1 && (!alone || IsPlain(rest[0]) || slices.Contains(spoken.all["words common"], rest[0]))
		if len(rest) > 0 && len(rest) < len(words) && !common {
			forms = append(forms, strings.Join(rest, " "))
		}
		last := words[max(len(words)-1, 0):]
		if alone && len(words) > 1 && !IsPlain(last[0]) && !slices.Contains(spoken.all["words common"], last[0]) {
			forms = append(forms, last[0]) // the festoons
		}
	}
	return forms
}

// atPlace are the area with the own name of a device, and with the words for its kind.
func (e *Entity) atPlace(spoken ownWords) (forms []string) {
	if e.Area == "" {
		return nil
	}
	if e.Name != "" {
		forms = append(forms, e.Area+" "+e.Name)
	}
	words := spoken.all["kind "+string(e.Kind)]
	if section, _ := e.Kind.classes(); spoken.all[section+" "+e.SaidClass()] != nil {
		words = spoken.all[section+" "+e.SaidClass()]
	}
	for _, w := range words[:min(2, len(words))] {
		forms = append(forms, e.Area+" "+w, e.Area+" "+spoken.many(w))
	}
	return forms
}

// labelled are the labels of a device, each alone and with the word for its kind: "the Christmas lights".
func (e *Entity) labelled(spoken ownWords) (forms []string) {
	for _, label := range e.Labels {
		forms = append(forms, label)
		for _, kind := range []Kind{e.Kind, map[Kind]Kind{Switch: Light}[e.Kind]} {
			if words := spoken.all["kind "+string(kind)]; len(words) > 0 {
				forms = append(forms, label+" "+spoken.many(words[0]))
			}
		}
	}
	return forms
}

// entire is a name with the fillers within it, such as "feed the cat", or nothing where it has none.
func entire(name string) string {
	words := entrance.Words(name)
	if len(words) < 2 || len(words) > maxWords || !slices.ContainsFunc(words[1:], isFiller) {
		return ""
	}
	return strings.Join(words, " ")
}

// spokenWords are the words of each language by itself.
var spokenWords = func() map[string]ownWords {
	all := map[string]ownWords{}
	for _, name := range language.Names() {
		all[name] = ownWords{language.Words("home.txt", name)}
	}
	return all
}()

// ownWords are the words of one language, by section and key.
type ownWords struct{ all map[string][]string }

// many is what several of what a word names are called.
func (s ownWords) many(w string) string {
	if many := s.all["many "+w]; len(many) > 0 {
		return many[0]
	}
	return w + strings.Join(s.all["words plural"], "")
}

// AreaNames are what people call the area of a device; nil: it has none. Jules Zimmer is that of Jule: "bei Jule",
// "Jules Licht".
func (e *Entity) AreaNames() []string {
	if e.Area == "" {
		return e.AreaAliases
	}
	all := append([]string{e.Area}, e.AreaAliases...)
	for _, name := range slices.Clone(all) {
		words := strings.Fields(name)
		if len(words) != 2 || !slices.Contains(lexicon["words"]["owned"], strings.ToLower(words[1])) {
			continue
		}
		if owner, whose := strings.CutSuffix(words[0], "s"); whose && len(owner) > 2 {
			all = append(all, words[0], strings.TrimRight(owner, "'’"))
		}
	}
	return all
}
