package thinker

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// cutAll gives text to a Sentences in chunks of size bytes.
func cutAll(text string, size int) []string {
	var s splitter
	var out []string
	for len(text) > size {
		out = append(out, s.add(text[:size])...)
		text = text[size:]
	}
	out = append(out, s.add(text)...)
	return append(out, s.rest()...)
}

func TestTextIsCutIntoSentences(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"plain":    {"Hello there. How are you? Good!", []string{"Hello there.", "How are you?", "Good!"}},
		"no end":   {"Hello there", []string{"Hello there"}},
		"decimals": {"It is 3.5 cups. That is 0.8 litres.", []string{"It is 3.5 cups.", "That is 0.8 litres."}},
		"titles": {"Dr. Oetker and Mrs. Beeton agree. So do I. Fine.",
			[]string{"Doctor Oetker and Mrs. Beeton agree.", "So do I.", "Fine."}},
		"abbreviations": {"Use herbs, e.g. Thai basil, i.e. Horapha. No. 5 is best. No. Really.",
			[]string{"Use herbs, for example Thai basil, that is Horapha.", "No. 5 is best.", "No.", "Really."}},
		"lower case goes on": {"Add approx. five tbsp. of oil, etc. and stir.",
			[]string{"Add about five tablespoons of oil, and so on and stir."}},
		"initials": {"J. S. Bach was born in 1685. He ate well.",
			[]string{"J. S. Bach was born in 1685.", "He ate well."}},
		"times": {"It is 5 p.m. Dinner is at 6 p.m. today.", []string{"It is 5 p.m.", "Dinner is at 6 p.m. today."}},
		"ellipsis": {"Hmm... let me think… Yes. Wait... Now.",
			[]string{"Hmm... let me think…", "Yes.", "Wait...", "Now."}},
		"quotes": {`He said "Stop!" and left. "Why?" She knew.`,
			[]string{`He said "Stop!" and left.`, `"Why?"`, "She knew."}},
		"several marks": {"What?! Really!!! Yes.", []string{"What?!", "Really!!!", "Yes."}},
		"addresses": {"See example.com. It is www.example.com/a.b?c=d now.",
			[]string{"See example.com.", "It is a link now."}},
		"bold and code": {"**Ready.** Use `salt` and *pepper*. __Done__.",
			[]string{"Ready.", "Use salt and pepper.", "Done."}},
		"arithmetic": {"2 * 3 is 6. So is 2*3. And 5_000.", []string{"2 * 3 is 6.", "So is 2*3.", "And 5 000."}},
		"bullets": {"You need:\n\n- Milk\n- **Two eggs**\n* Flour.\n\nThat is all.",
			[]string{"You need:", "Milk.", "Two eggs.", "Flour.", "That is all."}},
		"numbers":           {"1. Preheat the oven.\n2. Wait.\n10) Eat", []string{"1. Preheat the oven.", "2. Wait.", "10) Eat"}},
		"number is answer":  {"42.", []string{"42."}},
		"number, then more": {"The answer is 42. Anything else?", []string{"The answer is 42.", "Anything else?"}},
		"headings": {"## Soup\nBoil it.\n> Quote this.\n---\nEnd.",
			[]string{"Soup.", "Boil it.", "Quote this.", "End."}},
		"wrapped lines": {"It is\nraining now.\nTake a coat.", []string{"It is raining now.", "Take a coat."}},
		"links": {"Read [this page](https://a.b/c(d) today. Or ![a cat](x.png) or https://x.y/z. OK [1].",
			[]string{"Read this page today.", "Or a cat or a link.", "OK."}},
		"emoji":             {"Done 🎉. Enjoy! 👩‍🍳👍🏽 It is 20 °C ☀️.", []string{"Done.", "Enjoy!", "It is 20 degrees."}},
		"only emoji":        {"🎉 👍", nil},
		"fence":             {"Here:\n```go\nfmt.Println(\"Hi. You.\")\n```\nThat was it.", []string{"Here:", "That was it."}},
		"open fence":        {"Look. ```rm -rf", []string{"Look."}},
		"thoughts":          {"<think>\nTwo plus two. Four.\n</think>\n\nFour.", []string{"Four."}},
		"not a thought":     {"Is 3 <t or not? Yes <th", []string{"Is 3 <t or not?", "Yes <th"}},
		"tool call as text": {"Sure. <tool_call>\n{\"name\": \"x\"}\n</tool_call>", []string{"Sure."}},
		"raw json":          {`{"name": "timer", "arguments": {"label": "a \"}\" b"}} Done.`, []string{"Done."}},
		"json in text":      {`I call {"a": [1, 2]} now.`, []string{"I call", "now."}},
		"array of objects":  {`[{"a":1},{"b":2}]`, nil},
		"array of strings":  {`You have: ["milk", "eggs"]. [["a"], 1]`, []string{"You have:"}},
		"as Python has it":  {`{'name': 'timer'} Done.`, []string{"Done."}},
		"unseen":            {"\u202eDo\u200bne\u2066. \ufeffGood \u00adby\u00ade.", []string{"Done.", "Good bye."}},
		"braces in prose": {"The set {a, b} is small. See [here] too.",
			[]string{"The set {a, b} is small.", "See [here] too."}},
		"table":   {"| Name | Time |\n|---|---|\n| Egg | 8 |", []string{"Name Time.", "Egg 8"}},
		"html":    {"One.<br>Two <b>big</b> eggs.", []string{"One. Two big eggs."}},
		"chinese": {"你好。今天是晴天！好。", []string{"你好。", "今天是晴天！", "好。"}},
		"german":  {"Grüße aus Köln! Über 20 Grad.", []string{"Grüße aus Köln!", "Über 20 Grad."}},
		"blank":   {" \n\t \r\n ", nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 3, 7, 4096} {
				if diff := cmp.Diff(tc.want, cutAll(tc.text, size)); diff != "" {
					t.Errorf("in chunks of %d (-want +got):\n%s", size, diff)
				}
			}
		})
	}
}

