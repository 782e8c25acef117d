package timeline

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/event"
)

// history is a recorder in fake time.
type history struct {
	*Recorder
	bus *event.Bus
}

func newHistory() *history {
	bus := event.NewBus()
	return &history{New(bus, nil), bus}
}

// tell publishes an event and has it taken, after a time.
func (h *history) tell(after time.Duration, e event.Event) {
	time.Sleep(after)
	h.bus.Publish(e)
	h.take(<-h.sub.C())
}

func TestTurnKeepsWhatHappenedAndWhen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory()
		head := event.Header{Session: 7, Turn: 9}
		h.tell(0, &event.Woken{By: "hey hearth", Score: 0.9})
		h.tell(200*time.Millisecond, &event.SpeechStarted{Utterance: 3})
		h.tell(1500*time.Millisecond, &event.SpeechEnded{Utterance: 3, Reason: "silence"})
		h.tell(120*time.Millisecond, &event.Woken{Header: head, By: "hey hearth"})
		h.tell(2*time.Millisecond, &event.Routed{Header: head, Route: "cloud"})
		h.tell(time.Second, &event.Routed{Header: head, Route: "local"})
		h.tell(10*time.Millisecond, &event.ToolStarted{Header: head, Call: "a", Tool: "weather_now", Arguments: "{}"})
		h.tell(300*time.Millisecond, &event.ToolFinished{Header: head, Call: "a", Tool: "weather_now", Outcome: "ok",
			TookMS: 300, Text: "rain"})
		h.tell(400*time.Millisecond, &event.StateChanged{Header: head, To: event.Speaking})
		h.tell(100*time.Millisecond, &event.StateChanged{Header: head, To: event.Thinking})
		h.tell(100*time.Millisecond, &event.StateChanged{Header: head, To: event.Speaking})
		h.tell(500*time.Millisecond, &event.BargeIn{Header: head, PlayedMS: 700})
		h.tell(0, &event.Turn{Header: head, Source: "voice", Route: "local", Outcome: "interrupted",
			Transcript: "is it raining"})
		list := h.Turns(Query{Limit: 10})
		if len(list) != 1 || list[0].Transcript != "is it raining" || list[0].Outcome != "interrupted" {
			t.Fatalf("turns %+v", list)
		}
		want := []Mark{
			{Wake, -1820, "hey hearth"}, {Speech, -1620, ""}, {SpeechEnd, -120, "silence"}, {Begun, 0, "hey hearth"},
			{Routed, 2, "cloud"}, {Routed, 1002, "local"}, {FirstAudio, 1712, ""}, {BargeIn, 2412, ""},
		}
		if d := cmp.Diff(want, list[0].Marks); d != "" {
			t.Errorf("marks (-want +got):\n%s", d)
		}
		if d := cmp.Diff([]Call{{"a", "weather_now", 1012, 300, "ok", "{}", "rain"}}, list[0].Calls); d != "" {
			t.Errorf("calls (-want +got):\n%s", d)
		}
	})
}

func TestTypedTurnAndAnnouncementHaveNoSpeechOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory()
		h.tell(0, &event.SpeechStarted{Utterance: 3})
		h.tell(time.Second, &event.SpeechEnded{Utterance: 3, Reason: "silence"})
		h.tell(time.Second, &event.Woken{Header: event.Header{Turn: 1}, By: "text"})
		h.tell(0, &event.Turn{Header: event.Header{Turn: 1}, Source: "text"})
		h.tell(0, &event.StateChanged{Header: event.Header{Turn: 2}, To: event.Speaking})
		h.tell(0, &event.Turn{Header: event.Header{Turn: 2}, Source: "announcement"})
		h.tell(time.Minute, &event.Woken{Header: event.Header{Turn: 3}, By: "button"})
		h.tell(0, &event.Turn{Header: event.Header{Turn: 3}, Source: "voice"})
		var kinds []string
		for _, turn := range h.Turns(Query{Limit: 10}) {
			for _, m := range turn.Marks {
				kinds = append(kinds, m.Kind)
			}
			kinds = append(kinds, turn.Source)
		}
		if got := strings.Join(kinds, " "); got != "begun voice first_audio announcement begun text" {
			t.Errorf("marks %s", got)
		}
	})
}

