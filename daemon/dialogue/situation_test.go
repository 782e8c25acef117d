package dialogue

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"hearthd/daemon/event"
	"hearthd/llm"
	"hearthd/vad"
)

var update = flag.Bool("update", false, "write the table of situations into ARCHITECTURE.md")

// drawn is the table as ARCHITECTURE.md shows it.
func drawn() string {
	var b strings.Builder
	columns := reflect.TypeFor[row]()
	b.WriteString("| situation |")
	for i := range columns.NumField() {
		fmt.Fprintf(&b, " %s |", columns.Field(i).Tag.Get("title"))
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", columns.NumField()) + "\n")
	for k, r := range table {
		fmt.Fprintf(&b, "| %s |", kind(k))
		for i := range columns.NumField() {
			fmt.Fprintf(&b, " %s |", reflect.ValueOf(r).Field(i))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestArchitectureShowsTheTableOfSituations(t *testing.T) {
	const file, begin, end = "../../ARCHITECTURE.md", "<!-- situations -->\n", "<!-- /situations -->"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	shown, after, ends := strings.Cut(rest, end)
	if !found || !ends {
		t.Fatalf("%s has no place for the table", file)
	}
	if shown == drawn() {
		return
	}
	if !*update {
		t.Fatalf("%s shows another table; run go test with -update", file)
	}
	if err := os.WriteFile(file, []byte(before+begin+drawn()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestBoxThatCannotHearNeverShowsThatItListens(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		for _, silent := range []func(bool) error{
			func(on bool) error { return r.d.SetMuted(t.Context(), on) },
			func(on bool) error { return r.d.SetMicrophone(t.Context(), !on) },
		} {
			if err := r.d.Listen(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := silent(true); err != nil {
				t.Fatal(err)
			}
			if err := r.d.Listen(t.Context()); err == nil || r.state() == event.Listening {
				t.Errorf("%v, state %s", err, r.state())
			}
			if err := silent(false); err != nil || r.state() != event.Idle {
				t.Errorf("%v, state %s", err, r.state())
			}
		}
	})
}

// situationIs fails unless the machine is where a row of the table says.
func (r *rig) situationIs(want kind) {
	r.t.Helper()
	synctest.Wait()
	var is kind
	if err := r.d.tell(r.t.Context(), func(m *machine) { is = m.kind() }); err != nil {
		r.t.Fatal(err)
	}
	if is != want {
		r.t.Errorf("situation %q, want %q", is, want)
	}
}

func TestEveryRowOfTheTableIsReached(t *testing.T) {
	h := &house{none: true}
	c := &cloud{talks: true, deltas: []llm.Delta{sounds("Yes.")}}
	withCloud(t, c, h.spotted, func(t *testing.T, r *rig) {
		r.situationIs(resting)
		r.spot(1, "jarvis")
		r.situationIs(called)
		r.speak(1)
		r.situationIs(speaking)
		r.ears.will(1, "do door", nil)
		r.silence(1, vad.End, vad.Silence)
		r.situationIs(answering)
		r.turn()
		r.situationIs(questioning)
		r.say(2, "no")
		r.turn()
		r.situationIs(following)
		r.say(3, "is it late")
		r.turn()
		r.situationIs(conversing)
		if err := r.d.Announce(t.Context(), "Dinner is ready.", false, false); err != nil {
			t.Fatal(err)
		}
		r.situationIs(announcing)
		r.turn()
		r.situationIs(conversing)
		r.ring(3)
		r.situationIs(ringing)
		h.mu.Lock()
		h.none = false
		h.mu.Unlock()
		r.spot(4, "jarvis")
		r.situationIs(contested)
		h.rule("bedroom")
		r.situationIs(ringing)
	})
}

func TestQuestionThatNobodyCanAnswerAnyMoreIsANoAndIsSaid(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do door")
		r.turn()
		r.situationIs(questioning)
		if err := r.d.SetMuted(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if turn := r.turn(); turn.Source != "announcement" || turn.Answer != said("dialogue.unanswered") {
			t.Errorf("turn %+v", turn)
		}
		if err := r.d.SetMuted(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		r.say(2, "hey hearth yes")
		r.turn()
		r.isOpen()
	})
}

func TestNothingIsAnnouncedToWhoSpeaksToTheBox(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do tea")
		r.turn()
		r.situationIs(following)
		for _, text := range []string{"Dinner is ready.", "The washing is done."} {
			if err := r.d.Announce(t.Context(), text, false, false); err != nil {
				t.Fatal(err)
			}
		}
		r.ears.will(2, "do coffee", nil)
		r.speak(2) // beside the first one
		r.turn()
		r.situationIs(speaking)
		r.silence(2, vad.End, vad.Silence)
		for _, want := range []string{"It is done.", "The washing is done."} {
			if turn := r.turn(); turn.Answer != want {
				t.Errorf("%q, want %q", turn.Answer, want)
			}
		}
	})
}
