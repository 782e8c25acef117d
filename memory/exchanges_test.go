package memory

import (
	"errors"
	"fmt"
	"hearthd/llm"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestExchangesWaitForTheSummaryThatHoldsThem(t *testing.T) {
	s := openNew(t)
	at := time.UnixMilli(1_800_000_000_000)
	if err := s.KeepExchanges(t.Context(),
		llm.Exchange{Time: at, User: "I like tea.", Answer: "Good."},
		llm.Exchange{Time: at, Person: "anna", User: "I like cake.", Answer: "Good."},
		llm.Exchange{Time: at, User: "Without sugar.", Answer: "Good."},
	); err != nil {
		t.Fatal(err)
	}
	all, err := s.Exchanges(t.Context())
	if err != nil || len(all) != 3 || all[0].User != "I like tea." || !all[0].Time.Equal(at) ||
		all[1].Person != "anna" {
		t.Fatalf("%+v (%v)", all, err)
	}
	if err := s.ChangePerson(t.Context(), "", func(p *Person) { p.Profile.Called = "Bo" }); err != nil {
		t.Fatal(err)
	}
	if err := s.Summarise(t.Context(), "", strings.Repeat("x", maxSummary+1), all[2].ID); !errors.Is(err, ErrTooLong) {
		t.Errorf("a summary that is too long: %v", err)
	}
	if left, err := s.Exchanges(t.Context()); err != nil || len(left) != 3 {
		t.Errorf("after a summary that failed: %+v (%v)", left, err)
	}
	if err := s.Summarise(t.Context(), "", "They like tea.", all[1].ID); err != nil {
		t.Fatal(err)
	}
	left, err := s.Exchanges(t.Context())
	if err != nil || len(left) != 2 || left[0].Person != "anna" || left[1].User != "Without sugar." {
		t.Errorf("left %+v (%v)", left, err)
	}
	if p, err := s.Person(t.Context(), ""); err != nil || p.Summary != "They like tea." || p.Profile.Called != "Bo" {
		t.Errorf("%+v (%v)", p, err)
	}
}

func TestExchangesAreBounded(t *testing.T) {
	s := openNew(t)
	for i := range keepExchanges + 10 {
		e := llm.Exchange{Time: time.Now(), User: fmt.Sprint("request ", i), Answer: strings.Repeat("ü", maxExchange)}
		if err := s.KeepExchanges(t.Context(), e, llm.Exchange{Time: e.Time, Person: "anna", User: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := s.Exchanges(t.Context())
	if err != nil || len(all) != 2*keepExchanges || all[0].User != "request 10" || len(all[0].Answer) > maxExchange ||
		!utf8.ValidString(all[0].Answer) {
		t.Errorf("%d exchanges, the first is %.40q (%v)", len(all), all[0].User, err)
	}
	if err := s.KeepExchanges(t.Context(), llm.Exchange{Person: strings.Repeat("x", maxPerson+1)}); !errors.Is(err,
		ErrTooLong) {
		t.Error(err)
	}
}
