package dialogue

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/llm"
	"hearthd/vad"
)

func TestSpeakerIsSilencedThoughTheResponderNeverAnswersTheCancel(t *testing.T) {
	long := []llm.Delta{sounds("One "), sounds("two "), sounds("three "), sounds("four.")}
	c := &cloud{deltas: long}
	withCloud(t, c, func(r *rig) { r.duplex, c.answers = true, make(chan struct{}) }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		time.Sleep(time.Second)
		if r.loudness() == 0 {
			t.Fatal("nothing is heard")
		}
		r.onset(2)
		r.opt.Inbox.Deliver(&vad.Signal{Kind: vad.Sustained, Utterance: 2})
		r.frames(2, 12)
		time.Sleep(60*time.Millisecond - 2*rigPeriod)
		if now := r.loudness(); now != 0 {
			t.Errorf("60 ms after the onset the speaker is at %d", now)
		}
		if cut := c.turns[0].cut; cut < time.Second || cut > 1200*time.Millisecond || r.opt.Voice.Speaking() {
			t.Errorf("cut at %v", cut)
		}
		r.ears.will(2, "do tea", nil)
		r.end(2, 336000)
		close(c.answers)
		if turn := r.turn(); turn.Outcome != "interrupted" {
			t.Errorf("%+v", turn)
		}
		if turn := r.turn(); turn.Intent != "tea" {
			t.Errorf("%+v", turn)
		}
	})
}

// The responder's turns are told like all others, as both sides heard them: the summary
// of every ten turns counts them.
func TestTurnsOfTheResponderAreRememberedAsBothSidesHeardThem(t *testing.T) {
	c := &cloud{deltas: []llm.Delta{{Heard: "Why is the sky blue?"}, sounds("It "), sounds("scatters.")}}
	var kept []string
	withCloud(t, c, func(r *rig) {
		r.duplex = true
		r.remember = func(ask llm.Ask, answer string) { kept = append(kept, ask.Text+" / "+answer) }
	}, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why is this guy blue")
		r.turn()
		r.say(2, "hey hearth do tea")
		r.turn()
		r.say(3, "hey hearth why")
		time.Sleep(1500 * time.Millisecond)
		r.say(4, "hey hearth do tea")
		if turn := r.turn(); turn.Outcome != "interrupted" || turn.Transcript != "Why is the sky blue?" {
			t.Errorf("%+v", turn)
		}
		r.turn()
		synctest.Wait()
		want := []string{"Why is the sky blue? / It scatters.", "do tea / It is done.", "Why is the sky blue? / It …",
			"do tea / It is done."}
		if diff := cmp.Diff(want, kept); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(want, r.mind.notes); diff != "" {
			t.Errorf("the local path goes on with: %s", diff)
		}
	})
}

func TestResponderIsToldOnlyWhatWasLoudEnoughToBeHeard(t *testing.T) {
	c := &cloud{deltas: []llm.Delta{sounds("One "), sounds("two "), sounds("three "), sounds("four.")}}
	withCloud(t, c, func(r *rig) { r.duplex = true }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		time.Sleep(1100 * time.Millisecond)
		r.onset(2) // from here on it is ducked
		r.frames(2, 40)
		time.Sleep(800 * time.Millisecond)
		r.opt.Inbox.Deliver(&vad.Signal{Kind: vad.Sustained, Utterance: 2})
		synctest.Wait()
		if turn := r.turn(); turn.Outcome != "interrupted" {
			t.Errorf("%+v", turn)
		}
		if cut := c.turns[0].cut; cut < time.Second || cut > 1150*time.Millisecond {
			t.Errorf("cut at %v of which the last 800 ms were ducked by 40 dB", cut)
		}
	})
}