func TestSentenceIsGivenOutWithTheNextWord(t *testing.T) {
	var s splitter
	for _, token := range []string{"It", " is", " 3", ".", "5", " cups", "."} {
		if got := s.add(token); got != nil {
			t.Fatalf("after %q: %q", token, got)
		}
	}
	if diff := cmp.Diff([]string{"It is 3.5 cups."}, s.add(" Then")); diff != "" {
		t.Error(diff)
	}
}

func TestLongSentenceIsCutAtAClause(t *testing.T) {
	text := strings.Repeat("and then you stir, ", 30) + "done."
	got := cutAll(text, 5)
	if len(got) < 3 {
		t.Fatalf("%d pieces", len(got))
	}
	for i, p := range got[:len(got)-1] {
		if !strings.HasSuffix(p, "stir,") || len(p) > maxSentence {
			t.Errorf("piece %d: %q", i, p)
		}
	}
	if strings.Join(got, " ") != text {
		t.Error("words were lost")
	}
}

func TestEndlessWordIsBounded(t *testing.T) {
	for _, word := range []string{"a", "ä", ".", "*", "世", "…", "\x80"} {
		var s splitter
		for range 10_000 {
			s.add(word)
			if len(s.buf) > maxSentence+lookahead {
				t.Fatalf("%q: keeps %d bytes", word, len(s.buf))
			}
		}
	}
}

func FuzzSentences(f *testing.F) {
	f.Add("Hello **there**. It is 3.5 °C, e.g. in Köln…\n- a\n- b", uint8(3))
	f.Add("```x``` {\"a\": \"}\"} <think>no</think> [x](y) 1. One", uint8(1))
	f.Add(strings.Repeat("la, ", 100)+strings.Repeat(".", 300), uint8(9))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		whole := cutAll(text, max(1, len(text)))
		if diff := cmp.Diff(whole, cutAll(text, int(size)+1)); diff != "" {
			t.Errorf("depends on the chunks:\n%s", diff)
		}
		for _, p := range whole {
			if len(p) > maxSentence+1 || !utf8.ValidString(p) || strings.TrimSpace(p) != p ||
				strings.ContainsAny(p, "\n`\x00") {
				t.Errorf("piece %q", p)
			}
		}
	})
}