func TestNewestAndSlowestTurnsAreFoundAndTheOldestGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory()
		for i := range uint64(kept + 20) {
			h.tell(0, &event.Turn{
				Header: event.Header{Turn: i + 1}, Source: "voice",
				Stages: event.StageMS{FirstSound: int64(i % 100), Total: 5},
			})
		}
		newest := h.Turns(Query{Limit: 2})
		if newest[0].Header.Turn != kept+20 || newest[1].Header.Turn != kept+19 {
			t.Errorf("newest %d, %d", newest[0].Header.Turn, newest[1].Header.Turn)
		}
		if older := h.Turns(Query{Limit: 1, Before: 100}); older[0].Header.Turn != 99 {
			t.Errorf("before 100 is %d", older[0].Header.Turn)
		}
		if all := h.Turns(Query{Limit: 1000}); len(all) != kept || all[kept-1].Header.Turn != 21 {
			t.Errorf("%d are kept, the oldest %d", len(all), all[len(all)-1].Header.Turn)
		}
		if slow := h.Turns(Query{Limit: 3, Slowest: true}); slow[0].Stages.FirstSound != 99 || len(slow) != 3 {
			t.Errorf("slowest %+v", slow[0].Stages)
		}
	})
}

func TestWordsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory()
		for i := range uint64(2000) {
			head := event.Header{Turn: i + 1}
			h.tell(0, &event.ToolStarted{Header: head, Call: "a", Arguments: strings.Repeat("x", 1000)})
			for range 3 * maxMarks {
				h.tell(0, &event.Routed{Header: head, Route: "local"})
			}
			h.tell(0, &event.Turn{Header: head, Source: "voice", Answer: strings.Repeat("é", 3000)})
		}
		all := h.Turns(Query{Limit: 1000})
		total := 0
		for _, turn := range all {
			total += turn.words()
			if len(turn.Marks) > maxMarks || len(turn.Answer) > maxWords {
				t.Fatalf("a turn has %d marks and %d bytes", len(turn.Marks), len(turn.Answer))
			}
		}
		if total > maxBytes || total != h.bytes || len(all) < 100 {
			t.Errorf("%d turns have %d bytes, counted %d", len(all), total, h.bytes)
		}
	})
}

func TestWhatIsForgottenIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory()
		head := event.Header{Turn: 1}
		h.tell(0, &event.ToolStarted{Header: head, Call: "a", Tool: "list_add", Arguments: "SECRET"})
		h.tell(0, &event.ToolFinished{Header: head, Call: "a", Tool: "list_add", Outcome: "ok", Text: "SECRET"})
		h.tell(0, &event.Turn{Header: head, Source: "text", Transcript: "SECRET", Answer: "SECRET",
			Sources: []event.Source{{Title: "SECRET"}}})
		before := h.Turns(Query{Limit: 1})
		h.Forget()
		forgets := event.Header{Turn: 2}
		h.tell(0, &event.Turn{Header: forgets, Source: "text", Transcript: "SECRET",
			Tools: []event.ToolUse{{Tool: "memory_forget_last", Outcome: "ok"}}})
		for _, turn := range h.Turns(Query{Limit: 10}) {
			if diff := cmp.Diff(turn, Turn{}); strings.Contains(diff, "SECRET") {
				t.Errorf("turn %d still knows it", turn.Header.Turn)
			}
		}
		if before[0].Calls[0].Arguments != "SECRET" {
			t.Error("what was handed out was changed under its reader")
		}
	})
}

func TestEndsThatAreLostCostNothing(t *testing.T) {
	h := newHistory()
	for i := range uint64(1000) {
		h.tell(0, &event.Woken{Header: event.Header{Turn: i + 1}, By: "text"})
	}
	if len(h.open) > maxOpen {
		t.Errorf("%d turns are open", len(h.open))
	}
}
