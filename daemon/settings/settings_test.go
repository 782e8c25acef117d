package settings

import (
	"path/filepath"
	"testing"
	"time"

	"hearthd/daemon/event"
	"hearthd/daemon/mqtt/contract"
	"hearthd/rigs/memorytest"
)

func open(t *testing.T, path string) (*Settings, *event.Subscription) {
	t.Helper()
	store := memorytest.OpenAt(t, path)
	bus := event.NewBus()
	sub := bus.Subscribe("test", 10)
	s, err := Open(t.Context(), Options{
		Store: store, Bus: bus, Volume: 40, Words: []string{contract.AllWords, contract.Phrase, "hey jarvis"},
		Responder: true,
		Quiet:     func(now time.Time) (string, bool) { return "seven", now.Year() > 2000 },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, sub
}

func TestOnlyTheWakeWordThatWasChosenIsHeeded(t *testing.T) {
	s, _ := open(t, filepath.Join(t.TempDir(), "a.db"))
	words := []string{contract.AllWords, contract.Phrase, "hey jarvis"}
	for _, word := range words[1:] {
		if !s.Heeds(word) {
			t.Errorf("at first %s is not heeded", word)
		}
	}
	for _, word := range words {
		if err := s.SetWakeWord(t.Context(), word); err != nil {
			t.Fatal(err)
		}
		for _, other := range words[1:] {
			if heeds := s.Heeds(other); heeds != (word == contract.AllWords || word == other) {
				t.Errorf("with %s, %s is heeded: %v", word, other, heeds)
			}
		}
	}
	if err := s.SetWakeWord(t.Context(), "alexa"); err != errNoSuchWord {
		t.Errorf("a word that there is not: %v", err)
	}
}

func TestWhatWasChosenHoldsAfterARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s, sub := open(t, path)
	if got, want := s.Values(), (contract.Settings{Volume: 40, WakeWord: contract.AllWords,
		Policy: contract.Auto}); got != want {
		t.Errorf("at first %+v, want %+v", got, want)
	}
	for _, err := range []error{
		s.SetVolume(t.Context(), 55), s.SetMuted(t.Context(), true), s.SetDND(t.Context(), true),
		s.SetWakeWord(t.Context(), "hey jarvis"), s.SetPolicy(t.Context(), contract.Local),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := contract.Settings{Muted: true, DND: true, Volume: 55, WakeWord: "hey jarvis", Policy: contract.Local}
	if got := s.Values(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if n := len(sub.C()); n != 3 {
		t.Errorf("%d changes were published, want 3", n)
	}
	if until, quiet := s.Quiet(); !quiet || until != "" {
		t.Errorf("do not disturb: quiet until %q, %v", until, quiet)
	}
	s, _ = open(t, path)
	if got := s.Values(); got != want {
		t.Errorf("after a restart %+v, want %+v", got, want)
	}
	if err := s.SetDND(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if until, quiet := s.Quiet(); !quiet || until != "seven" {
		t.Errorf("quiet until %q, %v", until, quiet)
	}
}
