package dialogue

import (
	"errors"
	"testing"
	"testing/synctest"

	"hearthd/daemon/event"
)

func TestWhatIsMissingIsAskedForAndTakenFromTheAnswer(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth wait")
		if turn := r.turn(); turn.Answer != "For how long?" || !turn.Asks || turn.Outcome != "answered" {
			t.Errorf("turn %+v", turn)
		}
		synctest.Wait()
		if s := r.state(); s != event.Listening {
			t.Errorf("state %s while the answer is awaited", s)
		}
		r.say(2, "tea")
		if turn := r.turn(); turn.Answer != "It is done." || turn.Intent != "tea" || turn.WokenBy != "question" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestAnotherRequestGoesBeforeAnAnswer(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth wait")
		r.turn()
		synctest.Wait()
		r.say(2, "do broken")
		if turn := r.turn(); turn.Answer != "That did not work." {
			t.Errorf("turn %+v", turn)
		}
	})
}

// "Red" would paint what is near; the question was about the lamp.
func TestAnAnswerThatIsLessByItselfIsTheAnswer(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth wait")
		r.turn()
		synctest.Wait()
		r.say(2, "red")
		if turn := r.turn(); turn.Intent != "paint_lamp" {
			t.Errorf("turn %+v", turn)
		}
		r.say(3, "hey hearth red")
		if turn := r.turn(); turn.Intent != "paint" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestNoIsTheEndOfAQuestionAndYesIsNoAnswerToIt(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth wait")
		r.turn()
		synctest.Wait()
		r.say(2, "yes")
		if turn := r.turn(); turn.Answer != "For how long?" || !turn.Asks {
			t.Errorf("turn %+v", turn)
		}
		synctest.Wait()
		r.say(3, "no")
		if turn := r.turn(); turn.Answer != said("dialogue.declined") {
			t.Errorf("turn %+v", turn)
		}
		r.say(4, "hey hearth wait")
		r.turn()
		if turn := r.turn(); turn.Source != "announcement" || turn.Answer != said("dialogue.no_answer") {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestWhatIsNoAnswerIsNotUnderstoodWithoutAThinker(t *testing.T) {
	with(t, func(r *rig) { r.ans.Thinker = nil }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth wait")
		r.turn()
		synctest.Wait()
		r.say(2, "blue and green")
		if turn := r.turn(); turn.Answer != said("dialogue.off_topic") {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestToolThatAsksWhichOneTakesTheAnswer(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do which")
		if turn := r.turn(); turn.Answer != "Which one?" || !turn.Asks {
			t.Errorf("turn %+v", turn)
		}
		synctest.Wait()
		r.say(2, "tea")
		if turn := r.turn(); turn.Answer != "It is done." || turn.Intent != "tea" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestToolThatAsksWhichOfSeveralGetsTheChoice(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		for n, answer := range []string{"first", "yes", "do other"} {
			r.say(uint64(3*n+1), "hey hearth do several")
			if turn := r.turn(); turn.Answer != "Which one?" || !turn.Asks {
				t.Fatalf("turn %+v", turn)
			}
			synctest.Wait()
			r.say(uint64(3*n+2), answer)
			turn := r.turn()
			calls := r.hands.calls
			last := calls[len(calls)-1]
			switch answer {
			case "first":
				if turn.Intent != "answer_which" || last.Name != "pick" || string(last.Arguments) != `{"place":1}` {
					t.Errorf("%+v: %+v", turn, last)
				}
			case "yes": // it says nothing of which
				if turn.Answer != "Which one?" || !turn.Asks {
					t.Errorf("%+v", turn)
				}
				synctest.Wait()
				r.say(uint64(3*n+3), "no")
				r.turn()
			default: // another request
				if turn.Intent != "other" || last.Name != "other" {
					t.Errorf("%+v: %+v", turn, last)
				}
			}
			synctest.Wait()
		}
		r.say(20, "hey hearth first") // nothing was asked
		if turn := r.turn(); turn.Intent == "answer_which" {
			t.Errorf("%+v", turn)
		}
	})
}

func TestSmallTalkIsAnsweredOnlyWhenItIsAddressed(t *testing.T) {
	with(t, func(r *rig) { r.opt.Wake.FollowUp = listenWindow }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth thanks")
		if turn := r.turn(); turn.Answer != "You're welcome." || turn.Route != "intent" {
			t.Errorf("turn %+v", turn)
		}
		synctest.Wait()
		r.say(2, "thanks")
		if e := r.next("ignored").(*event.Ignored); e.Reason != "not_addressed" {
			t.Errorf("%+v", e)
		}
	})
}

func TestWhatAToolLacksIsSaidWithoutAThinker(t *testing.T) {
	with(t, func(r *rig) {
		r.ans.Thinker = nil
		r.has.missing = func(tool string) string { return "No key for " + tool + "." }
	}, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do stocks")
		if turn := r.turn(); turn.Answer != "No key for stocks." || turn.Reason != "not_offered" ||
			turn.Outcome != "failed" {
			t.Errorf("turn %+v", turn)
		}
		if turn, err := r.ask(t.Context(), "do stocks and do stocks"); err != nil ||
			turn.Answer != "No key for stocks." {
			t.Errorf("it is said twice: %+v, %v", turn, err)
		}
	})
}

func TestWhatAToolLacksIsSaidWhereTheThinkerIsGone(t *testing.T) {
	with(t, func(r *rig) {
		r.mind.err = errors.New("gone")
		r.has.missing = func(tool string) string { return "No key for " + tool + "." }
	}, func(t *testing.T, r *rig) {
		if turn, err := r.ask(t.Context(), "do stocks"); err != nil || turn.Answer != "No key for stocks." ||
			turn.Reason != "thinker" {
			t.Errorf("turn %+v, %v", turn, err)
		}
		if turn, err := r.ask(t.Context(), "why"); err != nil || turn.Answer != said("dialogue.thinker_gone") {
			t.Errorf("turn %+v, %v", turn, err)
		}
	})
}

func TestTurnItOffMeansWhatRings(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth turn it off")
		if turn := r.turn(); turn.Intent == "ring_stop" {
			t.Errorf("nothing rings: %+v", turn)
		}
		r.ring(3)
		r.saidNext("Timers [3] are done.")
		r.say(2, "turn it off") // without the wake phrase
		for turn := r.turn(); turn.Intent != "ring_stop"; turn = r.turn() {
			if turn.Source == "voice" {
				t.Fatalf("turn %+v", turn)
			}
		}
	})
}
