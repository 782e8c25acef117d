package discovery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"hearthd/tools/home"
	"hearthd/tools/home/template"
)

// hostile is a template that goes over its budget, with a text for it.
const (
	hostile = `{% for i in range(2000) %}{% set x = value | regex_search('(a*)*b') %}{% endfor %}`
	bait    = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
)

func hostileDocument(name, template string) []byte {
	return fmt.Appendf(nil, `{"name":%q,"state_topic":"s","value_template":%q}`, name, template)
}

func TestTemplateThatGoesOverItsBudgetIsSetAside(t *testing.T) {
	h, _ := newHub(t)
	var log bytes.Buffer
	h.opt.Log = slog.New(slog.NewTextHandler(&log, nil))
	const topic = "homeassistant/sensor/bad/config"
	hear(h, topic, hostileDocument("Cellar meter", hostile))
	hear(h, "homeassistant/sensor/good/config", []byte(`{"name":"Attic meter","state_topic":"s"}`))
	for range 3 {
		hear(h, "s", []byte(bait))
	}
	aside := h.Aside()
	if len(aside) != 1 || !strings.Contains(aside[0], "Cellar meter") || !strings.Contains(aside[0], "value_template") ||
		!strings.Contains(aside[0], "sensor bad") {
		t.Fatalf("%q", aside)
	}
	if n := strings.Count(log.String(), "template set aside"); n != 1 {
		t.Errorf("it is logged %d times", n)
	}
	if e, _ := h.Entity("sensor/good"); e.State[home.Main] != bait {
		t.Errorf("the other one has %v", e.State)
	}
	hear(h, topic, hostileDocument("Cellar meter", hostile)) // as retained, after a reconnect
	if e := h.entities["sensor/bad"]; !e.tmpls[0].aside.Load() || len(h.Aside()) != 1 {
		t.Error("the same document brings it back")
	}
	hear(h, topic, hostileDocument("Cellar meter", "{{ value | length }}"))
	hear(h, "s", []byte(bait))
	if e, _ := h.Entity("sensor/bad"); len(h.Aside()) != 0 || e.State[home.Main] != fmt.Sprint(len(bait)) {
		t.Errorf("mended, it has %v; %q", e.State, h.Aside())
	}
	hear(h, topic, hostileDocument("Cellar meter", hostile))
	hear(h, "s", []byte(bait))
	if hear(h, topic, nil); len(h.Aside()) != 0 {
		t.Errorf("gone, it is named still: %q", h.Aside())
	}
}

func TestCommandAndAvailabilityTemplatesAreSetAside(t *testing.T) {
	h, b := newHub(t)
	hear(h, "homeassistant/select/a/config", fmt.Appendf(nil,
		`{"name":"A","command_topic":"a/set","options":[%q],"command_template":%q,"availability_topic":"there",`+
			`"availability_template":%q}`, bait, hostile, hostile))
	hear(h, "there", []byte(bait))
	if a := h.Aside(); len(a) != 1 || !strings.Contains(a[0], "availability_template") {
		t.Fatalf("%q", a)
	}
	if err := h.Send(t.Context(), "select/a", home.State{home.Main: bait}); !errors.Is(err, template.ErrBudget) ||
		len(b.taken()) > 0 {
		t.Errorf("a command that cannot be made: %v", err)
	}
	if err := h.Send(t.Context(), "select/a", home.State{home.Main: bait}); !errors.Is(err, errAside) {
		t.Errorf("again: %v", err)
	}
	if a := h.Aside(); len(a) != 1 || !strings.Contains(a[0], "command_template") {
		t.Fatalf("%q", a)
	}
}

// A person's own house is not held up by many templates that just keep within their
// budgets: the dearest are set aside until the rest is cheap.
func TestTemplatesThatAreDearTogetherAreSetAside(t *testing.T) {
	h, _ := newHub(t)
	dear := `{% for i in range(8) %}{% set x = (value ~ value ~ value) | regex_search('(a*)*b') %}{% endfor %}` +
		strings.Repeat(" ", 10)
	if tmpl, err := template.Parse(dear); err != nil {
		t.Fatal(err)
	} else if m := template.Read(strings.Repeat(bait, 20)); true {
		if _, err := tmpl.Value(m); err != nil || m.Spent() < template.Budget/4 {
			t.Fatalf("it spends %d: %v", m.Spent(), err)
		}
	}
	for i := range 100 {
		hear(h, fmt.Sprintf("homeassistant/sensor/n%d/config", i), hostileDocument(fmt.Sprint("N", i), dear))
	}
	hear(h, "homeassistant/sensor/good/config", hostileDocument("Good", "{{ value | length }}"))
	payload := []byte(strings.Repeat(bait, 20))
	hear(h, "s", payload)
	hear(h, "s", payload)
	if e, _ := h.Entity("sensor/good"); e.State[home.Main] != fmt.Sprint(len(payload)) {
		t.Errorf("the good one has %v", e.State)
	}
	m := template.Read(string(payload))
	for id := range h.house.topics["s"] {
		h.tell(h.entities[id], "s", m)
	}
	if m.Spent() > maxShare {
		t.Errorf("a message still costs %d", m.Spent())
	}
}

