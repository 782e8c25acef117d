package dialogue

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/audio"
	"hearthd/daemon/event"
	"hearthd/vad"
	"hearthd/vad/wake"
)

// wakeWords gives the rig two wake words and a stop word.
func wakeWords(r *rig) {
	r.opt.Wake.Engine = WakeButton
	r.opt.Inbox = NewInbox([]Word{{Name: "jarvis"}, {Name: "nabu", Route: "cloud"}, {Name: "stop", Stop: true}})
}

// spot lets a spotter hear a word that ends when the n-th utterance may begin, and
// reports whether it opened a turn. What was open is discarded, as by a Front.
func (r *rig) spot(n uint64, name string) bool {
	opens := r.opt.Inbox.Detect(wake.Detection{Name: name, Score: 0.9, Position: audio.Position(n) * 160000})
	if opens {
		r.opt.Inbox.Deliver(&vad.Signal{Kind: vad.Discard, Utterance: n - 1, Reason: vad.Closed})
	}
	synctest.Wait()
	return opens
}

func TestWakeWordAndCommandInOneBreathHaveNoChime(t *testing.T) {
	with(t, wakeWords, func(t *testing.T, r *rig) {
		r.spot(1, "jarvis")
		if e := r.next("woken").(*event.Woken); e.By != "jarvis" || e.Score != 0.9 {
			t.Errorf("woken %+v", e)
		}
		time.Sleep(100 * time.Millisecond)
		r.speak(1)
		time.Sleep(2 * chimeDelay)
		if r.mixer.Earcon().Sounding() {
			t.Error("an earcon while the person speaks")
		}
		r.ears.will(1, "do tea", nil)
		r.silence(1, vad.End, vad.Silence)
		if turn := r.turn(); turn.WokenBy != "jarvis" || turn.Transcript != "do tea" || turn.Outcome != "answered" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestWakeWordAloneChimesAndWaitsForTheCommand(t *testing.T) {
	with(t, wakeWords, func(t *testing.T, r *rig) {
		r.spot(1, "jarvis")
		if s := r.state(); s != event.Listening || r.mixer.Earcon().Sounding() {
			t.Errorf("state %s, earcon %v", s, r.mixer.Earcon().Sounding())
		}
		time.Sleep(chimeDelay)
		synctest.Wait()
		if !r.mixer.Earcon().Sounding() {
			t.Error("no earcon")
		}
		time.Sleep(3 * time.Second)
		r.say(1, "do tea")
		if turn := r.turn(); turn.WokenBy != "jarvis" || turn.Outcome != "answered" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestRestOfTheWakeWordDelaysTheChimeOnly(t *testing.T) {
	with(t, wakeWords, func(t *testing.T, r *rig) {
		r.spot(1, "jarvis")
		r.speak(1)
		time.Sleep(700 * time.Millisecond)
		r.silence(1, vad.Discard, vad.Short)
		if s := r.state(); s != event.Listening || !r.mixer.Earcon().Sounding() {
			t.Errorf("state %s, earcon %v", s, r.mixer.Earcon().Sounding())
		}
	})
}

func TestWakeWordThatNothingFollowsEndsInAnEarcon(t *testing.T) {
	with(t, wakeWords, func(t *testing.T, r *rig) {
		r.spot(1, "jarvis")
		time.Sleep(listenWindow)
		synctest.Wait()
		if s := r.state(); s != event.Idle || !r.mixer.Earcon().Sounding() {
			t.Errorf("state %s, earcon %v", s, r.mixer.Earcon().Sounding())
		}
	})
}

func TestWordThatTwoSpottersHearOpensOneTurn(t *testing.T) {
	with(t, wakeWords, func(t *testing.T, r *rig) {
		if !r.spot(1, "jarvis") || r.spot(1, "nabu") || r.spot(1, "jarvis") {
			t.Error("it opened none, or several")
		}
		if r.opt.Inbox.Detect(wake.Detection{Name: "alexa", Position: 320000}) {
			t.Error("a word that is not in the configuration opened a turn")
		}
		if !r.spot(2, "jarvis") {
			t.Error("the same word did not open a turn ten seconds later")
		}
	})
}

func TestWakeWordDiscardsWhatWasSaidBeforeIt(t *testing.T) {
	with(t, func(r *rig) { wakeWords(r); r.opt.Wake.Engine = WakePhrase }, func(t *testing.T, r *rig) {
		r.ears.slow = map[uint64]time.Duration{1: 3 * time.Second}
		r.say(1, "hey hearth do coffee")
		r.spot(2, "jarvis")
		r.say(2, "do tea")
		if turn := r.turn(); turn.Intent != "tea" {
			t.Errorf("turn %+v", turn)
		}
		time.Sleep(10 * time.Second)
		r.none("turn")
	})
}

func TestWakeWordCutsTheAnswerWithoutACanceller(t *testing.T) {
	with(t, func(r *rig) { wakeWords(r); r.mind.sentences = []string{"one two three four five six."} },
		func(t *testing.T, r *rig) {
			r.spot(1, "jarvis")
			r.say(1, "why")
			time.Sleep(355 * time.Millisecond)
			r.spot(2, "jarvis")
			if cut := r.next("barge_in").(*event.BargeIn); cut.PlayedMS < 320 || cut.PlayedMS > 380 {
				t.Errorf("played %d ms", cut.PlayedMS)
			}
			r.say(2, "do tea")
			if first, second := r.turn(), r.turn(); first.Outcome != "interrupted" || first.Answer != "one two three …" ||
				second.Intent != "tea" {
				t.Errorf("first %+v, second %+v", first, second)
			}
		})
}

func TestStopWordSilencesAnAnswerAndARingingTimerAndOpensNothing(t *testing.T) {
	with(t, func(r *rig) { wakeWords(r); r.mind.sentences = []string{strings.Repeat("word ", 100)} },
		func(t *testing.T, r *rig) {
			r.spot(1, "jarvis")
			r.say(1, "why")
			time.Sleep(time.Second)
			if r.spot(2, "stop") {
				t.Error("it opened a turn")
			}
			if turn := r.turn(); turn.Outcome != "stopped" {
				t.Errorf("turn %+v", turn)
			}
			r.ring(3)
			time.Sleep(2 * time.Second)
			r.spot(3, "stop")
			if e := r.next("hushed").(*event.Hushed); e.By != "stop" {
				t.Errorf("hushed %+v", e)
			}
			if turn := r.turn(); turn.Outcome != "stopped" || turn.Source != "announcement" {
				t.Errorf("turn %+v", turn)
			}
			r.say(4, "do tea")
			r.none("turn")
		})
}

func TestStopWordWithNothingToStopIsPassedOver(t *testing.T) {
	with(t, wakeWords, func(t *testing.T, r *rig) {
		r.spot(1, "stop")
		if r.mixer.Earcon().Sounding() {
			t.Error("an earcon")
		}
		r.none("hushed")
	})
}

// "Hey jarvis, when does the bus stop": the word is part of the command.
func TestStopWordInACommandIsPassedOver(t *testing.T) {
	with(t, wakeWords, func(t *testing.T, r *rig) {
		r.spot(1, "jarvis")
		r.spot(1, "stop") // before the segmenter has begun
		r.speak(1)
		r.spot(2, "stop")
		r.ears.will(1, "do tea", nil)
		r.ears.slow = map[uint64]time.Duration{1: 3 * time.Second}
		r.silence(1, vad.End, vad.Silence)
		time.Sleep(time.Second)
		r.spot(3, "stop") // while it is recognised
		if turn := r.turn(); turn.Transcript != "do tea" || turn.Outcome != "answered" {
			t.Errorf("turn %+v", turn)
		}
		r.none("hushed")
	})
}

func TestStopWordWhileTheModelThinksIsPassedOver(t *testing.T) {
	with(t, func(r *rig) {
		wakeWords(r)
		r.mind.sentences, r.mind.pause = []string{"One two."}, 5*time.Second
	}, func(t *testing.T, r *rig) {
		r.spot(1, "jarvis")
		r.say(1, "why")
		time.Sleep(time.Second)
		if s := r.state(); s != event.Thinking {
			t.Fatalf("state %s", s)
		}
		r.spot(2, "stop")
		if turn := r.turn(); turn.Outcome != "answered" {
			t.Errorf("turn %+v", turn)
		}
		r.none("hushed")
	})
}

// Where one may speak over an answer, the word itself cuts it before it is
// understood.
func TestStopWordThatHasCutTheAnswerLeavesNothingOpen(t *testing.T) {
	with(t, func(r *rig) {
		wakeWords(r)
		r.duplex, r.mind.sentences = true, []string{strings.Repeat("word ", 100)}
	}, func(t *testing.T, r *rig) {
		r.spot(1, "jarvis")
		r.say(1, "why")
		time.Sleep(time.Second)
		r.speak(2)
		if s := r.state(); s != event.Listening {
			t.Fatalf("state %s", s)
		}
		if turn := r.turn(); turn.Outcome != "interrupted" {
			t.Errorf("turn %+v", turn)
		}
		time.Sleep(200 * time.Millisecond) // nothing sounds any more
		r.spot(3, "stop")
		r.next("hushed")
		if s := r.state(); s != event.Idle {
			t.Errorf("state %s", s)
		}
		r.silence(2, vad.End, vad.Silence)
		r.none("turn")
	})
}

func TestWordThatIsLimitedToTheCloudIsNotAnsweredInTheHouse(t *testing.T) {
	with(t, wakeWords, func(t *testing.T, r *rig) {
		r.spot(1, "nabu")
		r.say(1, "why")
		if turn := r.turn(); turn.Outcome != "failed" || turn.Reason != "no_route" ||
			turn.Answer != said("dialogue.no_cloud") {
			t.Errorf("turn %+v", turn)
		}
		r.say(2, "why")
		if turn := r.turn(); turn.WokenBy != "follow_up" || turn.Reason != "no_route" {
			t.Errorf("the follow-up took another route: %+v", turn)
		}
		r.say(3, "do tea")
		if turn := r.turn(); turn.Route != "intent" || turn.Outcome != "answered" {
			t.Errorf("an intent needs no route: %+v", turn)
		}
	})
}

func TestMutedBoxHearsNoWord(t *testing.T) {
	with(t, wakeWords, func(t *testing.T, r *rig) {
		if err := r.d.SetMuted(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		r.spot(1, "jarvis")
		if s := r.state(); s != event.Muted {
			t.Errorf("state %s", s)
		}
		r.none("woken")
	})
}

func TestRecogniserIsOpenBeforeThePersonSpeaks(t *testing.T) {
	with(t, wakeWords, func(t *testing.T, r *rig) {
		r.spot(1, "jarvis")
		if r.ears.opens != 1 {
			t.Errorf("the recogniser was opened %d times", r.ears.opens)
		}
		time.Sleep(6 * time.Second) // longer than it waits for a frame that should have come
		r.say(1, "do tea")
		if turn := r.turn(); turn.Intent != "tea" || r.ears.opens != 1 {
			t.Errorf("turn %+v after %d recognisers", turn, r.ears.opens)
		}
	})
}

func TestRecogniserThatFailsBeforeThePersonSpeaksIsTriedAgain(t *testing.T) {
	with(t, wakeWords, func(t *testing.T, r *rig) {
		r.ears.openErr = errors.New("gone")
		r.spot(1, "jarvis")
		if len(r.heard) != 1 || r.heard[0] == nil {
			t.Errorf("recogniser's state: %v", r.heard)
		}
		r.ears.openErr = nil
		r.say(1, "do tea")
		if turn := r.turn(); turn.Intent != "tea" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestRecogniserThatNobodySpokeToIsGivenUp(t *testing.T) {
	with(t, wakeWords, func(t *testing.T, r *rig) {
		synctest.Wait()
		before := runtime.NumGoroutine()
		r.spot(1, "jarvis")
		time.Sleep(listenWindow + time.Second)
		synctest.Wait()
		after := runtime.NumGoroutine()
		for range 10_000 { // one that the runtime itself has for a moment is gone then
			if after <= before {
				return
			}
			runtime.Gosched()
			after = runtime.NumGoroutine()
		}
		t.Errorf("%d goroutines, %d before", after, before)
	})
}
