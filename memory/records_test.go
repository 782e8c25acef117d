package memory

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTurnsAreBounded(t *testing.T) {
	s := openNew(t) // keeps 10
	for id := range uint64(25) {
		err := s.AddTurn(t.Context(), Turn{ID: id + 1, Transcript: strings.Repeat("é", maxTranscript),
			Stages: []byte(`{"stt":40}`)})
		if err != nil {
			t.Fatal(err)
		}
	}
	turns, err := s.Turns(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	if len(turns) != 10 || turns[0].ID != 25 || turns[9].ID != 16 {
		t.Errorf("%d turns from %d", len(turns), turns[0].ID)
	}
	if n := len(turns[0].Transcript); n != maxTranscript {
		t.Errorf("transcript of %d bytes", n)
	}
	if err := s.AddTurn(t.Context(), Turn{ID: 26, Stages: []byte(`{"stt":`)}); err == nil {
		t.Error("broken stages were stored")
	}
}

func TestTimersAreBoundedChangedAndForgotten(t *testing.T) {
	s := openNew(t)
	base := time.UnixMilli(1_800_000_000_000)
	all := make([]Timer, maxTimers)
	for i := range all {
		all[i] = Timer{Kind: "timer", Ends: base.Add(time.Duration(i) * time.Second)}
	}
	if ids, err := s.AddTimers(t.Context(), all...); err != nil || len(ids) != maxTimers || ids[49] != 50 {
		t.Fatal(err)
	}
	if _, err := s.AddTimers(t.Context(), Timer{}); !errors.Is(err, ErrTooMany) {
		t.Errorf("error %v", err)
	}
	if _, err := s.AddTimers(t.Context(), Timer{Label: strings.Repeat("x", 641)}); !errors.Is(err, ErrTooLong) {
		t.Errorf("error %v", err)
	}
	all[49].ID, all[49].Ends, all[49].Left, all[49].Rang = 50, base.Add(-time.Hour), time.Minute, base
	all[49].Boot, all[49].Due = -1<<62, time.Second
	if err := s.ChangeTimers(t.Context(), all[49:50], []int64{1, 2, 9999}); err != nil {
		t.Fatal(err)
	}
	if err := s.ChangeTimers(t.Context(), []Timer{{ID: 1}}, nil); err != nil {
		t.Error(err)
	}
	timers, err := s.Timers(t.Context())
	if err != nil || len(timers) != maxTimers-2 || timers[0].ID != 50 || timers[0].Left != time.Minute ||
		!timers[0].Rang.Equal(base) || timers[0].Boot != -1<<62 || timers[0].Due != time.Second ||
		!timers[1].Rang.IsZero() {
		t.Errorf("%d timers, first %v, %v", len(timers), timers[0], err)
	}
	if ids, err := s.AddTimers(t.Context(), Timer{}); err != nil || ids[0] != maxTimers+1 {
		t.Errorf("ids %v were given again (%v)", ids, err)
	}
}

func TestItemsAreUniqueWhateverTheirCase(t *testing.T) {
	s := openNew(t)
	added, err := s.AddItems(t.Context(), "shopping", []string{"Milk", "brown  rice", "milk "})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Milk", "brown  rice"}, added); diff != "" {
		t.Error(diff)
	}
	if _, err := s.AddItems(t.Context(), "hardware", []string{"milk"}); err != nil {
		t.Fatal(err)
	}
	removed, err := s.RemoveItems(t.Context(), "shopping", []string{"BROWN RICE", "bread"})
	if err != nil || len(removed) != 1 {
		t.Errorf("removed %v, %v", removed, err)
	}
	if n, err := s.ClearList(t.Context(), "shopping"); n != 1 || err != nil {
		t.Errorf("cleared %d, %v", n, err)
	}
	if items, err := s.Items(t.Context(), "hardware"); len(items) != 1 || err != nil {
		t.Errorf("another list lost its items: %v, %v", items, err)
	}
}

func TestItemsAreBounded(t *testing.T) {
	s := openNew(t)
	names := make([]string, maxItems)
	for i := range names {
		names[i] = fmt.Sprintf("item %d", i)
	}
	if _, err := s.AddItems(t.Context(), "shopping", names); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddItems(t.Context(), "other", []string{"a", "b"}); !errors.Is(err, ErrTooMany) {
		t.Errorf("error %v", err)
	}
	if items, err := s.Items(t.Context(), "other"); len(items) != 0 || err != nil {
		t.Errorf("half of a refused addition was stored: %v, %v", items, err)
	}
	for _, name := range []string{" ", strings.Repeat("x", 201)} {
		if _, err := s.AddItems(t.Context(), "shopping", []string{name}); !errors.Is(err, ErrTooLong) {
			t.Errorf("error %v", err)
		}
	}
	if added, err := s.AddItems(t.Context(), "shopping", []string{"item 1"}); len(added) != 0 || err != nil {
		t.Errorf("a duplicate on a full list: %v, %v", added, err)
	}
}

func TestVolumeOutOfRangeIsRefused(t *testing.T) {
	s := openNew(t)
	for _, percent := range []int{-1, 101} {
		if err := s.SetVolume(t.Context(), percent); err == nil {
			t.Errorf("%d percent was stored", percent)
		}
	}
	if _, chosen, err := s.Volume(t.Context()); chosen || err != nil {
		t.Errorf("a volume was chosen: %v, %v", chosen, err)
	}
}

func TestWakeWordIsTheOneThatWasChosenLast(t *testing.T) {
	s := openNew(t)
	for _, word := range []string{"", "hey jarvis", "5"} {
		if word != "" {
			if err := s.SetWakeWord(t.Context(), word); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := s.WakeWord(t.Context()); got != word || err != nil {
			t.Errorf("%q, %v; want %q", got, err, word)
		}
	}
}

func TestMarkedEntrancesAreKept(t *testing.T) {
	s := openNew(t)
	yes, no := true, false
	for _, m := range []struct {
		id string
		is *bool
	}{{"switch.gate", &yes}, {"lock.box", &no}, {"switch.gate", &no}, {"x'%_", &yes}, {"gone", &yes}, {"gone", nil},
		{"never", nil}} {
		if err := s.SetEntrance(t.Context(), m.id, m.is); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]bool{"switch.gate": false, "lock.box": false, "x'%_": true}
	if got, err := s.Entrances(t.Context()); err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestNamesOfTheBoxAreKept(t *testing.T) {
	s := openNew(t)
	for _, k := range []struct {
		key   string
		known bool
	}{{"ha/hearth/kitchen/home", true}, {"ha/hearth/pantry/", true}, {"ha/hearth/kitchen/home", false}} {
		if err := s.SetBox(t.Context(), k.key, k.known); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Boxes(t.Context()); err != nil || !slices.Equal(got, []string{"ha/hearth/pantry/"}) {
		t.Errorf("%q, %v", got, err)
	}
}
