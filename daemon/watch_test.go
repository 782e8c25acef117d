package daemon

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"hearthd/daemon/dialogue"
	"hearthd/daemon/engines"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/journal"
	"hearthd/daemon/secrets"
	"hearthd/daemon/sentences"
	"hearthd/daemon/speakers"
	"hearthd/tools/intent"
	"hearthd/tools/phrase"
)

// bare is a daemon of which nothing runs.
func bare() *Daemon {
	d := &Daemon{base: &base{
		log: slog.New(slog.DiscardHandler), bus: event.NewBus(), tail: journal.NewTail(),
		activity: new(dialogue.Activity), zone: time.Local,
	}}
	d.conditions = health.New(d.bus)
	d.equip()
	return d
}

// equip gives d what depends on its configuration.
func (d *base) equip() {
	d.secrets = secrets.New(d.conditions, d.log)
	d.engines = engines.New(engines.Options{Config: d.cfg, Secrets: d.secrets, Conditions: d.conditions, Log: d.log})
	d.sentences = sentences.New(sentences.Options{Config: d.cfg, Conditions: d.conditions, Log: d.log})
	d.book = phrase.English()
	if d.cfg != nil {
		var err error
		if d.book, err = d.sentences.Book(); err != nil {
			panic(err) // what is built in is tested
		}
	}
	d.speakers = speakers.New(d.book, d.log)
}

func TestDeafRecogniserKeepsItsReason(t *testing.T) {
	d := bare()
	cause := errors.New("no pocketsphinx")
	d.conditions.Set("recogniser", health.Error, "Speech to text does not work: no pocketsphinx.")
	engine := engines.Broken{Err: cause}
	_, err := engine.Open(t.Context())
	if !errors.Is(err, cause) {
		t.Errorf("Open: %v", err)
	}
	d.engines.Hearing(engine).Heard(err)
	if c := d.conditions.List(); len(c) != 1 || c[0].Severity != health.Error {
		t.Errorf("conditions %+v", c)
	}
	d.engines.Hearing(engine).Heard(nil)
	if c := d.conditions.List(); len(c) != 0 {
		t.Errorf("once it was set up: %+v", c)
	}
}

func TestIntentsMatchAndStripTheWakePhrase(t *testing.T) {
	m, err := intent.New(intent.Options{
		Wake: "hey hearth", Triggers: []intent.Trigger{{Sentence: "good night", Tool: "lights_out"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	i := sentences.NewMatcher(m, nil)
	if rest, ok := i.Wake("Hey Hearth, what time is it?"); !ok || rest != "what time is it?" {
		t.Errorf("Wake: %q, %v", rest, ok)
	}
	if call, name, ok := i.Match("what time is it", ""); !ok || call.Name == "" || name == "" {
		t.Errorf("Match: %+v, %q, %v", call, name, ok)
	}
	if call, _, ok := i.Match("Good night.", ""); !ok || call.Name != "lights_out" {
		t.Errorf("declared: %+v, %v", call, ok)
	}
	if call, _, ok := i.Match("why is the sky blue", ""); ok {
		t.Errorf("matched %+v", call)
	}
}
