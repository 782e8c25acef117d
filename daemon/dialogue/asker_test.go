package dialogue

import (
	"testing"
	"testing/synctest"

	"hearthd/daemon/event"
	"hearthd/vad"
)

// sayAt is say with the level at which the microphone heard it, in dBFS.
func (r *rig) sayAt(n uint64, text string, level float32) {
	r.ears.will(n, text, nil)
	r.speak(n)
	at := r.at(n, 16000+11200)
	r.opt.Inbox.Deliver(&vad.Signal{Kind: vad.End, Utterance: n, At: at, Speech: at - 11200, Reason: vad.Silence,
		Level: level})
	synctest.Wait()
}

func TestYesOfATelevisionAcrossTheRoomIsNone(t *testing.T) {
	for name, level := range map[string]float32{"farther away": -36, "much louder": -14} {
		t.Run(name, func(t *testing.T) {
			with(t, nil, func(t *testing.T, r *rig) {
				r.sayAt(1, "hey hearth do door", -24)
				r.turn()
				synctest.Wait()
				r.sayAt(2, "yes", level)
				if e := r.next("ignored").(*event.Ignored); e.Reason != otherVoice {
					t.Errorf("%+v", e)
				}
				r.isOpen()
				// The person still has their say.
				r.sayAt(3, "yes", -29)
				r.turn()
				r.isOpen("door")
			})
		})
	}
}

func TestTelevisionThatGoesOnSayingYesGetsANo(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.sayAt(1, "hey hearth do door", -24)
		r.turn()
		synctest.Wait()
		r.sayAt(2, "yes", -40)
		r.sayAt(3, "yes", -40)
		if turn := r.turn(); turn.Answer != said("dialogue.unanswered") {
			t.Errorf("turn %+v", turn)
		}
		r.sayAt(4, "hey hearth yes", -24)
		r.turn()
		r.isOpen()
	})
}

func TestNoCountsFromEverywhere(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.sayAt(1, "hey hearth do door", -24)
		r.turn()
		synctest.Wait()
		r.sayAt(2, "no", -50)
		if turn := r.turn(); turn.Answer != said("dialogue.declined") {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestWhatWasAskedInWritingIsNotAnsweredAloud(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		if _, err := r.ask(t.Context(), "do door"); err != nil {
			t.Fatal(err)
		}
		r.turn()
		r.say(1, "hey hearth yes")
		r.turn()
		r.isOpen()
		if _, err := r.d.AskAs(t.Context(), "", "yes", "Open the door?"); err != nil {
			t.Fatal(err)
		}
		r.isOpen()
	})
}

func TestWhatWasAskedAloudIsNotAnsweredInWriting(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do door")
		r.turn()
		synctest.Wait()
		if _, err := r.d.AskAs(t.Context(), "", "yes", "Open the door?"); err != nil {
			t.Fatal(err)
		}
		r.isOpen()
	})
}

func TestWrittenYesNamesTheQuestionThatItAnswers(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		for _, question := range []string{"", "Open the garage?"} {
			asked, err := r.ask(t.Context(), "do door")
			if err != nil || asked.Question != "Open the door?" {
				t.Fatalf("%+v, %v", asked, err)
			}
			turn, err := r.d.AskAs(t.Context(), "", "yes", question)
			if err != nil || turn.Answer != said("dialogue.name_question") || turn.Outcome != "failed" ||
				turn.Reason != "question_not_named" {
				t.Errorf("named %q: %+v, %v", question, turn, err)
			}
			if _, err = r.d.AskAs(t.Context(), "", "yes", "Open the door?"); err != nil {
				t.Fatal(err)
			}
			r.isOpen() // the question is over
		}
		// What wants a word and no yes is answered by it alone.
		if _, err := r.ask(t.Context(), "do which"); err != nil {
			t.Fatal(err)
		}
		if turn, err := r.ask(t.Context(), "tea"); err != nil || turn.Answer != "It is done." {
			t.Errorf("%+v, %v", turn, err)
		}
	})
}
