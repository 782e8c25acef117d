package dialogue

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/event"
	"hearthd/llm"
	"hearthd/tools"
	"hearthd/vad"
)

// opened is what was done after a yes.
func (r *rig) opened() []string {
	r.hands.mu.Lock()
	defer r.hands.mu.Unlock()
	return r.hands.confirmed
}

func (r *rig) isOpen(want ...string) {
	r.t.Helper()
	if diff := cmp.Diff(want, r.opened()); diff != "" {
		r.t.Errorf("what was opened:\n%s", diff)
	}
}

func TestRiskyRequestIsDoneAfterASpokenYes(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do door")
		if turn := r.turn(); turn.Outcome != "answered" || turn.Answer != "Open the door?" || !turn.Asks {
			t.Errorf("turn %+v", turn)
		}
		r.isOpen()
		synctest.Wait()
		if s := r.state(); s != event.Listening {
			t.Errorf("state %s while the answer is awaited", s)
		}
		r.say(2, "yes")
		turn := r.turn()
		if turn.Answer != "The door is open." || turn.Intent != "answer_yes" || turn.WokenBy != "question" ||
			turn.Asks {
			t.Errorf("turn %+v", turn)
		}
		r.isOpen("door")
		if len(turn.Tools) != 1 || turn.Tools[0].Outcome != "ok" {
			t.Errorf("tools %+v", turn.Tools)
		}
		r.say(3, "hey hearth yes")
		r.turn()
		r.isOpen("door") // one yes is for one question
	})
}

func TestYesIsForWhatWasAskedAndNotForWhatTheCallMeansByNow(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do door")
		r.turn()
		r.hands.mu.Lock()
		r.hands.moved = true
		r.hands.mu.Unlock()
		r.say(2, "yes")
		if turn := r.turn(); turn.Answer != "Open the back door?" || turn.Outcome != "answered" || !turn.Asks {
			t.Errorf("turn %+v", turn)
		}
		r.isOpen()
		r.say(3, "yes")
		r.turn()
		r.isOpen("door")
	})
}

func TestEverythingButYesIsANo(t *testing.T) {
	for name, c := range map[string]struct{ said, answer string }{
		"no":              {"no", said("dialogue.declined")},
		"another request": {"do tea", "It is done."},
		"other words":     {"whatever", "One."},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, func(r *rig) { r.mind.sentences = []string{"One."} }, func(t *testing.T, r *rig) {
				r.say(1, "hey hearth do door")
				r.turn()
				synctest.Wait()
				r.say(2, c.said)
				if turn := r.turn(); turn.Answer != c.answer {
					t.Errorf("turn %+v", turn)
				}
				r.say(3, "hey hearth yes")
				r.turn()
				r.isOpen()
			})
		})
	}
}

func TestItIsWhatWasAskedWhileAYesIsAwaited(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do door")
		r.turn()
		synctest.Wait()
		r.say(2, "do it") // and not once more what the last turn was about, which would ask again
		if turn := r.turn(); turn.Intent != "answer_yes" || !r.does("door") {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestAVerbAgreesOnlyToAQuestionThatHasIt(t *testing.T) {
	for said, want := range map[string][]string{"open it": {"door"}, "lock it": nil} {
		with(t, nil, func(t *testing.T, r *rig) {
			r.say(1, "hey hearth do door") // which asks "Open the door?"
			r.turn()
			synctest.Wait()
			r.say(2, said)
			if turn := r.turn(); want == nil && turn.Intent != "lock" {
				t.Errorf("%s: turn %+v", said, turn)
			}
			r.isOpen(want...)
		})
	}
}

func TestSilenceIsANoAndIsSaid(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do door")
		r.turn()
		if turn := r.turn(); turn.Source != "announcement" || turn.Answer != said("dialogue.unanswered") {
			t.Errorf("turn %+v", turn)
		}
		if s := r.state(); s != event.Idle {
			t.Errorf("state %s", s)
		}
		r.say(2, "hey hearth yes")
		r.turn()
		r.isOpen()
	})
}

func TestAnswerThatIsNoWordIsAskedForOnceMore(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do door")
		r.turn()
		synctest.Wait()
		r.say(2, "")
		r.say(3, "yes")
		r.turn()
		r.isOpen("door")

		r.say(4, "hey hearth do garage")
		r.turn()
		synctest.Wait()
		r.say(5, "")
		r.say(6, "")
		begun := time.Now()
		if turn := r.turn(); turn.Answer != said("dialogue.unanswered") || time.Since(begun) >= listenWindow {
			t.Errorf("%v after the second one: %+v", time.Since(begun), turn)
		}
		r.isOpen("door")
	})
}

func TestNoiseInTheWindowOfAQuestionKeepsItOpen(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do door")
		r.turn()
		synctest.Wait()
		r.speak(2)
		r.silence(2, vad.Discard, vad.Short)
		if s := r.state(); s != event.Listening {
			t.Errorf("state %s", s)
		}
		r.say(3, "yes")
		r.turn()
		r.isOpen("door")
	})
}

func TestYesMayInterruptTheQuestion(t *testing.T) {
	with(t, func(r *rig) { r.duplex = true }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do door")
		r.speaks()
		r.say(2, "yes")
		if turn := r.turn(); turn.Outcome != "interrupted" {
			t.Errorf("turn %+v", turn)
		}
		if turn := r.turn(); turn.Answer != "The door is open." {
			t.Errorf("turn %+v", turn)
		}
		r.isOpen("door")
	})
}

