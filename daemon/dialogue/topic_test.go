package dialogue

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestAFewMinutesLongATurnIsAboutWhatTheLastOneWasAbout(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		for _, c := range []struct {
			after  time.Duration
			text   string
			intent string
		}{{0, "do tea", "tea"}, {time.Minute, "thanks", "talk_thanks"}, {time.Minute, "do it", "tea"}, {time.Hour, "do it", ""}} {
			time.Sleep(c.after)
			turn, err := r.ask(t.Context(), c.text)
			if err != nil || turn.Intent != c.intent {
				t.Errorf("after %v, %q: turn %+v, %v", c.after, c.text, turn, err)
			}
			synctest.Wait()
		}
	})
}
