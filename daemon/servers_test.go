package daemon

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/audio"
	"hearthd/config"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/vad/wake"
)

func TestEachWakeServerIsAskedForItsWords(t *testing.T) {
	c := config.Default()
	c.Wake.Words = []config.WakeWord{
		{Model: "ok_nabu", Server: "127.0.0.1:10400"}, {Model: "/x.json"},
		{Model: "alexa", Name: "the other one", Server: "unix:/run/wake.sock"}, {Model: "hey_jarvis", Server: "127.0.0.1:10400"},
	}
	d := &Daemon{cfg: &c, log: slog.New(slog.DiscardHandler), conditions: health.New(event.NewBus())}
	s, err := d.buildWakeServers()
	if err != nil || len(s.spotters) != 2 || len(s.parts) != 2 || s.parts[0].Name != "wake 127.0.0.1:10400" {
		t.Fatalf("%+v, %v", s, err)
	}
	if spotters, mistakes := openWords(c.Wake.Words, t.TempDir()); len(spotters) != 0 || len(mistakes) != 1 {
		t.Errorf("%d spotters here, %v", len(spotters), mistakes)
	}
	codes := func() (list []string) {
		for _, k := range d.conditions.List() {
			list = append(list, k.Code+": "+k.Text)
		}
		return list
	}
	s.tell(d.conditions, "b", errors.New("refused"))
	s.tell(d.conditions, "a", errors.New("no such word"))
	if diff := cmp.Diff([]string{"wake_server: A wake word server is of no use: a: no such word; b: refused."}, codes()); diff != "" {
		t.Error(diff)
	}
	s.tell(d.conditions, "a", nil)
	s.tell(d.conditions, "b", nil)
	if got := codes(); len(got) != 0 {
		t.Errorf("left %v", got)
	}
}

// always is a spotter that always hears the same.
type always string

func (a always) Push(*audio.Frame, audio.Position) []wake.Detection {
	return []wake.Detection{{Name: string(a), Score: 1}}
}
func (always) Reset() {}

func TestWordOfAServerHasTheNameOfTheConfiguration(t *testing.T) {
	r := renamed{always("ok_nabu"), map[string]string{"ok_nabu": "nabu"}}
	if got := r.Push(&audio.Frame{}, 0); got[0].Name != "nabu" {
		t.Errorf("%+v", got)
	}
	r.Spotter = always("other")
	if got := r.Push(&audio.Frame{}, 0); got[0].Name != "other" {
		t.Errorf("%+v", got)
	}
}
