package relevance

import (
	"encoding/json"
	"strings"
	"testing"

	"hearthd/llm"
)

func tool(name, description, parameters string) llm.ToolSpec {
	return llm.ToolSpec{Name: name, Description: description, Parameters: json.RawMessage(parameters)}
}

func names(ranked []Tool) string {
	var list []string
	for _, t := range ranked {
		list = append(list, t.Name)
	}
	return strings.Join(list, " ")
}

func TestToolsAreRankedByWhatIsSaidOfThemAndNotOfOthers(t *testing.T) {
	r := New([]llm.ToolSpec{
		tool("sauna_heat", "Heats the sauna.", `{"properties":{"degrees":{"description":"how hot"}}}`),
		tool("pool_fill", "Fills the pool.", `{"properties":{"with":{"enum":["water","wine"]}}}`),
		tool("lawn_mow", "Mows the lawn.", `not json`),
	}, map[string]wording{"lawn_mow": {"grass": 0.7, "the": 0.9}, "sauna_heat": {"the": 0.9},
		"gone_tool": {"grass": 1}}, nil)
	for request, want := range map[string]string{
		"heat the sauna":  "sauna_heat",
		"saunas heated":   "sauna_heat",
		"how hot":         "sauna_heat",
		"wine":            "pool_fill",
		"cut the grass":   "lawn_mow",
		"nothing of that": "",
	} {
		if got, _, _ := strings.Cut(names(r.Rank(strings.Fields(request))), " "); got != want {
			t.Errorf("%s: %q, want %q", request, got, want)
		}
	}
}

func TestAToolThatNobodyHasWordsForIsFoundByItsName(t *testing.T) {
	r := New([]llm.ToolSpec{
		tool("house_report", "Tells how the lamps are.", ""), tool("timer_set", "Sets a timer.", ""),
		tool("list_add", "Adds to a list.", ""),
	}, map[string]wording{"timer_set": {"give": 0.05, "me": 0.1, "house": 0.3}}, nil)
	for request, want := range map[string]string{
		"give me a report":       "house_report",
		"me house":               "timer_set", // the first part says only whose the tool is
		"put a call on the list": "list_add",
	} {
		if got, _, _ := strings.Cut(names(r.Rank(strings.Fields(request))), " "); got != want {
			t.Errorf("%s: %q, want %q", request, got, want)
		}
	}
}

func TestWhatDestroysIsRankedOnlyWhereTheRequestAsksForThat(t *testing.T) {
	r := New([]llm.ToolSpec{
		tool("list_clear", "Takes everything off a list.", ""), tool("list_show", "Reads a list out.", ""),
		tool("photo_delete", "Takes a photo away.", ""), tool("photo_show", "Shows a photo.", ""),
	}, nil, []string{"entsorge"})
	for request, want := range map[string]bool{
		"what is on the list": false, "clear the list": true, "entsorge list": true, "do not clear the list": false,
		"never ever clear my list": false, "clear the list and do not ask": true, "delete": false,
	} {
		if got := strings.Contains(names(r.Rank(strings.Fields(request))), "list_clear"); got != want {
			t.Errorf("%s: %v, want %v", request, got, want)
		}
	}
}

func TestAToolThatOnlyReadsDestroysNothing(t *testing.T) {
	if Destroys(llm.ToolSpec{Name: "files_reset_log", ReadOnly: true}) ||
		!Destroys(llm.ToolSpec{Name: "factory_reset"}) || Destroys(llm.ToolSpec{Name: "timer_cancel"}) {
		t.Error("what destroys is told wrongly")
	}
}

func FuzzRank(f *testing.F) {
	f.Add("lamp_set", "Sets the lamp.", `{"properties":{"on":{"description":"on or off"}}}`, "turn on the lamp")
	f.Add("", "{", `{"properties":null}`, "{")
	f.Fuzz(func(t *testing.T, name, description, parameters, request string) {
		r := New([]llm.ToolSpec{tool(name, description, parameters), tool("time_now", "Tells the time.", "")},
			map[string]wording{name: {request: 1}}, nil)
		for _, ranked := range r.Rank(append(strings.Fields(request), "", request)) {
			if !(ranked.Score > 0) || ranked.Score > 1e6 {
				t.Errorf("%+v", ranked)
			}
		}
	})
}
