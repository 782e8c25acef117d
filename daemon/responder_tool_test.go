package daemon

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/event"
	"hearthd/daemon/responder"
	"hearthd/rigs/llmtest"
)

// calls says a filler and calls a tool, and then answers.
func calls(filler string, call llmtest.RealtimeCall, answer string) func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
	return func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		if len(turn.Outputs) > 0 {
			return llmtest.RealtimeAnswer{Text: answer}
		}
		return llmtest.RealtimeAnswer{Text: filler, Heard: "What I asked.", Calls: []llmtest.RealtimeCall{call}}
	}
}

// answered checks what a turn of the responder with one call leaves behind.
func (p *parlour) answered(doc *event.Turn, said []string, tool, filler, answer, output string) {
	p.Helper()
	if doc.Route != "cloud" || doc.Outcome != "answered" || doc.Transcript != "What I asked." ||
		doc.Answer != filler+" "+answer {
		p.Errorf("%+v", doc)
	}
	if len(doc.Tools) != 1 || doc.Tools[0].Tool != tool || doc.Tools[0].Outcome != "ok" {
		p.Errorf("tools %+v", doc.Tools)
	}
	if diff := cmp.Diff([]string{filler, answer}, said); diff != "" {
		p.Errorf("told: %s", diff)
	}
	if whole, once := p.heard(filler + answer); !whole || !once {
		p.Errorf("%d samples were heard: whole %t, once %t", p.sounded.Load(), whole, once)
	}
	if diff := cmp.Diff([]string{"call_1: " + output}, p.outputs()); diff != "" {
		p.Errorf("outputs: %s", diff)
	}
	if n := len(p.sent("response.create")); n != 2 {
		p.Errorf("%d responses", n)
	}
	p.remembered(doc)
}

func TestResponderIsOfferedWhatIsQuickInTheHouse(t *testing.T) {
	p := newParlour(t, llmtest.NewRealtime(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		return llmtest.RealtimeAnswer{Text: "Yes."}
	}), llmtest.NewOllama(t, "small", nil))
	p.asks()
	p.turn()
	var names []string
	for _, tool := range p.sent("session.update")[0]["session"].(map[string]any)["tools"].([]any) {
		names = append(names, tool.(map[string]any)["name"].(string))
	}
	for _, name := range []string{responder.ConsultTool, "alarm_set", "convert_unit", "list_add", "reminder_set",
		"timer_set", "time_now", "speaker_stop", "volume_set"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is not among %q", name, names)
		}
	}
	for _, name := range names {
		if strings.HasPrefix(name, "weather_") || strings.HasPrefix(name, "news_") {
			t.Errorf("%s is left to a thinker", name)
		}
	}
}

func TestResponderRunsAToolOfTheHouse(t *testing.T) {
	const filler, answer = "Sure.", "Milk is on it."
	p := newParlour(t, llmtest.NewRealtime(t, calls(filler, llmtest.RealtimeCall{ID: "call_1", Name: "list_add",
		Arguments: `{"items":["milk"]}`}, answer)),
		llmtest.NewOllama(t, "small", nil))
	p.asks()
	doc, said := p.turn()
	p.answered(doc, said, "list_add", filler, answer, "Added milk to the shopping list.")
	if items, err := p.d.store.Items(t.Context(), "shopping"); err != nil || len(items) != 1 || items[0] != "milk" {
		t.Errorf("the list has %q, %v", items, err)
	}
	if v := p.d.vitals(p.d.sound.microphone, p.d.assistant.responder)(); doc.Cost == 0 ||
		math.Abs(*v.SpentToday-doc.Cost) > 1e-9 || math.Abs(*v.SpentMonth-doc.Cost) > 1e-9 {
		t.Errorf("spent %v today and %v in the month, and the turn %v", *v.SpentToday, *v.SpentMonth, doc.Cost)
	}
}

