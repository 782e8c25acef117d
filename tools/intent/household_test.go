package intent

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"hearthd/language"
)

// ours is the matcher of a household with these files.
func ours(t *testing.T, files map[string]string) *Matcher {
	t.Helper()
	extra := fstest.MapFS{}
	for name, text := range files {
		extra[name] = &fstest.MapFile{Data: []byte(text)}
	}
	m, err := New(Options{Extra: extra})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// whole fails unless every rule that a grammar refers to is defined, once, and none holds
// itself: else pocketsphinx hears nothing, and says so in its log only.
func whole(t *testing.T, g Grammar) {
	t.Helper()
	rs := newRules()
	_, text, _ := strings.Cut(g.JSGF, "public ")
	rs.block(text)
	for _, name := range rs.order {
		if why := rs.why(name, nil); why != "" {
			t.Errorf("<%s>: %s", name, why)
		}
	}
	for name := range rs.taken {
		t.Errorf("<%s> is there twice", name)
	}
	for w := range strings.FieldsFuncSeq(strings.Join(g.Words, " "), func(r rune) bool { return r == ' ' }) {
		if !sayable(w) {
			t.Errorf("%q is no word", w)
		}
	}
}

const builtInSentence = "what time is it"

func TestCompoundsStandInTheGrammar(t *testing.T) {
	m := ours(t, map[string]string{"a.yaml": `
lexicon:
  metal: [copper, tin]
  vessel: [pot, pan]
compounds:
  metal_vessel: [metal, vessel]
  metals: [metal+, vessel]
intents:
  - name: polish
    say: ["polish the {what:metal_vessel}", "shine {what:metals}"]
`})
	g := m.Grammar()
	whole(t, g)
	if len(g.Left) > 0 || len(m.Mistakes()) > 0 {
		t.Fatal(g.Left, m.Mistakes())
	}
	for _, want := range []string{
		"<metal_vessel> = <metal> <vessel>;", "<metals> = <metal> [and <metal>] <vessel>;",
		"<intent-polish> = polish the <metal_vessel>\n\t| shine <metals>;", "<metal> = copper | tin;",
	} {
		if !strings.Contains(g.JSGF, want) {
			t.Errorf("%s is not in the grammar", want)
		}
	}
	s := newSpeaker(t, m, g.JSGF)
	for range 200 {
		if text := s.rule("<intent-polish>"); !takes(m, text) {
			t.Errorf("%q", text)
		}
	}
}

func takes(m *Matcher, text string) bool { _, ok := m.Match(text); return ok }

func TestOneBadSentenceIsLeftOutAlone(t *testing.T) {
	const good = "intents:\n  - name: polish\n    say:\n    - polish the boots\n"
	for name, c := range map[string]struct{ text, why string }{
		"a type that no rule says":    {good + "    - polish {a:either}\n", "no rule <either>"},
		"another one":                 {good + "    - polish {a:timed}\n", "no rule <timed>"},
		"a type of many words":        {good + "    - polish {a:countdowns}\n", "no rule <countdowns>"},
		"a type that is not there":    {good + "    - polish {a:shoes}\n", "unknown slot type"},
		"a part that is not there":    {good + "    - polish <shoes>\n", "unknown part"},
		"a part that holds itself":    {"parts: {shoes: \"a [<shoes>]\"}\n" + good + "    - polish <shoes>\n", "holds itself"},
		"an empty alternative":        {good + "    - polish (the|)\n", "empty alternative"},
		"signs of JSGF":               {good + "    - polish the <b>; public <x> = boots;\n", "unknown part"},
		"a weight":                    {good + "    - /10/ polish the shoe\n", "unexpected"},
		"a quote":                     {good + "    - \"polish \\\"the\\\" shoe\"\n", "unexpected"},
		"digits":                      {good + "    - polish 2 boots\n", "unexpected"},
		"a picture":                   {good + "    - polish 👢\n", "no word that can be heard"},
		"a direction mark":            {good + "    - polish \u202eboots\n", "no word that can be heard"},
		"a very long one":             {good + "    - polish" + strings.Repeat(" the boots", 5000) + "\n", "words in a row"},
		"a word of the lexicon":       {"lexicon: {shoe: [\"a; <b> = c\", boot]}\n" + good + "    - polish my {a:shoe}\n", "can be heard"},
		"a lexicon of signs":          {"lexicon: {shoe: [\"&\"]}\n" + good + "    - polish my {a:shoe}\n", "no rule <shoe>"},
		"a lexicon of figures":        {"lexicon: {shoe: [\"7\"]}\n" + good + "    - polish my {a:shoe}\n", "no rule <shoe>"},
		"a reserved name":             {"lexicon: {command: [boot]}\n" + good + "    - polish my {a:command}\n", "two rules of the grammar are called <command>"},
		"the name of a part":          {"lexicon: {digit: [boot]}\n" + good + "    - polish my {a:digit}\n", "two rules of the grammar are called <digit>"},
		"a compound of nothing said":  {"lexicon: {shoe: [\"7\"], colour_x: [red]}\ncompounds: {both: [colour_x, shoe]}\n" + good + "    - polish my {a:both}\n", "no rule <shoe>"},
		"a compound of what is not":   {"compounds: {both: [colour_x, shoe]}\n" + good + "    - polish my {a:both}\n", "unknown slot type"},
		"a compound called as a rule": {"lexicon: {shoe: [boot]}\ncompounds: {hour: [shoe]}\n" + good + "    - polish my {a:hour}\n", "two rules of the grammar are called <hour>"},
		"an intent without a name":    {good + "  - say: [polish this]\n", "needs a name"},
		"an intent called oddly":      {good + "  - {name: \"a> = b; <c\", say: [polish this]}\n", "needs a name"},
		"what is said before":         {"before: [\"uh; <x> = y\"]\n" + good, "can be heard"},
	} {
		t.Run(name, func(t *testing.T) {
			m := ours(t, map[string]string{"a.yaml": c.text})
			g := m.Grammar()
			whole(t, g)
			var told []string
			for _, l := range g.Left {
				told = append(told, l.String())
			}
			for _, err := range m.Mistakes() {
				told = append(told, err.Error())
			}
			if all := strings.Join(told, "\n"); !strings.Contains(all, c.why) || !strings.Contains(all, "a.yaml") && !strings.HasPrefix(all, "before") {
				t.Errorf("told: %.400s\nwant %s", all, c.why)
			}
			if !strings.Contains(g.JSGF, "polish the boots") || !takes(m, "polish the boots") || !takes(m, builtInSentence) {
				t.Error("the rest does not work")
			}
		})
	}
}

func TestAGrammarOfTheHouseholdsOwnIsTakenRuleByRule(t *testing.T) {
	for name, c := range map[string]struct{ rule, why string }{
		"a rule that holds itself":   {"<percent> = <percent> a | b;", "holds itself"},
		"rules that hold each other": {"<percent> = <x>; <x> = [<y>] a; <y> = <percent>;", "holds itself"},
		"an empty rule":              {"<percent> = ;", "empty alternative"},
		"a bracket":                  {"<percent> = (a | b;", "missing"},
		"a weight":                   {"<percent> = /0.5/ a | /2/ b;", "unexpected"},
		"a tag":                      {"<percent> = a {tag};", "unexpected"},
		"a repetition":               {"<percent> = a*;", "unexpected"},
		"a rule that is not there":   {"<percent> = <NULL> a;", "no rule has the name"},
		"another one":                {"<percent> = <nothing_here> a;", "no rule <nothing_here>"},
		"twice":                      {"<percent> = a; <percent> = b;", "two rules of the grammar are called <percent>"},
		"in upper case":              {"public <PERCENT> = a;", "no rule <percent>"},
	} {
		t.Run(name, func(t *testing.T) {
			m := ours(t, map[string]string{"a.yaml": "grammar: |\n  <whole> = one | two;\n  " + c.rule + "\n" + `
intents:
  - name: dim
    say: ["dim to {p:percent}", "dim by {p:whole} steps"]
`})
			t.Log(m.Mistakes())
			g := m.Grammar()
			whole(t, g)
			var told []string
			for _, l := range g.Left {
				told = append(told, fmt.Sprint(l))
			}
			if i := slices.IndexFunc(told, func(s string) bool { return strings.Contains(s, "dim to") }); i < 0 || !strings.Contains(told[i], c.why) {
				t.Errorf("told: %.300v\nwant %s", told, c.why)
			}
			if !strings.Contains(g.JSGF, "<intent-dim> = dim by <whole> steps") {
				t.Error("the rest does not work")
			}
		})
	}
}

func TestASentenceWithAWordThatTheRecogniserLacksCanBeTyped(t *testing.T) {
	m := ours(t, map[string]string{"a.yaml": `
lexicon: {drink: [tea, yuzu]}
intents:
  - name: brew
    say: ["brew some {a:drink}", "fetch the quokka", "fetch the [blue] mug"]
`})
	g := m.Grammar("quokka", "yuzu")
	whole(t, g)
	want := []string{`a.yaml, line 2 column 18: lexicon drink: "yuzu": the recogniser does not know the word "yuzu"`,
		`a.yaml, line 5 column 34: "fetch the quokka": the recogniser does not know the word "quokka"`}
	var got []string
	for _, l := range g.Left {
		got = append(got, l.String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if slices.Contains(g.Words, "quokka") || slices.Contains(g.Words, "yuzu") || !strings.Contains(g.JSGF, "fetch the [blue] mug") || !strings.Contains(g.JSGF, "<drink> = tea;") {
		t.Error("the grammar")
	}
	if !takes(m, "fetch the quokka") || !takes(m, "brew some yuzu") {
		t.Error("it cannot be typed")
	}
}

func TestAFileThatCannotBeReadIsLeftOutAlone(t *testing.T) {
	good := "intents:\n  - name: polish\n    say: [polish the boots]\n"
	for _, bad := range []string{"intents: [", "silly: 1\nintents: [{name: x, say: [say cheese]}]", strings.Repeat("[", 5000), "wake: [a]\norders: [x]", "a: &a [*a]"} {
		m := ours(t, map[string]string{"a.yaml": bad, "b.yaml": good})
		if len(m.Mistakes()) != 1 || !strings.HasPrefix(m.Mistakes()[0].Error(), "a.yaml: line ") {
			t.Errorf("%q: %v", bad, m.Mistakes())
		}
		if !takes(m, "polish the boots") || takes(m, "say cheese") || !takes(m, builtInSentence) {
			t.Errorf("%.40q: the rest does not work", bad)
		}
	}
}

// What the household writes in the place of something built in may be what other sentences
// rest on.
func TestAFileThatBreaksWhatIsBuiltInIsLeftOutAlone(t *testing.T) {
	for _, bad := range []string{
		"open: [shoes]\n", "parts: {t_the: \"((\"}\n", "symbols: {abc: def}\n", "compounds: {device_or_area: [nothing]}\nparts: {t_the: \"<t_the>\"}\n",
	} {
		m := ours(t, map[string]string{
			"a.yaml": "intents:\n  - {name: polish, say: [polish the boots]}\n",
			"b.yaml": bad + "intents:\n  - {name: shine, say: [shine the boots]}\n",
			"c.yaml": "intents:\n  - {name: lace, say: [lace the boots]}\n",
		})
		if len(m.Mistakes()) != 1 || !strings.HasPrefix(m.Mistakes()[0].Error(), "b.yaml: it is left out") || strings.Contains(m.Mistakes()[0].Error(), "\n") {
			t.Errorf("%q: %v", bad, m.Mistakes())
		}
		m.SetSamples()
		if !takes(m, "polish the boots") || takes(m, "shine the boots") || !takes(m, "lace the boots") || !takes(m, builtInSentence) || len(m.CheckExamples()) > 0 {
			t.Errorf("%q: the rest does not work", bad)
		}
		whole(t, m.Grammar())
	}
}

func TestPartsOfPartsAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("parts:\n  p0: (a|b)\n")
	for i := range 70 {
		fmt.Fprintf(&b, "  p%d: (<p%d> c|<p%d> d)\n", i+1, i, i)
	}
	b.WriteString("  r69: <p69> <p69>\nintents:\n  - name: polish\n    say: [polish <p70>, polish <r69>, polish the boots]\n")
	m := ours(t, map[string]string{"a.yaml": b.String()})
	if len(m.Mistakes()) != 2 || !strings.Contains(m.Mistakes()[0].Error(), "more than 5000 words") || !strings.HasPrefix(m.Mistakes()[0].Error(), "a.yaml: line ") {
		t.Errorf("%v", m.Mistakes())
	}
	if g := m.Grammar(); len(g.JSGF) > 100_000 || !strings.Contains(g.JSGF, "polish the boots") || !takes(m, "polish the boots") {
		t.Errorf("a grammar of %d bytes", len(g.JSGF))
	}
}

func TestSentencesAreBoundedAllTogether(t *testing.T) {
	var b strings.Builder
	b.WriteString("parts: {big: \"(" + strings.Repeat("a|", 4000) + "b)\"}\nintents:\n  - name: polish\n    say:\n")
	for range 150 {
		b.WriteString("    - polish <big> boots\n")
	}
	b.WriteString("    - polish the boots\n")
	m := ours(t, map[string]string{"a.yaml": b.String()})
	if n := len(m.Mistakes()); n < 20 || !strings.Contains(m.Mistakes()[0].Error(), "all sentences") || !takes(m, "polish a boots") || takes(m, "polish the boots") || !takes(m, builtInSentence) {
		t.Errorf("%d mistakes", n)
	}
	if g := m.Grammar(); len(g.JSGF) > 8*maxAllWritten {
		t.Errorf("a grammar of %d bytes", len(g.JSGF))
	}
}

func TestFilesBehindTheLastThatIsReadAreTold(t *testing.T) {
	files := map[string]string{}
	for i := range maxFiles + 1 {
		files[fmt.Sprintf("f%03d.yaml", i)] = fmt.Sprintf("intents: [{name: polish%d, say: [polish the b%so]}]", i, strings.Repeat("o", i))
	}
	m := ours(t, files)
	if len(m.Mistakes()) != 1 || !strings.HasPrefix(m.Mistakes()[0].Error(), "f200.yaml: there are 201 files") {
		t.Error(m.Mistakes())
	}
	if !takes(m, "polish the bo") || !takes(m, builtInSentence) || takes(m, "polish the b"+strings.Repeat("o", 201)) {
		t.Error("the rest does not work")
	}
}

func TestAMistakeDoesNotCostTheBuiltInIntentThatItWasToReplace(t *testing.T) {
	for text, stays := range map[string]bool{
		"intents: [{name: time_now, say: [\"what (time\", \"{a:nothing}\"]}]":        true,
		"intents: [{name: time_now, while: sometimes, say: [report the hour mark]}]": true,
		"intents: [{name: time_now, say: [\"what (time\", report the hour mark]}]":   false,
	} {
		m := ours(t, map[string]string{"a.yaml": text})
		if len(m.Mistakes()) == 0 || takes(m, builtInSentence) != stays || takes(m, "report the hour mark") == stays {
			t.Errorf("%s: %v", text, m.Mistakes())
		}
		whole(t, m.Grammar())
	}
}

func TestTheBuiltInGrammarLeavesNothingOut(t *testing.T) {
	m := newMatcher(t)
	m.SetSamples()
	g := m.Grammar()
	whole(t, g)
	if len(g.Left) > 0 || len(m.Mistakes()) > 0 {
		t.Error(g.Left, m.Mistakes())
	}
}

// What comes with hearthd may be renamed: a part of a household that took the place of one must
// not lose its effect in silence.
func TestAPartOfNoSentenceIsTold(t *testing.T) {
	m, err := New(Options{Extra: fstest.MapFS{"own.yaml": {Data: []byte("parts:\n  tea_time: time for tea\n  brew: brew|make\n" +
		"intents:\n- {name: tea, say: [<brew> a pot of the green one]}\n")}}})
	if err != nil {
		t.Fatal(err)
	}
	list := m.Mistakes()
	if len(list) != 1 || !strings.HasPrefix(list[0].Error(), "own.yaml: line 2 column ") || !strings.Contains(list[0].Error(), "part <tea_time> stands in no sentence") {
		t.Errorf("%v", list)
	}
	if _, ok := m.Match("make a pot of the green one"); !ok {
		t.Error("the part that is used is not")
	}
}

func TestWordsWithEndsInCommon(t *testing.T) {
	m, err := New(Options{Extra: fstest.MapFS{"own.yaml": {Data: []byte("intents:\n" +
		"- {name: tea, type: ['(brew|boil)[s|ing] (a|the) [nice] tea[s|cup]']}\n")}}})
	if err != nil || len(m.Mistakes()) > 0 {
		t.Fatal(err, m.Mistakes())
	}
	for text, want := range map[string]bool{"boiling the tea": true, "brews a nice teacup": true, "brewed a tea": false, "ing the tea": false} {
		if _, ok := m.Match(text); ok != want {
			t.Errorf("%q: %v", text, ok)
		}
	}
}

func TestEveryPartThatComesWithHearthdIsUsed(t *testing.T) {
	for _, name := range language.Names() {
		dir, _ := language.Folder(name)
		d, err := source{base: dir}.load()
		if err != nil {
			t.Fatal(err)
		}
		parts := d.Parts
		m, err := New(Options{Language: name})
		if err != nil {
			t.Fatal(err)
		}
		used := map[string]bool{}
		for _, part := range m.partNames {
			used[part] = true
		}
		for part := range parts {
			if !used[part] {
				t.Errorf("%s: part <%s> stands in no sentence", name, part)
			}
		}
	}
}
