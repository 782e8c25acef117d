package dialogue

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/daemon/dialogue/spoken"
	"hearthd/llm"
)

func calls(id, tool string) llm.Delta { return llm.Delta{Call: &llm.ToolCall{ID: id, Name: tool}} }

func TestFillerOnTheHeelsOfAnotherIsNotSpoken(t *testing.T) {
	c := &cloud{waits: true, deltas: []llm.Delta{
		sounds("Let me see. "), calls("1", "look"), sounds("One moment. "), sounds("Just a second. "),
		calls("2", "look"), sounds("It is "), sounds("late."),
	}}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth how late is it")
		begun := time.Now()
		turn := r.turn()
		if turn.Outcome != "answered" || turn.Answer != "Let me see. It is late." || len(turn.Tools) != 2 {
			t.Errorf("%+v", turn)
		}
		if took := time.Since(begun); took < 3*time.Second || took > 4*time.Second {
			t.Errorf("three seconds of speech took %v", took)
		}
	})
}

func TestFillerAfterASlowToolIsSpoken(t *testing.T) {
	c := &cloud{waits: true, deltas: []llm.Delta{
		sounds("Let me see. "), calls("1", "slow"), sounds("One moment. "), calls("2", "slow"), sounds("It is late."),
	}}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth how late is it")
		if turn := r.turn(); turn.Answer != "Let me see. One moment. It is late." {
			t.Errorf("%+v", turn)
		}
	})
}

func TestAnswerThatIsCutBehindADroppedFillerIsCutWhereItWasHeard(t *testing.T) {
	second := sounds("One moment. ")
	second.Audio = make([]int16, 10*spoken.Rate)
	c := &cloud{waits: true, deltas: []llm.Delta{
		sounds("Let me see. "), calls("1", "look"), second, calls("2", "look"), sounds("one "), sounds("two "),
		sounds("three "), sounds("four"),
	}}
	withCloud(t, c, func(r *rig) { r.duplex = true }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth count")
		r.speaks()
		time.Sleep(1500 * time.Millisecond)
		r.say(2, "do tea")
		if turn := r.turn(); turn.Outcome != "interrupted" {
			t.Errorf("%+v", turn)
		}
		synctest.Wait()
		if cut := c.turns[0].cut; cut < 11*time.Second || cut > 14*time.Second {
			t.Errorf("cut at %v", cut)
		}
	})
}

// The responder says that it looks, the connection is lost, and the tool ends well.
func TestWhatAToolDidIsSaidThoughAFillerWasHeard(t *testing.T) {
	c := &cloud{deltas: []llm.Delta{sounds("Let me see. "), {Call: &llm.ToolCall{ID: "1", Name: "slow_on"}}},
		err: errCloud}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth how long is the river")
		if turn := r.turn(); !strings.Contains(turn.Answer, "It is done.") {
			t.Errorf("%s %s: %q", turn.Outcome, turn.Reason, turn.Answer)
		}
	})
}
