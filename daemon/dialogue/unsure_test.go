package dialogue

import (
	"testing"
	"testing/synctest"
	"time"

	"hearthd/daemon/event"
	"hearthd/llm"
	"hearthd/vad"
)

// mumble is say for somebody who is heard so badly that the words are a guess.
func (r *rig) mumble(n uint64, text string) {
	r.hears(n, transcript{text: text, heard: heard{unsure: true}})
}

// hears lets something sound for a second, of which the recogniser makes t.
func (r *rig) hears(n uint64, t transcript) {
	r.ears.will(n, "", nil)
	r.ears.script[n] = t
	r.speak(n)
	r.silence(n, vad.End, vad.Silence)
}

// press opens a window by hand.
func (r *rig) press() {
	if err := r.d.Listen(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	synctest.Wait()
}

// does reports whether a tool was called.
func (r *rig) does(tool string) bool {
	r.hands.mu.Lock()
	defer r.hands.mu.Unlock()
	for _, c := range r.hands.calls {
		if c.Name == tool {
			return true
		}
	}
	return false
}

func TestAnOrderThatIsAGuessIsReadBackAndDoneAfterAYes(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.press()
		r.mumble(1, "do tea")
		if turn := r.turn(); turn.Answer != "do tea, right?" || !turn.Asks || r.does("tea") {
			t.Errorf("turn %+v", turn)
		}
		synctest.Wait()
		r.mumble(2, "yes") // a yes counts only if it is clear
		r.next("ignored")
		r.isOpen()
		r.say(3, "yes")
		r.turn()
		r.isOpen("tea")
	})
}

func TestTwoOrdersInAGuessAreReadBackOnce(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.press()
		r.mumble(1, "do tea and do coffee")
		if turn := r.turn(); turn.Answer != "do tea and do coffee, right?" {
			t.Errorf("turn %+v", turn)
		}
		synctest.Wait()
		r.say(2, "yes")
		r.turn()
		r.isOpen("tea", "coffee")
	})
}

func TestAGuessIsReadBackAndUnderstoodOnlyAsAnIntent(t *testing.T) {
	for name, c := range map[string]struct{ said, answer string }{
		"question":       {"do look", "do look, right?"},
		"its own":        {"do door", "Open the door?"},
		"for a thinker":  {"whatever", said("dialogue.not_understood")},
		"what it lacked": {"wait", "For how long?"},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, func(r *rig) { r.mind.sentences = []string{"One."} }, func(t *testing.T, r *rig) {
				r.press()
				r.mumble(1, c.said)
				if turn := r.turn(); turn.Answer != c.answer {
					t.Errorf("turn %+v", turn)
				}
				r.isOpen()
			})
		})
	}
}

func TestWhatIsHeardFaintlyIsDoneUnlessItIsGrave(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.press()
		r.hears(1, transcript{text: "do tea", heard: heard{faint: true}})
		r.turn()
		r.isOpen()
		if !r.does("tea") {
			t.Error("tea was not made")
		}
		synctest.Wait()
		r.press()
		r.hears(2, transcript{text: "do wipe", heard: heard{faint: true}})
		if turn := r.turn(); turn.Answer != "do wipe, right?" || r.does("wipe") {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestAThinkerDoesNothingGraveThatWasHeardFaintly(t *testing.T) {
	with(t, func(r *rig) { r.mind.sentences = []string{"do wipe tea"} }, func(t *testing.T, r *rig) {
		r.press()
		r.hears(1, transcript{text: "clean up a bit", heard: heard{faint: true}})
		if turn := r.turn(); turn.Answer != "clean up a bit, right?" || r.does("wipe") || !r.does("tea") {
			t.Errorf("turn %+v", turn)
		}
	})
}

// That something else may have been asked for is no doubt about who is spoken to.
func TestAnOrderWithARivalIsReadBackAndAQuestionAnsweredWhereverThePhraseWasHeard(t *testing.T) {
	rival := func(text string) transcript { return transcript{text: text, heard: heard{rival: true}} }
	with(t, nil, func(t *testing.T, r *rig) {
		r.hears(1, rival("do tea"))
		r.next("ignored")
		r.hears(2, rival("hey hearth do look"))
		if turn := r.turn(); turn.WokenBy != "phrase" || !r.does("look") {
			t.Errorf("turn %+v", turn)
		}
		synctest.Wait()
		r.hears(3, rival("hey hearth do tea"))
		if turn := r.turn(); turn.Answer != "do tea, right?" || r.does("tea") {
			t.Errorf("turn %+v", turn)
		}
		synctest.Wait()
		r.hears(4, rival("yes")) // which may have been a no
		r.next("ignored")
		r.say(5, "yes")
		r.turn()
		r.isOpen("tea")
	})
}

func TestHowClearlyItWasHeardIsWhatTheMarginSays(t *testing.T) {
	for _, c := range []struct {
		t    llm.Transcript
		want heard
	}{
		{llm.Transcript{Text: "set a timer for ten minutes"}, heard{}},
		{llm.Transcript{Text: "set a timer for ten minutes", Margin: -10}, heard{faint: true}},
		{llm.Transcript{Text: "set a timer for fifty minutes", Rival: true}, heard{rival: true}},
		{llm.Transcript{Text: "stop it", Margin: -13}, heard{faint: true, unsure: true}},
		{llm.Transcript{Text: "set a timer for ten minutes", Margin: -16}, heard{faint: true, unsure: true}},
	} {
		if got := heardIn(c.t); got != c.want {
			t.Errorf("%+v: %+v", c.t, got)
		}
	}
}

func TestAGuessThatNobodyIsKnownToHaveSaidIsIgnored(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.mumble(1, "hey hearth do tea") // the phrase is a guess too
		r.next("ignored")
		r.say(2, "hey hearth do coffee")
		r.turn()
		synctest.Wait()
		r.mumble(3, "do tea") // in the window after the answer
		r.next("ignored")
		if r.does("tea") {
			t.Error("it was done")
		}
	})
}

func TestAGuessUpToAPauseDoesNotEndTheUtteranceEarly(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.press()
		r.ears.sofar = map[uint64][]transcript{1: {{text: "do tea", heard: heard{unsure: true}}}}
		r.onset(1)
		r.goOn(1, 16000)
		if r.ends != nil {
			t.Errorf("the pause is to end after %q", r.ends)
		}
		r.end(1, r.at(1, 16000))
		if turn := r.turn(); turn.Answer != "do tea, right?" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestANoThatIsAGuessSendsTheRecordedMessage(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do record")
		r.turn()
		synctest.Wait()
		r.mumble(2, "no")
		if turn := r.turn(); turn.Answer != "It is sent." {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestARejectedNoiseLeavesTheWindowOpenThatAPersonOpened(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.press()
		r.hears(1, transcript{heard: heard{rejected: true}})
		r.next("ignored")
		if s := r.state(); s != event.Listening {
			t.Errorf("state %s", s)
		}
		r.say(2, "do tea")
		if turn := r.turn(); turn.Intent != "tea" || turn.WokenBy != "button" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestARejectedNoiseDoesNotKeepTheWindowOpenForLonger(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.press()
		time.Sleep(listenWindow - 2*time.Second)
		r.hears(1, transcript{heard: heard{rejected: true}})
		r.next("ignored")
		time.Sleep(3 * time.Second)
		if s := r.state(); s != event.Idle {
			t.Errorf("state %s", s)
		}
	})
}