// TestDevicesAreReadWhileATemplateIsEvaluated: with the hub's reader in the middle of an
// evaluation, who asks for devices is answered, and what the broker sends is taken.
func TestDevicesAreReadWhileATemplateIsEvaluated(t *testing.T) {
	h, _ := newHub(t)
	hear(h, "homeassistant/sensor/a/config", []byte(`{"name":"A","state_topic":"s"}`))
	asked := false
	h.entities["sensor/a"].reads[0].take = func(template.Message, home.State) error {
		asked = true
		h.Receive("s", []byte("2"))
		h.Connected()
		h.Changed()
		_ = h.Send(t.Context(), "sensor/a", home.State{})
		if _, there := h.Entity("sensor/a"); !there || len(h.Entities()) != 1 || len(h.Skipped())+len(h.Aside()) > 0 {
			t.Error("the house is not as it was")
		}
		h.entities["sensor/a"].reads = nil
		return nil
	}
	if hear(h, "s", []byte("1")); !asked {
		t.Error("nothing was evaluated")
	}
}

func TestReaderStopsBetweenTwoEvaluations(t *testing.T) {
	h, _ := newHub(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ran := 0
	for i := range 50 {
		hear(h, fmt.Sprintf("homeassistant/sensor/n%d/config", i), fmt.Appendf(nil, `{"name":"N %d","state_topic":"s"}`, i))
		h.entities[fmt.Sprintf("sensor/n%d", i)].reads[0].take = func(template.Message, home.State) error {
			ran++
			cancel()
			return nil
		}
	}
	h.Receive("s", []byte("1"))
	h.Receive("s", []byte("2"))
	if err := h.Run(ctx); err != nil || ran > 1 {
		t.Errorf("%d ran after the end: %v", ran, err)
	}
}

func TestMistakeInReadingAMessageDoesNotEndTheReader(t *testing.T) {
	h, _ := newHub(t)
	hear(h, "homeassistant/sensor/a/config", []byte(`{"name":"A","state_topic":"s"}`))
	h.entities["sensor/a"].reads[0].take = func(template.Message, home.State) error { panic("a mistake") }
	hear(h, "s", []byte("1"))
	if s := h.Skipped(); len(s) != 1 || !strings.Contains(s[0], "a mistake") {
		t.Errorf("%q", s)
	}
	hear(h, "homeassistant/sensor/b/config", []byte(`{"name":"B","state_topic":"r"}`))
	if hear(h, "r", []byte("1")); h.entities["sensor/b"].State[home.Main] != "1" {
		t.Error("nothing is read any more")
	}
}

// What was said before a document came costs no more than what is said after.
func TestWhatWasSaidBeforeIsCaughtUpWithInTheSameBounds(t *testing.T) {
	h, _ := newHub(t)
	hear(h, "homeassistant/sensor/first/config", []byte(`{"name":"First","state_topic":"s"}`))
	hear(h, "s", []byte(bait))
	var parts []string
	for i := range 60 {
		parts = append(parts, fmt.Sprintf(`"n%d":{"p":"sensor","stat_t":"s","val_tpl":%q}`, i, hostile))
	}
	doc := `{"dev":{"ids":"x","name":"X"},"o":{"name":"x"},"cmps":{` + strings.Join(parts, ",") +
		`,"good":{"p":"sensor","name":"Good","stat_t":"s"}}}`
	hear(h, "homeassistant/device/x/config", []byte(doc))
	if e, _ := h.Entity("device/x/good"); e.State[home.Main] != bait || len(h.Aside()) != 60 {
		t.Errorf("%v; %d are set aside", e.State, len(h.Aside()))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h.handle(ctx, "homeassistant/device/x/config", letter{payload: []byte(doc + " "), size: len(doc) + 1})
	if e, _ := h.Entity("device/x/good"); e.State[home.Main] != bait {
		t.Errorf("ended in the middle, it leaves %v", e.State)
	}
}

// A house that was too full takes what is announced again once there is room.
func TestDocumentThatThereWasNoRoomForIsTriedAgain(t *testing.T) {
	h, _ := newHub(t)
	h.house.size = maxHouse
	topic, payload := shapes["small"](0)
	hear(h, topic, []byte(payload))
	if len(h.Entities()) != 0 || len(h.Skipped()) != 1 {
		t.Fatal(h.Skipped())
	}
	h.house.size = 0
	if hear(h, topic, []byte(payload)); len(h.Entities()) != 1 || len(h.Skipped()) != 0 {
		t.Errorf("%d devices, %q", len(h.Entities()), h.Skipped())
	}
}
