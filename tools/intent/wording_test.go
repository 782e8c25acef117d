package intent

import (
	"slices"
	"testing"
)

func TestWordingsTellHowAToolIsAskedFor(t *testing.T) {
	m, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := m.Wordings()
	for _, tool := range m.Tools() {
		if len(all[tool]) == 0 {
			t.Errorf("nothing is told of %s", tool)
		}
		for term, share := range all[tool] {
			if !(share > 0) || share > 10 {
				t.Errorf("%s: %g of what is said is %q", tool, share, term)
			}
		}
	}
	if _, ok := all[nothing]; ok {
		t.Error("what is no request has words")
	}
	for _, c := range []struct{ term, more, less string }{
		{"louder", "volume_set", "timer_set"}, {"{duration}", "timer_set", "volume_set"}, {"timer", "timer_cancel", "alarm_cancel"},
	} {
		if all[c.more][c.term] <= all[c.less][c.term] {
			t.Errorf("%s: %g for %s, %g for %s", c.term, all[c.more][c.term], c.more, all[c.less][c.term], c.less)
		}
	}
}

func TestTermsAreWordsAndWhatTheyCanFill(t *testing.T) {
	m, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.SetNames("device", []Name{{Value: "washing machine"}})
	got := m.Terms("Is the washing machine done in four minutes?")
	for _, want := range []string{"is", "washing", "minutes", "{duration}", "{name:device}"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not among %q", want, got)
		}
	}
	if near := m.Terms("set an alarm with some of the loud bells"); !slices.Contains(near, "=alarm_set") {
		t.Errorf("what it comes nearest to is not among %q", near)
	}
	if slices.Contains(got, "{text}") || slices.Contains(got, "{items}") {
		t.Errorf("what any words can fill tells nothing: %q", got)
	}
}
