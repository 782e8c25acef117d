package dialogue

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/audio"
	"hearthd/daemon/event"
	"hearthd/vad"
)

func TestMessageIsRecordedAndGoesNowhereElse(t *testing.T) {
	c := &cloud{}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do record")
		if turn := r.turn(); turn.Answer != "What is your message?" || !turn.Asks {
			t.Errorf("turn %+v", turn)
		}
		synctest.Wait()
		readied := c.readied
		r.ears.will(2, "do tea", nil)
		r.speak(2)
		r.pause(2, r.at(2, 8000)) // a message goes on after "do tea"
		r.silence(2, vad.End, vad.Silence)
		turn := r.turn()
		if turn.Answer != "It is sent." || turn.Transcript != "" || turn.Intent != "record" ||
			turn.WokenBy != byQuestion {
			t.Errorf("turn %+v", turn)
		}
		if n := len(r.hands.recorded); n != 50*audio.FrameSamples || r.hands.recorded[0] != 2 {
			t.Errorf("%d samples were recorded", n)
		}
		if len(c.turns) > 0 || c.readied > readied || len(r.ends) > 0 {
			t.Errorf("the responder was opened %d times, the end was moved: %v", len(c.turns), r.ends)
		}
		r.say(3, "do tea") // the next utterance is a request again
		if turn := r.turn(); turn.Answer != "It is done." {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestNobodyIsRecordedWhoSaysNoOrNothingOrTypes(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do record")
		r.turn()
		synctest.Wait()
		r.say(2, "no")
		if turn := r.turn(); turn.Answer != said("dialogue.declined") {
			t.Errorf("turn %+v", turn)
		}
		r.say(3, "hey hearth do record")
		r.turn()
		if turn := r.turn(); turn.Source != "announcement" || turn.Answer != said("dialogue.no_answer") {
			t.Errorf("turn %+v", turn)
		}
		if turn, err := r.ask(t.Context(), "do record"); err != nil ||
			turn.Answer != said("dialogue.nobody_to_record") || turn.Asks {
			t.Errorf("turn %+v, %v", turn, err)
		}
		if r.hands.recorded != nil {
			t.Errorf("%d samples were recorded", len(r.hands.recorded))
		}
	})
}

func TestModelMayAskForAMessageOnce(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.mind.sentences = []string{"do record"}
		r.say(1, "hey hearth let the bedroom hear me")
		if turn := r.turn(); turn.Answer != "What is your message?" || !turn.Asks {
			t.Errorf("turn %+v", turn)
		}
		synctest.Wait()
		r.say(2, "dinner")
		if turn := r.turn(); turn.Answer != "It is sent." || r.hands.recorded == nil {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestMessageIsNoLongerThanItMayBe(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do record")
		r.turn()
		synctest.Wait()
		r.ears.will(2, "on and on", nil)
		r.speak(2)
		for range 20 { // a little at a time, as the recogniser takes it
			r.frames(2, 50)
		}
		r.silence(2, vad.End, vad.Cap)
		r.turn()
		if n := len(r.hands.recorded); n != maxRecording {
			t.Errorf("%d samples were recorded", n)
		}
	})
}

func wav(t *testing.T, samples []int16) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := audio.EncodeWAV(&b, audio.Chunk{Rate: audio.Rate, Samples: samples}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestMessageIsPlayedAsAnAnnouncement(t *testing.T) {
	with(t, func(r *rig) {
		r.chosen.quiet = func() (string, bool) { return "", r.duplex }
	}, func(t *testing.T, r *rig) {
		sound := slices.Repeat([]int16{9000}, 2*audio.Rate)
		if err := r.d.PlayAt(t.Context(), "A message from the kitchen.", wav(t, sound), false,
			time.Time{}); err != nil {
			t.Fatal(err)
		}
		r.next("said")
		time.Sleep(2 * time.Second) // it is being played
		synctest.Wait()
		if v := r.loud.Load(); v < 1000 || r.state() != event.Speaking {
			t.Errorf("the speaker plays %d, state %s", v, r.state())
		}
		if turn := r.turn(); turn.Source != "announcement" || turn.Outcome != "answered" ||
			turn.Answer != "A message from the kitchen." || turn.Stages.Total < 2000 {
			t.Errorf("turn %+v", turn)
		}
		for _, wrong := range [][]int16{nil, make([]int16, maxRecording+1)} {
			if err := r.d.PlayAt(t.Context(), "", wav(t, wrong), false, time.Time{}); !errors.Is(err, errSound) {
				t.Errorf("%d samples: %v", len(wrong), err)
			}
		}
		for i := range maxMessages + 2 { // one of them is being played
			err := r.d.PlayAt(t.Context(), "", wav(t, sound), false, time.Time{})
			if (i <= maxMessages) != (err == nil) || err != nil && !errors.Is(err, errBusy) {
				t.Errorf("message %d: %v", i, err)
			}
		}
		r.duplex = true // quiet
		if err := r.d.PlayAt(t.Context(), "", wav(t, sound), false, time.Time{}); !errors.Is(err, errDND) {
			t.Errorf("not to be disturbed: %v", err)
		}
		if err := r.d.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := r.d.PlayAt(t.Context(), "", wav(t, sound), true, time.Time{}); err != nil {
			t.Errorf("urgent: %v", err)
		}
		if turn := r.turn(); turn.Outcome != "stopped" {
			t.Errorf("turn %+v", turn)
		}
		if turn := r.turn(); turn.Outcome != "answered" || turn.Stages.Total < 2000 {
			t.Errorf("turn %+v", turn)
		}
	})
}
