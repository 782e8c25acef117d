package realtime

import (
	"testing"
	"testing/synctest"

	"hearthd/rigs/llmtest"
)

// onCable runs a rig in a bubble.
func onCable(t *testing.T, answer func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer,
	test func(*rig, *llmtest.Cable)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := llmtest.NewCable()
		r := &rig{T: t, server: llmtest.NewRealtimeOn(t, c, answer), via: c.Client()}
		test(r.run(), c)
	})
}