func TestQuestionInTextIsAnsweredByTheNextText(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		turn, err := r.ask(t.Context(), "do door")
		if err != nil || turn.Answer != "Open the door?" || !turn.Asks {
			t.Errorf("turn %+v, %v", turn, err)
		}
		synctest.Wait()
		if s := r.state(); s != event.Idle {
			t.Errorf("state %s: the microphone was opened for a text", s)
		}
		time.Sleep(answerLimit - 10*time.Second)
		if turn, err = r.d.AskAs(t.Context(), "", "yes", turn.Question); err != nil ||
			turn.Answer != "The door is open." {
			t.Errorf("turn %+v, %v", turn, err)
		}
		r.isOpen("door")

		if turn, err = r.ask(t.Context(), "do garage"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(answerLimit + time.Second)
		if _, err = r.d.AskAs(t.Context(), "", "yes", turn.Question); err != nil {
			t.Fatal(err)
		}
		r.isOpen("door") // too late
	})
}

func TestOnlyTheOneWhoAskedAgrees(t *testing.T) {
	with(t, func(r *rig) { r.opt.People = []string{"Ada", "Bo"} }, func(t *testing.T, r *rig) {
		for _, who := range []string{"Bo", "", "Ada"} {
			if _, err := r.d.AskAs(t.Context(), "Ada", "do door", ""); err != nil {
				t.Fatal(err)
			}
			if _, err := r.d.AskAs(t.Context(), who, "yes", "Open the door?"); err != nil {
				t.Fatal(err)
			}
		}
		r.isOpen("door")
	})
}

func TestStopEndsAQuestion(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		if _, err := r.ask(t.Context(), "do door"); err != nil {
			t.Fatal(err)
		}
		if err := r.d.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := r.d.AskAs(t.Context(), "", "yes", "Open the door?"); err != nil {
			t.Fatal(err)
		}
		r.isOpen()
	})
}

func TestTimerBetweenQuestionAndAnswerChangesNothing(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		if _, err := r.ask(t.Context(), "do door"); err != nil {
			t.Fatal(err)
		}
		r.tell(3)
		r.turn()
		r.turn()
		if _, err := r.d.AskAs(t.Context(), "", "yes", "Open the door?"); err != nil {
			t.Fatal(err)
		}
		r.isOpen("door")
	})
}

func TestSeveralRiskyCallsOfAModelAreOneQuestion(t *testing.T) {
	with(t, func(r *rig) { r.mind.sentences = []string{"do door", "do garage door tea", "One moment."} },
		func(t *testing.T, r *rig) {
			r.say(1, "hey hearth let the cat in")
			turn := r.turn()
			if !strings.HasPrefix(turn.Answer, "One moment. Open the ") || strings.Count(turn.Answer, "?") != 2 ||
				!turn.Asks {
				t.Errorf("turn %+v", turn)
			}
			synctest.Wait()
			r.say(2, "yes")
			if turn := r.turn(); turn.Answer != "The door is open. The garage is open." {
				t.Errorf("turn %+v", turn)
			}
			r.isOpen("door", "garage")
		})
}

func TestYesWithoutAQuestionIsForTheThinkerIfThereIsOne(t *testing.T) {
	with(t, func(r *rig) { r.mind.sentences = []string{"Glad to hear."} }, func(t *testing.T, r *rig) {
		if turn, err := r.ask(t.Context(), "yes"); err != nil || turn.Route != "local" ||
			turn.Answer != "Glad to hear." {
			t.Errorf("turn %+v, %v", turn, err)
		}
	})
	with(t, func(r *rig) { r.ans.Thinker = nil }, func(t *testing.T, r *rig) {
		if turn, err := r.ask(t.Context(), "yes"); err != nil || turn.Answer != said("dialogue.not_asked") {
			t.Errorf("turn %+v, %v", turn, err)
		}
		r.turn()
		r.say(1, "hey hearth do tea")
		r.turn()
		synctest.Wait()
		r.say(2, "yes") // a word of the room in a follow-up window
		r.none("turn")
	})
}

func TestNobodyIsAskedOutsideOfTurns(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		out := r.ans.Tools.Run(t.Context(), tools.Call{ToolCall: llm.ToolCall{Name: "door"}})
		if out.Class != tools.Asked || out.Text != said("dialogue.nobody_to_ask") || out.Question != "Open the door?" {
			t.Errorf("%+v", out)
		}
		if _, err := r.ask(t.Context(), "yes"); err != nil && !errors.Is(err, errStopped) {
			t.Fatal(err)
		}
		r.isOpen()
	})
}

func TestIntentOfAToolThatIsNotOfferedGoesToTheThinker(t *testing.T) {
	with(t, func(r *rig) { r.mind.sentences = []string{"I have no prices."} }, func(t *testing.T, r *rig) {
		if turn, err := r.ask(t.Context(), "do stocks"); err != nil || turn.Route != "local" ||
			turn.Answer != "I have no prices." {
			t.Errorf("turn %+v, %v", turn, err)
		}
	})
	with(t, func(r *rig) { r.ans.Thinker = nil }, func(t *testing.T, r *rig) {
		if turn, err := r.ask(t.Context(), "do stocks"); err != nil || turn.Route != "intent" {
			t.Errorf("turn %+v, %v", turn, err)
		}
	})
}

func TestRequestBesideAQuestionIsNotForgottenInSilence(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		turn, err := r.ask(t.Context(), "do door and do which")
		if err != nil || turn.Answer != said("dialogue.one_thing")+" Which one?" {
			t.Errorf("%q, %v", turn.Answer, err)
		}
		synctest.Wait()
		if turn, err = r.ask(t.Context(), "tea"); err != nil || turn.Answer != "It is done." {
			t.Errorf("%q, %v", turn.Answer, err)
		}
	})
}
