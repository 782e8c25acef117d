package e2e

import (
	"strings"
	"testing"

	"hearthd/rigs/testcard"
)

func TestServiceManagerFollowsTheDaemonFromStartToStop(t *testing.T) {
	k := newKitchen(t)
	m := newManager(t, k.dir)
	// A card whose clock stands delivers no frame, and is not lost for a while.
	check(t, k.card.BreakCapture(testcard.Stall))
	k.launch(m.environ(), "WATCHDOG_USEC=300000")
	if s := k.status(); s.Frames == 0 && !s.Has("microphone") && len(m.messages("READY=1")) > 0 {
		t.Error("ready before a frame was captured")
	}
	check(t, k.card.BreakCapture(testcard.Healthy))
	m.await("READY=1", 1)
	m.await("STATUS=idle", 1)
	m.await("WATCHDOG=1", 5)
	k.await("frames", func(s Status) bool { return s.Frames > 0 && len(s.Conditions) == 0 })
	k.tellsTime()
	m.await("STATUS=thinking", 1)
	m.await("STATUS=speaking", 1)

	check(t, k.card.BreakCapture(testcard.NoDevice))
	m.await("STATUS=faulted; The microphone", 1)
	// A microphone that is known to be gone is no reason for a restart, which
	// would end timers' ringing and answers in text.
	m.await("WATCHDOG=1", len(m.messages("WATCHDOG=1"))+5)
	check(t, k.card.BreakCapture(testcard.Healthy))
	k.await("a box that hears", func(s Status) bool { return s.State == "idle" })

	check(t, k.Stop()) // an exit status other than 0 is an error
	m.await("STOPPING=1", 1)
	all := m.messages("")
	if last := all[len(all)-1]; strings.HasPrefix(last, "READY") || len(m.messages("READY=1")) != 1 {
		t.Errorf("%q", all)
	}
}
