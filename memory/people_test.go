package memory

import (
	"errors"
	"fmt"
	"hearthd/llm"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestImmutableFactsStay(t *testing.T) {
	s := openNew(t)
	birthday := Fact{Person: "anna", Category: Personal, Name: "Birthday", Text: "May 4th"}
	if err := s.SetFact(t.Context(), birthday); err != nil {
		t.Fatal(err)
	}
	birthday.Name, birthday.Text = "birthday ", "may 4th"
	if err := s.SetFact(t.Context(), birthday); err != nil {
		t.Errorf("saying the same again: %v", err)
	}
	birthday.Text = "May 5th"
	if err := s.SetFact(t.Context(), birthday); !errors.Is(err, ErrImmutable) {
		t.Errorf("changing it: %v", err)
	}
	for _, text := range []string{"black", "with milk"} {
		if err := s.SetFact(t.Context(), Fact{Category: Preference, Name: "coffee", Text: text,
			Mutable: true}); err != nil {
			t.Fatal(err)
		}
	}
	facts, err := s.Facts(t.Context(), "anna", 10)
	if err != nil || len(facts) != 2 || facts[0].Text != "with milk" || facts[1].Text != "May 4th" {
		t.Errorf("facts %+v (%v)", facts, err)
	}
	if facts, err := s.Facts(t.Context(), "ben", 10); err != nil || len(facts) != 1 {
		t.Errorf("ben sees %+v (%v)", facts, err)
	}
	if err := s.SetFact(t.Context(), Fact{Category: "weather", Name: "x", Text: "y"}); err == nil {
		t.Error("an unknown category was stored")
	}
}

func TestAPersonIsKeptAndBounded(t *testing.T) {
	s := openNew(t)
	want := Person{
		Name: "anna", Profile: Profile{Called: "Anna", Place: "Graz", Units: "metric", Tickers: []string{"NVDA"}},
		Summary: "Talks about bread.", Topics: []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"},
		LastActive: time.UnixMilli(1_800_000_000_000), Sessions: 3,
	}
	err := s.ChangePerson(t.Context(), "anna", func(p *Person) {
		*p = want
		p.Topics = append(slices.Clone(want.Topics), "too old")
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Person(t.Context(), "anna")
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("(%v) %s", err, cmp.Diff(want, got))
	}
	err = s.ChangePerson(t.Context(), "anna", func(p *Person) { p.Summary = strings.Repeat("x", maxSummary+1) })
	if !errors.Is(err, ErrTooLong) {
		t.Errorf("long summary: %v", err)
	}
}

func TestAnswersExpire(t *testing.T) {
	s := openNew(t)
	now := time.UnixMilli(1_800_000_000_000)
	station := []llm.Source{{Title: "Weather station", URL: "https://example.org/graz"}}
	for _, text := range []string{"Rain.", "Sun."} {
		a := Answer{Key: "weather graz", Thinker: "weather", Text: text, Sources: station, Made: now,
			Expires: now.Add(time.Minute)}
		if err := s.KeepAnswer(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	for at, want := range map[time.Duration]bool{0: true, 59 * time.Second: true, time.Minute: false,
		-time.Second: false} {
		a, ok, err := s.Answer(t.Context(), "weather graz", now.Add(at))
		if err != nil || ok != want || ok && (a.Text != "Sun." || !slices.Equal(a.Sources, station)) {
			t.Errorf("after %v: %+v %v (%v)", at, a, ok, err)
		}
	}
	long := Answer{Key: "x", Text: "y", Sources: []llm.Source{{Title: strings.Repeat("x", maxSources)}}}
	if err := s.KeepAnswer(t.Context(), long); !errors.Is(err, ErrTooLong) {
		t.Errorf("endless sources: %v", err)
	}
}

func TestAPersonWhoIsKnownCanChangeWhenThereAreAsManyAsMayBe(t *testing.T) {
	s := openNew(t)
	for i := range maxPeople {
		if err := s.ChangePerson(t.Context(), fmt.Sprint(i), func(p *Person) { p.Sessions = 1 }); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.ChangePerson(t.Context(), "7", func(p *Person) { p.Sessions = 2 }); err != nil {
		t.Error(err)
	}
	if err := s.ChangePerson(t.Context(), "new", func(*Person) {}); !errors.Is(err, ErrTooMany) {
		t.Errorf("one too many: %v", err)
	}
}
