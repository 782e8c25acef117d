package ears

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/audio"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/vad/wake"
)

func TestEachWakeServerIsAskedForItsWords(t *testing.T) {
	words := []Word{
		{Model: "ok_nabu", Name: "ok nabu", Server: "127.0.0.1:10400"}, {Model: "/x.json", Name: "x"},
		{Model: "alexa", Name: "the other one", Server: "unix:/run/wake.sock"},
		{Model: "hey_jarvis", Name: "hey jarvis", Server: "127.0.0.1:10400"},
	}
	conditions := health.New(event.NewBus())
	s := newWakeServers(words, conditions, slog.New(slog.DiscardHandler))
	if len(s.spotters) != 2 || len(s.parts) != 2 || s.parts[0].Name != "wake 127.0.0.1:10400" {
		t.Fatalf("%+v", s)
	}
	if spotters, mistakes := openWords(words, t.TempDir()); len(spotters) != 0 || len(mistakes) != 1 {
		t.Errorf("%d spotters here, %v", len(spotters), mistakes)
	}
	codes := func() (list []string) {
		for _, k := range conditions.List() {
			list = append(list, k.Code+": "+k.Text)
		}
		return list
	}
	s.tell(conditions, "b", errors.New("refused"))
	s.tell(conditions, "a", errors.New("no such word"))
	if diff := cmp.Diff([]string{"wake_server: A wake word server is of no use: a: no such word; b: refused."},
		codes()); diff != "" {
		t.Error(diff)
	}
	s.tell(conditions, "a", nil)
	s.tell(conditions, "b", nil)
	if got := codes(); len(got) != 0 {
		t.Errorf("left %v", got)
	}
}

// A configuration that is right in every respect must not keep the daemon from starting.
func TestWakeServerThatCannotBeAskedIsACondition(t *testing.T) {
	long := strings.Repeat("ok_nabu_", 10)
	words := []Word{{Model: long, Name: "nabu", Server: "127.0.0.1:10400"},
		{Model: "alexa", Name: "alexa", Server: "127.0.0.1:10401"}}
	for i := range 33 {
		words = append(words, Word{Model: fmt.Sprintf("word_%d", i), Name: fmt.Sprint(i),
			Server: "unix:/run/wake.sock"})
	}
	conditions := health.New(event.NewBus())
	s := newWakeServers(words, conditions, slog.New(slog.DiscardHandler))
	if len(s.spotters) != 1 || len(s.parts) != 1 {
		t.Fatalf("%+v", s)
	}
	list := conditions.List()
	if len(list) != 1 || !strings.Contains(list[0].Text, "127.0.0.1:10400") ||
		!strings.Contains(list[0].Text, "unix:/run/wake.sock") {
		t.Errorf("%+v", list)
	}
}

// always is a spotter that always hears the same.
type always string

func (always) String() string { return "always" }

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
