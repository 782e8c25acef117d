package speakers

import (
	"log/slog"
	"strings"
	"testing"

	"hearthd/llm"
	"hearthd/tools/phrase"
)

func TestSourcesAreToldInOneShortClause(t *testing.T) {
	long := llm.Source{Title: "A very long study of the durability of sourdough bread in damp cellars of the north",
		URL: "https://example.org/"}
	s := New(phrase.English(), slog.New(slog.DiscardHandler))
	for _, c := range []struct {
		sources []llm.Source
		want    string
	}{
		{nil, "That was not looked up anywhere."},
		{[]llm.Source{{Title: "Bread | The Bakery", URL: "https://example.org/bread"}}, "From Bread."},
		{[]llm.Source{{Title: "coffee machine.md, Cleaning, Descaling"}}, "From coffee machine, Cleaning, Descaling."},
		{[]llm.Source{{Title: "boiler.pdf"}, {Title: "boiler.pdf"}, {URL: "https://www.example.org/oven"}},
			"From boiler and example.org."},
		{[]llm.Source{long}, "From A very long study of the durability of sourdough."},
		{[]llm.Source{{Title: "A"}, {Title: "B"}, {Title: "C"}, {Title: "D"}}, "From A, B and C."},
		{[]llm.Source{{Title: strings.Repeat("ö", 200)}}, "From " + strings.Repeat("ö", maxTitle/2) + "."},
	} {
		if got := s.cited(c.sources).Text; got != c.want {
			t.Errorf("%+v: %q, want %q", c.sources, got, c.want)
		}
		if titles := len(c.sources) > 0; s.cited(c.sources).Foreign != titles { // strangers wrote them
			t.Errorf("%+v: foreign %t", c.sources, !titles)
		}
	}
}

// silent is a machine of which nothing is asked.
type silent struct{ machine }

func TestRequestsGoToTheMachineThatHeardThem(t *testing.T) {
	s, box, guest := New(phrase.English(), slog.New(slog.DiscardHandler)), new(silent), new(silent)
	s.Enter("", box)
	leave := s.Enter("a", guest)
	if s.at(llm.Ask{Guest: "a"}) != guest || s.at(llm.Ask{}) != box {
		t.Error("a request goes to another machine")
	}
	leave()
	if s.at(llm.Ask{Guest: "a"}) != box {
		t.Error("who has left is still there")
	}
}
