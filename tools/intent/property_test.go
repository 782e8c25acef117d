package intent

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"hearthd/tools/intent/lang"

	"github.com/google/go-cmp/cmp"
)

// jsgfRules reads the rules of a JSGF grammar, apart from the writer's code.
func jsgfRules(t testing.TB, text string) map[string]string {
	t.Helper()
	rules := map[string]string{}
	for _, stmt := range strings.Split(text, ";") {
		name, body, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(stmt), "public "), " = ")
		if ok && strings.HasPrefix(name, "<") {
			rules[name] = body
		}
	}
	return rules
}

var jsgfToken = regexp.MustCompile(`<[\w-]+>|[\p{L}']+|[][()|*]`)

// speaker makes random sentences from JSGF rules and notes what each rule that
// stands for a slot became.
type speaker struct {
	m     *Matcher
	rules map[string][]string // tokens
	rng   *rand.Rand
	slots [][2]string // rule, words
}

func newSpeaker(t testing.TB, m *Matcher, jsgf string) *speaker {
	s := &speaker{m: m, rules: map[string][]string{}, rng: rand.New(rand.NewPCG(1, 2))}
	for name, body := range jsgfRules(t, jsgf) {
		s.rules[name] = jsgfToken.FindAllString(body, -1)
	}
	return s
}

func (s *speaker) rule(name string) string {
	text := s.oneOf(s.rules[name])
	typ := strings.Trim(name, "<>")
	for _, kind := range []string{lang.OneName, lang.SomeNames} {
		if vocab, ok := strings.CutPrefix(typ, ruleName(kind)); ok {
			typ = kind + vocab
		}
	}
	if s.m.lang.Readers[typ] != nil && typ != "item" { // items are told as one list
		s.slots = append(s.slots, [2]string{typ, text})
	}
	return text
}

// oneOf says one of the alternatives that toks are.
func (s *speaker) oneOf(toks []string) string {
	var alts [][]string
	for i := 0; ; {
		end := i
		for end < len(toks) && toks[end] != "|" {
			end = after(toks, end)
		}
		alts = append(alts, toks[i:end])
		if end >= len(toks) {
			break
		}
		i = end + 1
	}
	return s.sequence(alts[s.rng.IntN(len(alts))])
}

// after is the index behind the token or bracket at i.
func after(toks []string, i int) int {
	for depth := 0; ; i++ {
		switch toks[i] {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		}
		if depth == 0 {
			return i + 1
		}
	}
}

func (s *speaker) sequence(toks []string) string {
	var said []string
	for i := 0; i < len(toks); {
		end := after(toks, i)
		times := 1
		if end < len(toks) && toks[end] == "*" {
			times = s.rng.IntN(4)
		}
		if toks[i] == "[" {
			times = s.rng.IntN(2)
		}
		for range times {
			switch {
			case end > i+1:
				said = append(said, s.oneOf(toks[i+1:end-1]))
			case toks[i][0] == '<':
				said = append(said, s.rule(toks[i]))
			default:
				said = append(said, toks[i])
			}
		}
		if i = end; i < len(toks) && toks[i] == "*" {
			i++
		}
	}
	return strings.Join(strings.Fields(strings.Join(said, " ")), " ")
}

func TestMatcherUnderstandsEverySentenceOfTheGrammar(t *testing.T) {
	t.Run("en", func(t *testing.T) { everySentence(t, newMatcher(t)) })
	t.Run("de", func(t *testing.T) { everySentence(t, newGerman(t)) })
}

func everySentence(t *testing.T, m *Matcher) {
	g := m.Grammar()
	s := newSpeaker(t, m, g.JSGF)
	for _, in := range m.intents {
		if s.rules["<"+in.name+">"] == nil {
			continue
		}
		for range 100 {
			s.slots = nil
			text := s.rule("<" + in.name + ">")
			got, ok := m.match(situation{while: in.while}, text)
			if !ok || got.Intent != in.name {
				t.Fatalf("%q of %s: got %v %+v", text, in.name, ok, got)
			}
			var args map[string]any
			if err := json.Unmarshal(got.Call.Arguments, &args); err != nil {
				t.Fatal(err)
			}
			for _, slot := range s.slots {
				if want := slotAlone(t, m, slot); !hasValue(args, want) {
					t.Fatalf("%q: %s %q should be %v: %v", text, slot[0], slot[1], want, args)
				}
			}
		}
	}
}

// slotAlone reads the words of a slot by themselves.
func slotAlone(t *testing.T, m *Matcher, slot [2]string) any {
	t.Helper()
	toks, _ := m.lang.Tokenize(slot[1])
	for _, r := range m.lang.Readers[slot[0]](toks, 0) {
		if r.End == len(toks) {
			b, err := json.Marshal(r.Value)
			if err != nil {
				t.Fatal(err)
			}
			var v any
			if err := json.Unmarshal(b, &v); err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	t.Fatalf("%s %q: not read", slot[0], slot[1])
	return nil
}

func hasValue(args map[string]any, want any) bool {
	for _, v := range args {
		if cmp.Equal(v, want) {
			return true
		}
	}
	return false
}

func TestUtteranceIsAWakePhraseARequestOrBoth(t *testing.T) {
	m, err := New(Options{Wake: "ok kitchen"})
	if err != nil {
		t.Fatal(err)
	}
	g := m.Grammar()
	s := newSpeaker(t, m, g.JSGF)
	seen := map[bool]int{}
	for range 2000 {
		text := s.rule("<utterance>")
		rest, awake := m.Wake(text)
		seen[awake]++
		_, ok := m.MatchRinging(rest)
		if !ok {
			_, ok = m.MatchChoice(rest)
		}
		if _, answers := m.match(situation{while: asked}, rest); !ok && !answers && rest != "" {
			t.Fatalf("%q is not understood", text)
		}
	}
	if seen[true] < 100 || seen[false] < 100 {
		t.Errorf("with and without wake phrase: %v", seen)
	}
}

func TestEveryWordOfTheGrammarIsInDebiansDictionary(t *testing.T) {
	f, err := os.Open("/usr/share/pocketsphinx/model/en-us/cmudict-en-us.dict")
	if err != nil {
		t.Fatalf("Debian package pocketsphinx-en-us: %v", err)
	}
	defer f.Close()
	known := map[string]bool{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		w, _, _ := strings.Cut(sc.Text(), " ")
		known[w] = true
	}
	for _, w := range newMatcher(t).Grammar().Words {
		if !known[w] {
			t.Errorf("%q is not in the dictionary", w)
		}
	}
}
