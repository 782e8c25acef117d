package thinker

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hearthd/llm"
	"hearthd/tools"
)

// stock is a toolbox with more tools than there is room for.
type stock []llm.ToolSpec

func stocked(deeds ...string) (s stock) {
	add := func(name, description string) {
		s = append(s, llm.ToolSpec{Name: name, Description: description,
			Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	for i := range 60 {
		add(fmt.Sprintf("q%dx_do", i), strings.Repeat("long ", 60))
	}
	for _, name := range deeds {
		add(name, "does it")
	}
	return s
}

func (s stock) Specs() []llm.ToolSpec { return s }

func (s stock) Run(_ context.Context, c tools.Call) tools.Outcome {
	return tools.Outcome{Class: tools.OK, Result: tools.Result{Text: "done"}}
}

// offers asks one thing after the other and gives the tools that the model was offered
// each time.
func offers(t *testing.T, s stock, questions ...string) (all [][]string) {
	t.Helper()
	m := answers(text("Yes."))
	th := staffed(t, m, nil, func(o *Options) { o.Tools = s })
	for i, q := range questions {
		if _, _, err := think(t.Context(), th, q); err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.Fields(offered(m.request(i))))
	}
	return all
}

func TestAConversationKeepsItsToolsInTheirOrderAndAddsAtTheEnd(t *testing.T) {
	got := offers(t, stocked("oven_preheat", "kettle_boil", "sauna_heat"),
		"turn on the light", "preheat the oven with the switch on", "and turn on the light once more",
		"turn on the sauna")
	for i, tools := range got[1:] {
		if !slices.Equal(tools[:len(got[i])], got[i]) {
			t.Errorf("request %d is offered %v, the one before %v", i+1, tools, got[i])
		}
	}
	if len(got[2]) != len(got[1]) {
		t.Errorf("what asks for nothing new is offered %v", got[2])
	}
	if !slices.Contains(got[1], "oven_preheat") || got[3][len(got[3])-1] != "sauna_heat" {
		t.Errorf("the last are offered %v and %v", got[1], got[3])
	}
}

func TestTheChoiceOfToolsBeginsAnewWhenThereIsNoRoom(t *testing.T) {
	questions := []string{"turn on the light"}
	for i := range 40 {
		questions = append(questions, fmt.Sprintf("turn on the light of q%dx", i))
	}
	s := stocked()
	for i, tools := range offers(t, s, questions...)[1:] {
		if name := fmt.Sprintf("q%dx_do", i); !slices.Contains(tools, name) {
			t.Fatalf("%s: offered are %v", name, tools)
		}
		if n := specsSize(find(s, tools)); n > defaultMaxTokens/toolsShare {
			t.Fatalf("tools of %d tokens", n)
		}
	}
}

func TestAnotherConversationChoosesItsOwnTools(t *testing.T) {
	m := answers(text("Yes."))
	th := staffed(t, m, nil, func(o *Options) { o.Tools = stocked("oven_preheat") })
	for _, q := range []string{"turn on the oven, and preheat", "turn on the light"} {
		if _, _, err := think(t.Context(), th, q); err != nil {
			t.Fatal(err)
		}
		th.Forget()
	}
	if first := offered(m.request(0)); !strings.HasPrefix(first, "oven_preheat ") ||
		strings.HasPrefix(offered(m.request(1)), "oven") {
		t.Errorf("offered are %q and then %q", first, offered(m.request(1)))
	}
}

func TestWhatDestroysIsOfferedToWhoAsksForIt(t *testing.T) {
	for request, want := range map[string]bool{
		"turn on the light and show me my files":   false,
		"turn on the light, what files are there?": false,
		"turn on the light and don't delete files": false,
		"turn on the light and delete the files":   true,
		"switch on, erase the files":               true,
	} {
		for name, s := range map[string]stock{"many": stocked("files_delete", "files_list"),
			"few": stocked("files_delete", "files_list", "sauna_heat")[60:]} {
			if got := offers(t, s, request)[0]; slices.Contains(got, "files_delete") != want {
				t.Errorf("%q of %s is offered %v", request, name, got)
			}
		}
	}
}

// TestWhatNobodyClaimsMayNeedAnyTool asks for what no domain has words for.
func TestWhatNobodyClaimsMayNeedAnyTool(t *testing.T) {
	got := offers(t, stocked("time_now", "sauna_heat"), "heat the sauna please for us")[0]
	if !slices.Equal(got, []string{"time_now", "sauna_heat"}) {
		t.Errorf("offered are %v", got)
	}
}

// TestAConsultationIsOfferedNoMoreThanItsDomain asks as a responder does, which may not
// see everything.
func TestAConsultationIsOfferedNoMoreThanItsDomain(t *testing.T) {
	m := answers(text("Yes."))
	th := staffed(t, m, nil, func(o *Options) { o.Tools = stocked("time_now", "calendar_list") })
	if _, _, err := th.Consult(t.Context(), Fallback, llm.Ask{Text: "list the calendar"}); err != nil {
		t.Fatal(err)
	}
	if got := offered(m.request(0)); got != "time_now" {
		t.Errorf("offered are %q", got)
	}
}

func TestAnAnswerIsGivenAgainWhenTheConversationHasOtherTools(t *testing.T) {
	m := answers(text("Yes."))
	kept := &shelf{}
	th := staffed(t, m, nil, func(o *Options) { o.Tools, o.Answers = stocked("sauna_heat", "time_now"), kept })
	for _, q := range []string{"why do people sweat", "heat the sauna please for us", "why do people sweat"} {
		if _, _, err := think(t.Context(), th, q); err != nil {
			t.Fatal(err)
		}
	}
	if m.asked() != 2 {
		t.Errorf("the model was asked %d times", m.asked())
	}
}

// dialect says how people ask for tools.
type dialect struct{ version uint64 }

func (dialect) Wordings() map[string]map[string]float64 {
	return map[string]map[string]float64{"sauna_heat": {"schwitzen": 0.6}, "q1x_do": {"gehen": 0.6}}
}
func (d dialect) Version() uint64          { return d.version }
func (dialect) Terms(text string) []string { return fold(text) }

func TestToolsAreFoundByWhatPeopleSayForThem(t *testing.T) {
	m := answers(text("Ja."))
	th := staffed(t, m, nil, func(o *Options) { o.Tools, o.Sayings = stocked("sauna_heat", "time_now"), dialect{} })
	if _, _, err := think(t.Context(), th, "wir wollen schwitzen bitte jetzt gleich"); err != nil {
		t.Fatal(err)
	}
	if got := offered(m.request(0)); got != "time_now sauna_heat" {
		t.Errorf("offered are %q", got)
	}
}
