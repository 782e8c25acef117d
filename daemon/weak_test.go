package daemon

import (
	"testing"

	"hearthd/config"
	"hearthd/llm"
	"hearthd/tools"
)

// Words that were not heard clearly take nothing away without a yes, and neither deafen the house nor the box.
// What they open and what is for the whole house is tested with its devices.
func TestNothingHarmfulIsDoneOnAWeakMargin(t *testing.T) {
	h := fullHouse(t, func(*config.Config) {})
	if out := h.exec.Run(t.Context(), tools.Call{ToolCall: llm.ToolCall{Name: "list_add", Arguments: []byte(`{"items":["milk"]}`)}}); out.Class != tools.OK {
		t.Fatalf("%+v", out)
	}
	for sentence, asks := range map[string]bool{
		"delete the shopping list": true, "clear the shopping list": true, "delete my list": true,
		"delete everything on the list": true, "take everything off the list": true, "delete all lists": true,
		"cancel all timers": true, "stop all timers": true, "remove all": true, "cancel all alarms": true,
		"delete all reminders": true, "forget that": true, "forget everything": true,
		"add milk to the shopping list": false, "set a timer for ten minutes": false, "what's on my shopping list": false,
		"set the volume to one hundred percent": true, "mute the microphone": true, "set the volume to thirty percent": false, "louder": false,
	} {
		call, _, ok := h.matcher.Match(sentence, "")
		if !ok {
			t.Errorf("%q is not understood", sentence)
			continue
		}
		for _, weak := range []tools.Call{{ToolCall: call, For: llm.Ask{Said: sentence, Faint: true}}, {ToolCall: call, For: llm.Ask{Said: sentence}, Unsure: true}} {
			if out := h.exec.Run(t.Context(), weak); (out.Class == tools.Asked) != (asks || weak.Unsure) {
				t.Errorf("%q: %s %s, unsure %v: %s", sentence, call.Name, call.Arguments, weak.Unsure, out.Class)
			}
		}
	}
}
