package dialogue

import (
	"testing"

	"hearthd/daemon/event"
)

func TestMicrophoneLostInATurnOpensNoFollowUp(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do tea")
		if err := r.d.SetMicrophone(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		r.turn()
		r.say(2, "do coffee") // the loop hears the microphone before it hears that it is back
		if s := r.state(); s != event.Faulted {
			t.Errorf("state %s", s)
		}
		if err := r.d.SetMicrophone(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		r.say(3, "do cocoa")
		r.none("turn")
	})
}

func TestMuteInATurnOpensNoFollowUp(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do tea")
		for _, muted := range []bool{true, false} {
			if err := r.d.SetMuted(t.Context(), muted); err != nil {
				t.Fatal(err)
			}
			if muted {
				r.turn()
			}
		}
		r.say(2, "do coffee")
		r.none("turn")
	})
}
