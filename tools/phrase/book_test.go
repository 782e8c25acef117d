package phrase

import (
	"maps"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// broken is what no answer has in it.
var broken = regexp.MustCompile(`%!|<no value>|<nil>|\{\{|\}\}|\[\]|map\[| [.,?!]|\.\.`)

// english are words that no German answer has.
var english = regexp.MustCompile(`(?i)\b(the|is|are|you|your|have|has|not|there|it's|for|with|of|and|or|alarms|reminders?|` +
	`lists?|minutes|hours?|today|tomorrow|monday|friday|sorry|no|yes)\b`)

func TestEveryAnswerIsWhole(t *testing.T) {
	list, _ := calls(t)
	for name, b := range books(t) {
		for _, c := range list {
			for _, key := range keys(b) {
				if key == c.key || c.prefix != "" && strings.HasPrefix(key, c.prefix) {
					tryAnswer(t, name, b, key)
				}
			}
		}
	}
}

// tryAnswer says a key with each of the samples.
func tryAnswer(t *testing.T, name string, b *Book, key string) {
	t.Helper()
	names, tries := everything(b, key), 1
	file, _, _ := strings.Cut(key, ".")
	samples := maps.Clone(samples)
	maps.Copy(samples, ofFile[file])
	for _, arg := range names {
		if len(samples[arg]) == 0 {
			t.Errorf("%s: the argument %s of %s has no sample", name, arg, key)
			return
		}
		tries = max(tries, 2*len(samples[arg]))
	}
	for i := range tries {
		args := Args{}
		for at, arg := range names {
			s := samples[arg]
			args[arg] = s[(i+at*(i/len(s)))%len(s)]
		}
		text, err := b.fill(key, args)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		text = strings.Join(strings.Fields(text), " ")
		if broken.MatchString(text) || text == "" && !strings.Contains(b.texts.Lookup(key).Root.String(), "{{if") {
			t.Errorf("%s: %s: %q with %v", name, key, text, args)
		}
		if name != "en" && english.MatchString(text) {
			t.Errorf("%s: %s: %q has English", name, key, text)
		}
	}
}

// everything is the arguments of a key and of the parts that get all of them.
func everything(b *Book, key string) (args []string) {
	u := uses(b, key)
	args = u.args
	for _, part := range u.parts {
		if regexp.MustCompile(`part "` + part + `" \.[ )}]`).MatchString(b.texts.Lookup(key).Root.String()) {
			args = append(args, everything(b, part)...)
		}
	}
	return args
}

func TestNumbersAndDurationsAreSaid(t *testing.T) {
	all := books(t)
	en, de := all["en"], all["de"]
	at := time.Date(2026, 11, 23, 13, 5, 0, 0, time.UTC)
	for _, c := range []struct{ got, want string }{
		{en.Number(0), "zero"}, {en.Number(45), "forty-five"}, {en.Number(100), "100"}, {en.Number(-3), "-3"},
		{de.Number(1), "eins"}, {de.Number(21), "einundzwanzig"}, {de.Number(70), "siebzig"}, {de.Number(99), "neunundneunzig"},
		{en.Count(1, "item"), "one item"}, {en.Count(3, "item"), "three items"},
		{de.Count(1, "Minute", "dative"), "einer Minute"}, {de.Count(1, "Timer", "accusative"), "einen Timer"},
		{de.Count(2, "Tag", "dative"), "zwei Tagen"}, {de.Count(3, "Küchentimer", "dative"), "drei Timern"},
		{en.Duration(0), "no time"}, {en.Duration(59*time.Second + 700*time.Millisecond), "one minute"},
		{en.Duration(6*time.Minute + 20*time.Second), "six minutes and twenty seconds"},
		{en.Duration(90*time.Minute + 20*time.Second), "one hour and thirty minutes"},
		{de.Duration(time.Hour+time.Minute, "dative"), "einer Stunde und einer Minute"},
		{de.Duration(3 * time.Minute), "drei Minuten"},
		{en.Clock(at), "1:05 PM"}, {en.Clock(at.Truncate(time.Hour)), "1 PM"}, {en.Clock(at.Add(11 * time.Hour)), "12:05 AM"},
		{de.Clock(at), "13 Uhr 5"}, {de.Clock(at.Add(-12 * time.Hour).Truncate(time.Hour)), "ein Uhr"},
		{en.date(at), "November 23rd"}, {en.ordinal(11), "11th"}, {en.ordinal(22), "22nd"}, {en.ordinal(101), "101st"},
		{de.date(at), "dreiundzwanzigste November"}, {de.ordinal(3, "dative"), "dritten"}, {de.ordinal(19), "neunzehnte"},
		{en.Day(at, at), "today"}, {en.Day(at.AddDate(0, 0, 4), at), "on Friday"},
		{en.Day(at.AddDate(0, 0, 20), at), "on December 13th"}, {en.Day(at.AddDate(1, 0, 0), at), "on November 23rd 2027"},
		{de.Day(at.AddDate(0, 0, 2), at), "übermorgen"}, {de.Day(at.AddDate(0, 0, 20), at), "am dreizehnten Dezember"},
		{en.Decimal(1250.5), "1,250.5"}, {de.Decimal(-1000000), "minus 1.000.000"},
		{en.List([]string{"a", "b", "c"}), "a, b and c"}, {de.Either([]string{"a", "b"}), "a oder b"},
		{de.List(strings.Fields("a b c d e f g h i j k l")), "a, b, c, d, e, f, g, h, i, j und zwei weitere"},
		{en.You("to call my mother"), "to call your mother"}, {de.You("meine Mutter anzurufen"), "deine Mutter anzurufen"},
		{de.You("dass ich meine Oma anrufen muss"), "dass du deine Oma anrufen musst"},
		{de.You("dass ich den Müll rausstelle"), "dass du den Müll rausstellst"},
		{de.You("dass ich die Tabletten mitnehme"), "dass du die Tabletten mitnimmst"},
		{de.You("dass ich die Blumen gieße"), "dass du die Blumen gießt"},
		{de.You("dass wir losfahren müssen"), "dass ihr losfahren müsst"},
		{de.You("dass wir den Rasen mähen wollten"), "dass ihr den Rasen mähen wolltet"},
		{de.You("dass der Kuchen fertig ist"), "dass der Kuchen fertig ist"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestNamesOfThingsHaveTheirArticleAndCase(t *testing.T) {
	de := books(t)["de"]
	for name, want := range map[string][3]string{
		"Wohnzimmer":      {"das Wohnzimmer", "im Wohnzimmer", "ist"},
		"Küche":           {"die Küche", "in der Küche", "ist"},
		"flur":            {"der flur", "im Flur", "ist"},
		"Deckenlampe":     {"die Deckenlampe", "in der Deckenlampe", "ist"},
		"Lampe im Flur":   {"die Lampe im Flur", "in der Lampe im Flur", "ist"},
		"Flurlichter":     {"die Flurlichter", "in den Flurlichtern", "sind"},
		"Fenster":         {"das Fenster", "im Fenster", "ist"}, // one or many: the word does not tell
		"Lümmelecke":      {"Lümmelecke", "im Bereich Lümmelecke", "ist"},
		"kleines Bad":     {"kleines Bad", "im Bereich kleines Bad", "ist"},
		"Bäckerei":        {"Bäckerei", "im Bereich Bäckerei", "ist"},
		"Lampe Esszimmer": {"die Lampe Esszimmer", "in der Lampe Esszimmer", "ist"},
		"Nachttisch Mia":  {"der Nachttisch Mia", "im Nachttisch Mia", "ist"},
		"Küche Licht":     {"Küche Licht", "im Bereich Küche Licht", "ist"},
	} {
		in, err := de.part("core.in", name)
		if got := [3]string{de.the(name), in, de.agree(name, "ist", "sind")}; got != want || err != nil {
			t.Errorf("%s: %q, want %q, %v", name, got, want, err)
		}
	}
}

func TestAHouseholdChangesAndAddsAnswers(t *testing.T) {
	own := fstest.MapFS{"answers/core.yaml": {Data: []byte("wordless: Nothing.\n")}}
	b, err := New(Options{Extra: own})
	if err != nil || b.Say("core.wordless") != "Nothing." || b.Part("core.no_time") != "no time" {
		t.Error(b, err)
	}
	b, err = New(Options{Language: "fr", Extra: fstest.MapFS{"answers/core.yaml": {Data: []byte("wordless: Rien.\n")}}})
	if err != nil || b.Say("core.wordless") != "Rien." || b.Duration(time.Minute) != "one minute" {
		t.Error(b, err)
	}
}

func TestMistakesInAnswersAreToldWithTheirFile(t *testing.T) {
	for text, want := range map[string]string{
		"x: '{{.a'":           "core.x",
		"x: '{{nothing .a}}'": `function "nothing" not defined`,
		"x: ''":               "core.x is empty",
		"x: [1]":              "answers/core.yaml",
	} {
		_, err := New(Options{Extra: fstest.MapFS{"answers/core.yaml": {Data: []byte(text)}}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	short := fstest.MapFS{"answers/grammar.yaml": {Data: []byte("months: [January]")}}
	if _, err := New(Options{Extra: short}); err == nil || !strings.Contains(err.Error(), "months has 1 words, not 12") {
		t.Error(err)
	}
}

func TestNobodyIsLeftWithoutAnAnswer(t *testing.T) {
	b := English()
	for _, got := range []string{b.Say("core.nothing_of_that_name"), b.Say("core.minus")} {
		if got != "Sorry, I have no words for that." {
			t.Error(got)
		}
	}
}

// What a household writes that puts an answer into itself ends with another sentence, and not the process.
func TestAnAnswerWithinItselfEnds(t *testing.T) {
	own := fstest.MapFS{"answers/own.yaml": {Data: []byte("one: '{{part \"own.two\" .}}'\n" +
		"two: '{{range each \"own.one\" .names}}{{.}}{{end}}'\n")}}
	b, err := New(Options{Extra: own})
	if err != nil {
		t.Fatal(err)
	}
	names := []Args{{"names": nil}, {}}
	names[0]["names"] = names
	for _, key := range []string{"own.one", "own.two"} {
		if got := b.Say(key, Args{"names": names}); got != "Sorry, I have no words for that." {
			t.Errorf("%s: %q", key, got)
		}
	}
	if got := b.Say("core.wordless"); got != "Sorry, I have no words for that." {
		t.Errorf("%q", got)
	}
}
