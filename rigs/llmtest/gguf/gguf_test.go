package gguf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func script() Script {
	return Script{
		Corpus: strings.Repeat("Set the timer for the kitchen, the timer is set. ", 5),
		Slots:  map[string]map[string]string{"number": {"": "5", "ten": "10", "eleven": "11"}, "city": {"rome": "Rome"}},
		Lines: []Line{
			{Name: "default", Triggers: []string{"", MarkUser}, Text: "Sorry, what?"},
			{Name: "timer", Triggers: []string{"timer"}, Text: Call([2]string{"timer_set", `{"minutes": {number}, "city": "{city}"}`})},
			{Name: "ponder", Triggers: []string{"ponder"}, Thought: "Two and two.", Text: "The answer is four."},
			{Name: "story", Triggers: []string{"story"}, Loop: true, Text: "Once upon a time there was a fox. "},
			{Name: "notes", Triggers: []string{"note"}, Form: true, Text: `{"notes": ["Anna likes tea."]}`},
		},
	}
}

func write(t *testing.T, s Script) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSameScriptGivesTheSameBytes(t *testing.T) {
	first := write(t, script())
	for range 5 {
		if !bytes.Equal(first, write(t, script())) {
			t.Fatal("the files differ")
		}
	}
}

func TestFileIsAModelThatAReaderUnderstands(t *testing.T) {
	m := read(t, write(t, script()))
	tokens := m.keys["tokenizer.ggml.tokens"].([]any)
	width := uint64(m.keys["llama.embedding_length"].(uint32))
	if n := m.keys["llama.vocab_size"].(uint32); int(n) != len(tokens) || len(m.keys["tokenizer.ggml.token_type"].([]any)) != len(tokens) {
		t.Errorf("a vocabulary of %d with %d tokens", n, len(tokens))
	}
	seen := map[string]bool{}
	for _, x := range tokens {
		if seen[x.(string)] {
			t.Errorf("token %q occurs twice", x)
		}
		seen[x.(string)] = true
	}
	for _, want := range []string{"eleven", "Eleven", "▁timer", MarkEnd} {
		if !seen[want] {
			t.Errorf("no token %q", want)
		}
	}
	heads := uint64(m.keys["llama.attention.head_count"].(uint32) * m.keys["llama.attention.key_length"].(uint32))
	for name, want := range map[string][]uint64{
		"token_embd.weight":        {width, uint64(len(tokens))},
		"output.weight":            {width, uint64(len(tokens))},
		"blk.1.attn_q.weight":      {width, heads},
		"blk.1.attn_output.weight": {heads, width},
	} {
		if got := m.shapes[name]; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s has the shape %v, want %v", name, got, want)
		}
	}
}

func TestAllTokensHaveStatesOfOneLength(t *testing.T) {
	m := read(t, write(t, script()))
	width := int(m.shapes["token_embd.weight"][0])
	data, want := m.tensors["token_embd.weight"], float32(0)
	for i := 0; i < len(data); i += width {
		var sum float32
		for _, x := range data[i : i+width] {
			sum += x * x
		}
		if want == 0 {
			want = sum
		}
		if sum != want {
			t.Fatalf("token %d has the length² %v, the first one %v", i/width, sum, want)
		}
	}
}

func TestAnswersAreTokensThatSayWhatTheScriptSays(t *testing.T) {
	s := script()
	b, err := newBrain(s)
	if err != nil {
		t.Fatal(err)
	}
	owner := map[int]string{}
	for k, c := range b.chains {
		said := ""
		for _, id := range c {
			if id < 0 {
				said += "{" + b.v.categories[-1-id].name + "}"
				continue
			}
			if owner[id] != "" {
				t.Errorf("token %q is in %q and %q", b.v.tokens[id].text, owner[id], s.Lines[k].Name)
			}
			owner[id] = s.Lines[k].Name
			said += strings.ReplaceAll(b.v.tokens[id].text, "▁", " ")
		}
		if said != s.Lines[k].Text {
			t.Errorf("%q says %q, want %q", s.Lines[k].Name, said, s.Lines[k].Text)
		}
	}
	if n := len(b.chains[1]); n < 8 {
		t.Errorf("the tool call has %d tokens", n)
	}
}

