package lang

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestALineOfAListMayHaveBrackets(t *testing.T) {
	for line, want := range map[string][]string{
		"please":                      {"please"},
		"(can|could) you [just]":      {"can you just", "can you", "could you just", "could you"},
		"light[s]":                    {"lights", "light"},
		"if you (have a|get one) day": {"if you have a day", "if you get one day"},
		"[so|well] now":               {"so now", "well now", "now"},
	} {
		got, err := Forms(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
}

func TestALineOfAListWithAWrongBracketIsRefused(t *testing.T) {
	for _, line := range []string{"(a|b", "a]b[", "(a]", "a (b)) c", "[a|b|c] [d|e] (((((f|g)|h) [i|j|k|l|m|n|o] [p|q|r|s|t|u|v|w|x|y|z] [a|b|c|d|e|f|g|h]"} {
		if forms, err := Forms(line); err == nil {
			t.Errorf("%s: %q", line, forms)
		}
	}
	if _, err := Forms("[a|b|c|d] [a|b|c|d] [a|b|c|d] [a|b|c|d] [a|b|c|d] [a|b|c|d]"); err == nil {
		t.Error("a line of 15,625 lines is read")
	}
}

func TestAStarInAValueIsWhatTheBracketsOfItsKeyStandFor(t *testing.T) {
	got, err := keyForms(map[string]string{"(do|does)n't": "* not", "at (ate|8)": "at eight", "pls": "please"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"don't": "do not", "doesn't": "does not", "at ate": "at eight", "at 8": "at eight", "pls": "please"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAStarAsAValueIsEachOfTheBrackets(t *testing.T) {
	all := map[string]*Lexicon{}
	if err := AddLexicon(all, "company", map[string]any{"*": []any{"[the] (apple|dow jones)['s]"}, "coca cola": "coke"}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"apple": "apple", "apple's": "apple", "the apple": "apple", "the apple's": "apple", "dow jones": "dow jones",
		"dow jones's": "dow jones", "the dow jones": "dow jones", "the dow jones's": "dow jones", "coke": "coca cola"}
	if diff := cmp.Diff(want, all["company"].Said); diff != "" {
		t.Error(diff)
	}
}
