package health_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
)

// told drains what was published, without stamps.
func told(sub *event.Subscription) []event.ConditionChanged {
	var list []event.ConditionChanged
	for {
		select {
		case e := <-sub.C():
			c := *e.(*event.ConditionChanged)
			c.Header = event.Header{}
			list = append(list, c)
		default:
			return list
		}
	}
}

func TestConditionKeepsItsSinceUntilItIsCleared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := event.NewBus()
		sub := bus.Subscribe("test", 10)
		c := health.New(bus)
		begun := time.Now().Round(0)
		c.Set("broker", health.Warning, "It does not answer.")
		time.Sleep(time.Minute)
		c.Set("broker", health.Warning, "It refuses the password.")
		time.Sleep(time.Minute)
		c.Set("broker", health.Error, "It refuses the password.")
		want := []event.Condition{{Code: "broker", Severity: health.Error, Text: "It refuses the password.",
			Since: begun}}
		if d := cmp.Diff(want, c.List()); d != "" {
			t.Errorf("conditions (-want +got):\n%s", d)
		}
		c.Clear("broker")
		c.Set("broker", health.Warning, "It does not answer.")
		silent := event.Condition{Code: "broker", Severity: "warning", Text: "It does not answer.", Since: begun}
		refuses, worse, again := silent, silent, silent
		refuses.Text = "It refuses the password."
		worse.Severity, worse.Text = "error", refuses.Text
		again.Since = begun.Add(2 * time.Minute)
		events := []event.ConditionChanged{
			{Condition: silent, Active: true},
			{Condition: refuses, Active: true},
			{Condition: worse, Active: true},
			{Condition: worse},
			{Condition: again, Active: true},
		}
		if d := cmp.Diff(events, told(sub)); d != "" {
			t.Errorf("events (-want +got):\n%s", d)
		}
	})
}

func TestCallsThatChangeNothingPublishNothing(t *testing.T) {
	bus := event.NewBus()
	c := health.New(bus)
	c.Set("speaker", health.Error, "It is gone.")
	sub := bus.Subscribe("test", 10)
	c.Set("speaker", health.Error, "It is gone.")
	c.Clear("microphone")
	if got := told(sub); got != nil {
		t.Errorf("published %+v", got)
	}
	c.Clear("speaker")
	c.Clear("speaker")
	if got := told(sub); len(got) != 1 || got[0].Active {
		t.Errorf("published %+v, want one end", got)
	}
}

func TestListHasTheErrorsFirstIsSortedByCodeAndBelongsToTheCaller(t *testing.T) {
	c := health.New(event.NewBus())
	if got := c.List(); got == nil || len(got) != 0 {
		t.Errorf("an empty set lists %#v, want an empty list, which is [] in JSON", got)
	}
	for _, code := range []string{"voice", "broker", "thinker"} {
		c.Set(code, health.Warning, code)
	}
	c.Set("store", health.Error, "store")
	c.List()[0].Text = "overwritten"
	var got []string
	for _, k := range c.List() {
		got = append(got, k.Text)
	}
	if d := cmp.Diff([]string{"store", "broker", "thinker", "voice"}, got); d != "" {
		t.Errorf("order (-want +got):\n%s", d)
	}
}

// An observer rebuilds the set from the events: their order must be that of the
// changes, whoever made them.
func TestEventsOfManySettersReplayToTheSameSet(t *testing.T) {
	bus := event.NewBus()
	sub := bus.Subscribe("test", 10000)
	c := health.New(bus)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				code := fmt.Sprint("code", i%5)
				if (g+i)%3 == 0 {
					c.Clear(code)
				} else {
					c.Set(code, health.Warning, fmt.Sprint(g, i))
				}
			}
		})
	}
	wg.Wait()
	replay := make(map[string]string)
	for _, e := range told(sub) {
		if _, held := replay[e.Code]; !held && !e.Active {
			t.Fatalf("%s ended before it began", e.Code)
		}
		if replay[e.Code] = e.Text; !e.Active {
			delete(replay, e.Code)
		}
	}
	now := make(map[string]string)
	for _, k := range c.List() {
		now[k.Code] = k.Text
	}
	if d := cmp.Diff(now, replay); d != "" {
		t.Errorf("the set and its replay differ (-set +replay):\n%s", d)
	}
}