func TestMistakesOfAScriptAreNamed(t *testing.T) {
	for want, change := range map[string]func(*Script){
		"0 lines":                         func(s *Script) { s.Lines = nil },
		`no line has the trigger ""`:      func(s *Script) { s.Lines[0].Triggers = nil },
		`the name is empty or taken`:      func(s *Script) { s.Lines[1].Name = "default" },
		`belongs to "timer"`:              func(s *Script) { s.Lines[2].Triggers = []string{"timer"} },
		"there is no mark <|nobody|>":     func(s *Script) { s.Lines[2].Triggers = []string{"<|nobody|>"} },
		"there is no slot {colour}":       func(s *Script) { s.Lines[0].Text = "It is {colour} now." },
		"slot {city} needs text":          func(s *Script) { s.Lines[0].Text = "I like {city}" },
		"both stand for":                  func(s *Script) { s.Slots["city"]["five"] = "5" },
		`stands for nothing`:              func(s *Script) { s.Slots["city"]["five"] = "" },
		"want small letters":              func(s *Script) { s.Slots["Big"] = map[string]string{"a": "b"} },
		"does not begin with {":           func(s *Script) { s.Lines[0].Form = true },
		"says a mark":                     func(s *Script) { s.Lines[0].Text = "Well <|end|> now." },
		"a thought has no slots":          func(s *Script) { s.Lines[2].Thought = "I think of {city} now." },
		"has no tokens of its own":        func(s *Script) { s.Lines[0].Text, s.Lines[3].Text = "Hi.", "Hi." },
		"a context of -1 tokens":          func(s *Script) { s.Context = -1 },
		"want 1 to 4096 bytes of text":    func(s *Script) { s.Lines[0].Text = "" },
		"a corpus of 1048577 bytes, want": func(s *Script) { s.Corpus = strings.Repeat("a", maxCorpus+1) },
	} {
		s := script()
		change(&s)
		if err := Write(&bytes.Buffer{}, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := Parse([]byte(`{"lines":[{"nmae":"x"}]}`)); err == nil || !strings.Contains(err.Error(), "nmae") {
		t.Errorf("a misspelt key: %v", err)
	}
}

func TestScriptIsReadFromItsOwnJSON(t *testing.T) {
	b, err := json.Marshal(script())
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(write(t, s), write(t, script())) {
		t.Error("another model")
	}
}

func TestPiecesAreMergesOfEarlierOnes(t *testing.T) {
	known := map[string]bool{}
	for _, p := range pieces(script().Corpus) {
		ok := false
		for i := range p {
			a, b := p[:i], p[i:]
			ok = ok || (known[a] || len([]rune(a)) == 1) && (known[b] || len([]rune(b)) == 1)
		}
		if !ok || known[p] {
			t.Errorf("%q cannot be merged, or is there twice", p)
		}
		known[p] = true
	}
	if !known["▁timer"] {
		t.Error("a frequent word is no piece")
	}
}

func TestEmbedderKnowsItsConcepts(t *testing.T) {
	var b bytes.Buffer
	if err := WriteEmbedder(&b, [][]string{{"tea", "chai"}, {"sugar"}}); err != nil {
		t.Fatal(err)
	}
	m := read(t, b.Bytes())
	width := int(m.shapes["token_embd.weight"][0])
	row := func(word string) string {
		for i, x := range m.keys["tokenizer.ggml.tokens"].([]any) {
			if x == "▁"+word {
				return fmt.Sprint(m.tensors["token_embd.weight"][i*width : (i+1)*width])
			}
		}
		t.Fatalf("no token %q", word)
		return ""
	}
	if row("tea") != row("chai") || row("tea") == row("sugar") || row("x") == row("tea") {
		t.Error("synonyms differ, or others do not")
	}
	for _, bad := range [][][]string{nil, {{"Tea"}}, {{"a b"}}, {{"tea"}, {"tea"}}} {
		if err := WriteEmbedder(&bytes.Buffer{}, bad); err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
}

func FuzzScript(f *testing.F) {
	b, err := json.Marshal(script())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"lines":[{"name":"a","triggers":[""],"text":" é "}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse(text)
		if err != nil || len(text) > 2000 || s.Context > 1<<14 {
			return
		}
		var b bytes.Buffer
		if Write(&b, s) == nil {
			read(t, b.Bytes())
		}
	})
}
