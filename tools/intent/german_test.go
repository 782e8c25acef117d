package intent

import "testing"

func newGerman(t testing.TB) *Matcher {
	t.Helper()
	m, err := New(Options{Language: "de"})
	if err != nil {
		t.Fatal(err)
	}
	for vocab, names := range m.sentences().SampleNames {
		var all []Name
		for _, n := range names {
			all = append(all, Name{Value: n})
		}
		m.SetNames(vocab, all)
	}
	return m
}

func TestGermanExamplesAreUnderstoodAsTheySay(t *testing.T) {
	for _, err := range newGerman(t).CheckExamples() {
		t.Error(err)
	}
}

func TestGermanIsUnderstood(t *testing.T) {
	understood(t, newGerman(t), "german.txt", 0.97)
}

func TestGermanChatterIsNoRequest(t *testing.T) {
	m := newGerman(t)
	for _, text := range lines(t, "german_chatter.txt") {
		if match, ok := m.Match(text); ok && match.Call.Name != "confirm" && match.Call.Name != Reply {
			t.Errorf("%q: %s %s", text, match.Intent, match.Call.Arguments)
		}
		if a, b, ok := m.MatchTwo(text); ok {
			t.Errorf("%q: %s %s and %s %s", text, a.Intent, a.Call.Arguments, b.Intent, b.Call.Arguments)
		}
	}
}
