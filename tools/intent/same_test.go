package intent_test

import (
	"testing"

	"hearthd/tools/intent"
)

func TestTextsAskForTheSameInOtherWords(t *testing.T) {
	m, err := intent.New(intent.Options{Wake: "hey hearth"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"what's the time", "what time is it", true},
		{"hey hearth what time is it", "could you what time is it please", true},
		{"set the volume to fifty percent", "set the volume to fifteen percent", false},
		{"cancel the pasta timer", "pause the pasta timer", false},
		{"what time is it", "green ideas sleep", false},
		{"green ideas sleep", "green ideas dream", false},
		{"green ideas sleep", "hey hearth green ideas sleep", true},
	} {
		if got := m.Same(tt.a, tt.b); got != tt.same {
			t.Errorf("%q, %q: %v", tt.a, tt.b, got)
		}
	}
}
