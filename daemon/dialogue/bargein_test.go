package dialogue

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/daemon/event"
	"hearthd/vad"
)

// longAnswer is a box that cancels its echo and gives a long answer.
func longAnswer(r *rig) {
	r.duplex = true
	r.mind.sentences = []string{strings.Repeat("word ", 30) + "end."}
}

// loudness is the loudest sample that the card was given last.
func (r *rig) loudness() int16 {
	time.Sleep(2 * rigPeriod)
	return int16(r.loud.Load())
}

func TestOnsetSilencesTheSpeakerWithinSixtyMilliseconds(t *testing.T) {
	with(t, longAnswer, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		time.Sleep(time.Second)
		before := r.loudness()
		r.onset(2)
		time.Sleep(60*time.Millisecond - 2*rigPeriod)
		if now := r.loudness(); now > before/20 {
			t.Errorf("60 ms after the onset the speaker is at %d, before at %d", now, before)
		}
		r.silence(2, vad.Discard, vad.Short)
	})
}

func TestCoughDucksTheAnswerWhichGoesOn(t *testing.T) {
	for name, end := range map[string]func(*rig){
		"it pauses":    func(r *rig) { r.pause(2, 330000) },
		"it ends":      func(r *rig) { r.end(2, 330000) },
		"it is short":  func(r *rig) { r.silence(2, vad.Discard, vad.Short) },
		"it is cut":    func(r *rig) { r.silence(2, vad.Discard, vad.Closed) },
		"a word comes": func(r *rig) { r.pause(2, 330000); r.end(2, 330000) },
	} {
		t.Run(name, func(t *testing.T) {
			with(t, longAnswer, func(t *testing.T, r *rig) {
				r.say(1, "hey hearth why")
				time.Sleep(time.Second)
				before := r.loudness()
				r.onset(2)
				r.frames(2, 10)
				time.Sleep(250 * time.Millisecond)
				end(r)
				time.Sleep(300 * time.Millisecond)
				if now := r.loudness(); now != before {
					t.Errorf("the answer came back at %d, before at %d", now, before)
				}
				if turn := r.turn(); turn.Outcome != "answered" || r.ears.opens != 1 {
					t.Errorf("turn %+v, the recogniser was opened %d times", turn, r.ears.opens)
				}
			})
		})
	}
}

func TestVoiceThatGoesOnCutsAndReportsWhatWasHeard(t *testing.T) {
	with(t, longAnswer, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		time.Sleep(1055 * time.Millisecond)
		r.onset(2)
		r.frames(2, 12)
		time.Sleep(240 * time.Millisecond)
		if r.ears.opens != 1 {
			t.Error("the recogniser was given what may be a cough")
		}
		r.opt.Inbox.Deliver(&vad.Signal{Kind: vad.Sustained, Utterance: 2})
		synctest.Wait()
		// but not while it was ducked
		if cut := r.next("barge_in").(*event.BargeIn); cut.PlayedMS < 1020 || cut.PlayedMS > 1065 {
			t.Errorf("played %d ms, want about 1055", cut.PlayedMS)
		}
		if turn := r.turn(); turn.Outcome != "interrupted" || turn.Answer != strings.Repeat("word ", 10)+"…" {
			t.Errorf("turn %+v", turn)
		}
		r.ears.will(2, "do tea", nil)
		r.frames(2, 20)
		r.end(2, 340000)
		if next := r.turn(); next.WokenBy != "barge_in" || next.Intent != "tea" || next.Transcript != "do tea" {
			t.Errorf("next turn %+v", next)
		}
		if got := r.loudness(); got != 0 {
			t.Errorf("the speaker is at %d after the last word", got)
		}
	})
}

func TestVoiceOverTheEndOfAnAnswerIsTheNextRequest(t *testing.T) {
	with(t, func(r *rig) { r.duplex = true; r.mind.sentences = []string{"one two three."} },
		func(t *testing.T, r *rig) {
			r.say(1, "hey hearth why")
			time.Sleep(250 * time.Millisecond)
			r.onset(2)
			if turn := r.turn(); turn.Outcome != "answered" {
				t.Errorf("turn %+v", turn)
			}
			synctest.Wait()
			r.opt.Inbox.Deliver(&vad.Signal{Kind: vad.Sustained, Utterance: 2})
			r.ears.will(2, "do tea", nil)
			r.frames(2, 20)
			r.end(2, 340000)
			if next := r.turn(); next.WokenBy != "follow_up" || next.Outcome != "answered" {
				t.Errorf("next turn %+v", next)
			}
		})
}

// The canceller is not good enough any more: the front end discards what is open.
func TestHalfDuplexThatBeginsInTheMiddleOfACoughEndsTheDuck(t *testing.T) {
	with(t, longAnswer, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		time.Sleep(time.Second)
		before := r.loudness()
		r.onset(2)
		r.duplex = false
		r.silence(2, vad.Discard, vad.Closed)
		time.Sleep(300 * time.Millisecond)
		if now := r.loudness(); now != before {
			t.Errorf("the answer is at %d, before at %d", now, before)
		}
		r.onset(3)
		if now := r.loudness(); now != before {
			t.Error("an onset ducks although the echo is not cancelled")
		}
	})
}
