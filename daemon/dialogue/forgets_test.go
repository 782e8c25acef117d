package dialogue

import "testing"

// Whoever was promised something has to know that a restart takes it away: once, however much was promised.
func TestWhatAMemoryKeepsThatForgetsIsAnsweredSo(t *testing.T) {
	const tail = " My disk cannot be written: if I restart, I forget this."
	for _, forgets := range []bool{true, false} {
		with(t, func(r *rig) { r.ans.Forgets = forgets }, func(t *testing.T, r *rig) {
			for text, want := range map[string]string{
				"do keep": "It is kept.", "do keep and do save": "It is kept. It is kept.", "do tea": "It is done.",
			} {
				if forgets && text != "do tea" {
					want += tail
				}
				if turn, err := r.ask(t.Context(), text); err != nil || turn.Answer != want {
					t.Errorf("%s: %+v, %v, want %q", text, turn, err, want)
				}
			}
		})
	}
}
