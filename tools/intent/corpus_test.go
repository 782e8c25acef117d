package intent

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// sentence is one line of kitchen.txt.
type sentence struct {
	text, tool string
	args       map[string]any
}

func kitchen(t testing.TB) []sentence {
	t.Helper()
	var all []sentence
	for _, l := range lines(t, "kitchen.txt") {
		if strings.HasPrefix(l, "#") {
			continue
		}
		text, call, ok := strings.Cut(l, " => ")
		tool, args, _ := strings.Cut(call, " ")
		s := sentence{text: text, tool: tool, args: map[string]any{}}
		if err := yaml.Unmarshal([]byte(args), &s.args); err != nil || !ok {
			t.Fatalf("%s: %v", l, err)
		}
		all = append(all, s)
	}
	return all
}

// leastUnderstood is the share of kitchen.txt that must be understood with the
// right arguments: what is missing is left to a model on purpose.
const leastUnderstood = 0.97

func TestKitchenSentencesAreUnderstood(t *testing.T) {
	m := newMatcher(t)
	all := kitchen(t)
	right, known := 0, 0
	for _, s := range all {
		if !slices.Contains(m.Tools(), s.tool) {
			continue
		}
		known++
		match, _ := m.Match(s.text)
		got, err := plainJSON(match.Call.Arguments)
		want, err2 := plainJSON(s.args)
		if err == nil && err2 == nil && match.Call.Name == s.tool && reflect.DeepEqual(got, want) {
			right++
			continue
		}
		text, _ := json.Marshal(s.args)
		t.Logf("%q: %s %s, want %s %s", s.text, match.Call.Name, match.Call.Arguments, s.tool, text)
	}
	share := float64(right) / float64(known)
	t.Logf("understood: %d of %d, %.1f %%", right, known, 100*share)
	if share < leastUnderstood {
		t.Errorf("understood: %.3f, want %.3f", share, leastUnderstood)
	}
}

func TestChatterIsNoRequest(t *testing.T) {
	m := newMatcher(t)
	for _, file := range []string{"chatter.txt", "talk.txt"} {
		if _, err := os.Stat("testdata/" + file); err != nil {
			t.Fatal(err)
		}
		for _, text := range lines(t, file) {
			if match, ok := m.Match(text); ok && match.Call.Name != "confirm" { // yes and no count only when asked
				t.Errorf("%s: %q: %s %s", file, text, match.Intent, match.Call.Arguments)
			}
		}
	}
}
