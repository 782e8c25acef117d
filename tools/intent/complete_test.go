package intent

import "testing"

func TestCompletenessTellsAPauseFromAnEnd(t *testing.T) {
	m := newMatcher(t)
	for want, texts := range map[Completeness][]string{
		Complete: {
			"what time is it", "Set a pasta timer for ten minutes.",
			"add milk and eggs to the shopping list", "cancel the pasta timer",
			"stop", "turn it up a bit", "what's on my shopping list", "could you please cancel all timers",
		},
		Unfinished: {
			"set a timer for", "set a timer for ten", "set a timer for ten minutes and", "set a", "set a pasta timer",
			"add milk and", "add milk and eggs to the shopping", "how many grams", "convert two cups",
			"what time", "turn the volume", "set a timer for 20",
		},
		Unknown: {
			"", "why is the sky blue", "volume to twenty", "set the volume to 40", "how much longer for the eggs",
			"the neighbours said", "add milk and eggs", "how many grams are two cups of flour",
			"set a timer for ten minutes", "set a ten minute timer", "how many grams are in two cups", // "for the pasta", "of flour"
		},
	} {
		for _, text := range texts {
			if got := m.Completeness(text); got != want {
				t.Errorf("%q: %d, want %d", text, got, want)
			}
		}
	}
}
