package intent

import "testing"

func TestMemoryIsOwnedByPlainSentences(t *testing.T) {
	m := newMatcher(t)
	for text, want := range map[string]string{
		"What do you know about me?":                 `memory_tell {}`,
		"what do you remember about the boiler room": `memory_tell {"about":"boiler room"}`,
		"forget that":                                        `memory_forget_last {}`,
		"forget what I just said":                            `memory_forget_last {}`,
		"Please forget everything about Aunt Mary":           `memory_forget {"about":"aunt mary"}`,
		"forget everything you know about me":                `memory_forget_everything {}`,
		"remember that the spare key is in the shed by door": `memory_note {"text":"the spare key is in the shed by door"}`,
		"who am I":                           `memory_tell {"about":"called"}`,
		"my name is Anna":                    `memory_name {"name":"anna"}`,
		"call me Bob":                        `memory_name {"name":"bob"}`,
		"Hello, my name's Özlem!":            `memory_name {"name":"özlem"}`,
		"my name is anna maria o'brien":      `memory_name {"name":"anna maria o'brien"}`,
		"you can call me Bob please":         `memory_name {"name":"bob"}`,
		"call me tonight":                    ``,
		"call me when dinner is ready":       ``,
		"what is my name":                    `memory_tell {"about":"called"}`,
		"remember that":                      ``,
		"delete everything on december 12th": ``,
		"delete the note on the boiler":      `memory_forget {"about":"boiler"}`,
		"do you know the way to San Jose":    ``,
	} {
		got := ""
		if match, ok := m.Match(text); ok {
			got = match.Call.Name + " " + string(match.Call.Arguments)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestAnyWordsAreRefusedInWhatIsSaid(t *testing.T) {
	_, err := oneFile("wake: hey hearth\nintents:\n  - name: note\n    say: ['note {x:text}']\n")
	if err == nil {
		t.Error("a grammar cannot hold any words")
	}
}