func TestResponderSpeaksWhileAThinkerWorks(t *testing.T) {
	const filler, answer = "Let me ask.", "It is high."
	asked, known := make(chan struct{}), make(chan struct{})
	ask := sync.OnceFunc(func() { close(asked) })
	ollama := llmtest.NewOllama(t, "small", func(llmtest.OllamaRequest) []llmtest.OllamaChunk {
		ask()
		<-known
		return llmtest.OllamaSay("330 metres.")
	})
	p := newParlour(t, llmtest.NewRealtime(t, calls(filler, llmtest.RealtimeCall{
		ID: "call_1", Name: responder.ConsultTool,
		Arguments: `{"domain":"knowledge","query":"How high is the Eiffel Tower?"}`,
	}, answer)), ollama)
	p.asks()
	<-asked
	p.until("filler", func() bool { whole, _ := p.heard(filler); return whole })
	if n, told := len(p.sent("response.create")), p.outputs(); n != 1 || len(told) != 0 {
		t.Errorf("%d responses and the outputs %q before the thinker has answered", n, told)
	}
	close(known)
	doc, said := p.turn()
	p.answered(doc, said, responder.ConsultTool, filler, answer, "330 metres.")
	if n := len(ollama.Requests()); n != 1 {
		t.Errorf("the thinker was asked %d times", n)
	}
}

func TestResponderThatCallsAgainSaysNoSecondFiller(t *testing.T) {
	const filler, answer = "Let me look.", "It is noon."
	p := newParlour(t, llmtest.NewRealtime(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		call := llmtest.RealtimeCall{ID: fmt.Sprintf("call_%d", turn.N), Name: "time_now", Arguments: "{}"}
		switch turn.N {
		case 1:
			return llmtest.RealtimeAnswer{Text: filler, Heard: "What I asked.", Calls: []llmtest.RealtimeCall{call}}
		case 2:
			return llmtest.RealtimeAnswer{Text: "One moment.", Calls: []llmtest.RealtimeCall{call}}
		}
		return llmtest.RealtimeAnswer{Text: answer}
	}), llmtest.NewOllama(t, "small", nil))
	p.still.Store(true) // the first filler is heard for as long as that
	p.asks()
	p.until("second call", func() bool { return len(p.outputs()) == 2 })
	p.still.Store(false)
	doc, said := p.turn()
	if doc.Outcome != "answered" || doc.Answer != filler+" "+answer || len(doc.Tools) != 2 {
		t.Errorf("%+v", doc)
	}
	if diff := cmp.Diff([]string{filler, answer}, said); diff != "" {
		t.Errorf("told: %s", diff)
	}
	if whole, once := p.heard(filler + answer); !whole || !once {
		t.Errorf("%d samples were heard: whole %t, once %t", p.sounded.Load(), whole, once)
	}
}

func TestInterruptingWhileAToolRunsAsksTheResponderForNothingMore(t *testing.T) {
	for _, calls := range []int{1, 3} {
		t.Run(fmt.Sprint(calls), func(t *testing.T) {
			asked, known := make(chan struct{}, calls), make(chan struct{})
			ollama := llmtest.NewOllama(t, "small", func(llmtest.OllamaRequest) []llmtest.OllamaChunk {
				asked <- struct{}{}
				<-known
				return llmtest.OllamaSay("330 metres.")
			})
			t.Cleanup(func() { close(known) }) // before the server ends, which waits for it
			var list []llmtest.RealtimeCall
			for i, domain := range []string{"knowledge", "weather", "news"}[:calls] {
				list = append(list, llmtest.RealtimeCall{
					ID: fmt.Sprint("call_", i), Name: responder.ConsultTool, Arguments: `{"domain":"` + domain +
						`","query":"How high is it?"}`,
				})
			}
			p := newParlour(t, llmtest.NewRealtime(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
				if turn.N == 1 {
					return llmtest.RealtimeAnswer{Heard: "How high?", Calls: list}
				}
				return llmtest.RealtimeAnswer{Heard: "Never mind.", Text: fmt.Sprintf("%d told.", len(turn.Outputs))}
			}), ollama)
			p.asks()
			<-asked
			p.asks()
			if doc, _ := p.turn(); doc.Outcome != "interrupted" {
				t.Errorf("%+v", doc)
			}
			if doc, _ := p.turn(); doc.Outcome != "answered" || doc.Answer != fmt.Sprintf("%d told.", calls) {
				t.Errorf("%+v", doc)
			}
			if n := len(p.outputs()); n != calls {
				t.Errorf("%d outputs of %d calls: %q", n, calls, p.outputs())
			}
			if n := len(p.sent("response.create")); n != 2 {
				t.Errorf("%d responses were asked for in two turns", n)
			}
		})
	}
}
