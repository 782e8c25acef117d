package tools

import "testing"

func TestFormsOfNamesAndNumbers(t *testing.T) {
	for form, of := range map[string]struct {
		is        func(string) bool
		good, bad []string
	}{
		"name": {isName, []string{"a", "timer_set", "x1_"}, []string{"", "1a", "_a", "A", "a-b", "a b", "ä",
			"a\n", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}},
		"argument": {isArgument, []string{"a", "duration_s"},
			[]string{"", "A", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}},
		"env": {isEnv, []string{"PATH", "_x", "a1"}, []string{"", "1A", "A=B", "A B"}},
		"numeral": {isNumeral, []string{"0", "-1", "12.50", "123456789012345"},
			[]string{"", "-", ".", "1.", ".5", "--1", "1e3", "1.2.3", "+1", "1234567890123456", "1.1234567890123456"}},
	} {
		for _, s := range of.good {
			if !of.is(s) {
				t.Errorf("%s: %q is refused", form, s)
			}
		}
		for _, s := range of.bad {
			if of.is(s) {
				t.Errorf("%s: %q is taken", form, s)
			}
		}
	}
}
