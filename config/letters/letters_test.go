package letters

import (
	"testing"
	"unicode/utf8"
)

func TestTextIsCutBetweenCharacters(t *testing.T) {
	for _, s := range []string{"", "Küche", "日本語", "a\xffb", "\x00\n"} {
		for limit := range 12 {
			if got := Cut(s, limit); len(got) > limit || !utf8.ValidString(got) {
				t.Errorf("Cut(%q, %d) = %q", s, limit, got)
			}
			if got := Plain(s, limit); len(got) > limit || !utf8.ValidString(got) {
				t.Errorf("Plain(%q, %d) = %q", s, limit, got)
			}
			if got := Marked(s, limit, "…"); utf8.ValidString(s) &&
				(!utf8.ValidString(got) || limit >= len("…") && len(got) > limit) {
				t.Errorf("Marked(%q, %d) = %q", s, limit, got)
			}
		}
	}
	if got := Plain("a\nb\x00c", 10); got != "a b c" {
		t.Errorf("Plain = %q", got)
	}
	if got := Marked("kitchen", 6, "…"); got != "kit…" {
		t.Errorf("Marked = %q", got)
	}
}

func TestEditsCountASwapAsOne(t *testing.T) {
	for _, c := range []struct {
		a, b       string
		most, want int
	}{{"lamp", "lamp", 2, 0}, {"lamp", "lapm", 2, 1}, {"lamp", "lamps", 2, 1}, {"lamp", "light", 2, 3},
		{"lamp", "lamps", 0, 1}} {
		if got := Edits(c.a, c.b, c.most); got != c.want {
			t.Errorf("Edits(%q, %q, %d) = %d, want %d", c.a, c.b, c.most, got, c.want)
		}
	}
}
