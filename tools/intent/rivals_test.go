package intent_test

import (
	"testing"

	"hearthd/tools/intent"
)

func TestARivalIsARequestForSomethingElse(t *testing.T) {
	m, err := intent.New(intent.Options{Wake: "hey hearth"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		a, b   string
		rivals bool
	}{
		{"what's the time", "what time is it", false},
		{"hey hearth what time is it", "could you what time is it please", false},
		{"set the volume to fifty percent", "set the volume to fifteen percent", true},
		{"cancel the pasta timer", "hey hearth pause the pasta timer", true},
		{"what time is it", "green ideas sleep", false},
		{"green ideas sleep", "what time is it", true},
		{"turn the volume up", "turn the", false}, // the recogniser tells beginnings too
	} {
		if got := m.Rivals(tt.a, tt.b); got != tt.rivals {
			t.Errorf("%q, %q: %v", tt.a, tt.b, got)
		}
	}
}
