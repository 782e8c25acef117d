package dialogue

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/audio/cue"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
	"hearthd/llm"
	"hearthd/vad"
)

func TestAnswerWithoutAnythingInItIsReplaced(t *testing.T) {
	withCloud(t, &cloud{deltas: []llm.Delta{{Heard: "Why?"}}}, nil, func(t *testing.T, r *rig) {
		r.mind.sentences = []string{"At home."}
		r.say(1, "hey hearth why")
		if turn := r.turn(); turn.Route != "local" || turn.Answer != "At home." || turn.Transcript != "why" {
			t.Errorf("%+v", turn)
		}
	})
}

func TestWordsThatCameWithoutTheirSoundAreNotPartOfTheAnswer(t *testing.T) {
	withCloud(t, &cloud{deltas: []llm.Delta{{Text: "Because. It"}}, err: errCloud}, nil, func(t *testing.T, r *rig) {
		r.mind.sentences = []string{"At home."}
		r.say(1, "hey hearth why")
		if said := r.next("said").(*event.Said).Text; said != "At home." {
			t.Errorf("said %q", said)
		}
		if turn := r.turn(); turn.Answer != "At home." {
			t.Errorf("%+v", turn)
		}
	})
}

func TestResponderWithoutAVoiceIsSpokenHere(t *testing.T) {
	withCloud(t, &cloud{deltas: []llm.Delta{{Text: "In "}, {Text: "words."}}}, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		if turn := r.turn(); turn.Route != "cloud" || turn.Outcome != "answered" || turn.Answer != "In words." ||
			len(r.spoken.said) != 1 {
			t.Errorf("%+v, spoken %q", turn, r.spoken.said)
		}
	})
}

func TestWhatWasNotMeantForTheBoxMayBeAnsweredBySilence(t *testing.T) {
	c := &cloud{deltas: []llm.Delta{sounds("Yes.")}}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth is it late")
		r.turn()
		c.deltas = nil
		r.say(2, "so then I told her")
		if turn := r.turn(); turn.WokenBy != "follow_up" || turn.Reason != "not_addressed" || turn.Answer != "" {
			t.Errorf("%+v", turn)
		}
	})
}

func TestWordsAreToldSentenceBySentence(t *testing.T) {
	c := &cloud{pause: 10 * time.Millisecond, deltas: []llm.Delta{sounds("One"), sounds(" and. Two"), sounds(". Thr"),
		sounds("ee")}}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth count")
		var said []string
		for i := range 3 {
			said = append(said, r.next("said").(*event.Said).Text)
			if i == 0 && r.state() != event.Speaking {
				t.Error("the first sentence is told after the answer")
			}
		}
		if diff := cmp.Diff([]string{"One and.", "Two.", "Three"}, said); diff != "" {
			t.Error(diff)
		}
	})
}

func TestQuestionOfAToolIsAskedOnceAndDoneAfterAYes(t *testing.T) {
	for name, c := range map[string]*cloud{
		"silent": {waits: true, deltas: []llm.Delta{{Call: &llm.ToolCall{ID: "1", Name: "door"}}}},
		"lost":   {waits: true, deltas: []llm.Delta{{Call: &llm.ToolCall{ID: "1", Name: "door"}}}, err: errCloud},
	} {
		t.Run(name, func(t *testing.T) {
			withCloud(t, c, nil, func(t *testing.T, r *rig) {
				r.say(1, "hey hearth let her in")
				turn := r.turn()
				if !turn.Asks || turn.Answer != "Open the door?" || turn.Outcome != "answered" {
					t.Errorf("%+v", turn)
				}
				if diff := cmp.Diff([]string{"1 " + answer.ToldAsked}, c.turns[0].results); diff != "" {
					t.Error(diff)
				}
				r.say(2, "yes")
				if turn := r.turn(); turn.Answer != "The door is open." || turn.Route != "intent" {
					t.Errorf("%+v", turn)
				}
				synctest.Wait()
				if last := c.turns[len(c.turns)-1]; len(c.turns) != 2 || last.committed || last.cut != 0 {
					t.Errorf("%d turns, the last %+v", len(c.turns), last)
				}
			})
		})
	}
}

func TestLossWhileAToolOnlyLooksIsAnsweredAtOnce(t *testing.T) {
	c := &cloud{deltas: []llm.Delta{{Call: &llm.ToolCall{ID: "1", Name: "slow"}}}, err: errCloud}
	looks := func(r *rig) { r.rules.reads = func(string) bool { return true } }
	withCloud(t, c, looks, func(t *testing.T, r *rig) {
		r.mind.sentences = []string{"At home."}
		r.say(1, "hey hearth how deep is it")
		if turn := r.turn(); turn.Route != "local" || turn.Answer != "At home." || turn.Stages.Total > 5000 {
			t.Errorf("%+v", turn)
		}
	})
}

// TestCallsThatRanNothingAreNoDeed has a responder that calls what there is not, again
// and again, and then says nothing or breaks off.
func TestCallsThatRanNothingAreNoDeed(t *testing.T) {
	for name, tool := range map[string]string{"no such tool": "made_up", "wrong arguments": "misused"} {
		for end, err := range map[string]error{"silence": nil, "loss": errCloud} {
			t.Run(name+", "+end, func(t *testing.T) {
				c := &cloud{err: err, waits: true}
				for i := range 10 {
					c.deltas = append(c.deltas, llm.Delta{Call: &llm.ToolCall{ID: string(rune('a' + i)), Name: tool}})
				}
				withCloud(t, c, nil, func(t *testing.T, r *rig) {
					r.mind.sentences = []string{"At home."}
					r.say(1, "hey hearth what do I wear")
					turn := r.turn()
					if turn.Route != "local" || turn.Outcome != "answered" || turn.Answer != "At home." ||
						len(turn.Tools) != 10 {
						t.Errorf("%+v", turn)
					}
				})
			})
		}
	}
}

func TestLossWhileAToolActsWaitsForItAndTellsWhatItDid(t *testing.T) {
	c := &cloud{deltas: []llm.Delta{{Call: &llm.ToolCall{ID: "1", Name: "slow"}}}, err: errCloud}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.mind.sentences = []string{"At home."}
		r.say(1, "hey hearth clean up")
		turn := r.turn()
		if turn.Route != "cloud" || turn.Outcome != "failed" || turn.Reason != "cloud_lost" ||
			turn.Answer != "It is done." || len(turn.Tools) != 1 {
			t.Errorf("%+v", turn)
		}
	})
}

func TestSpeechOverAnAnswerThatMustStayAtHomeStaysThere(t *testing.T) {
	c := &cloud{}
	withCloud(t, c, func(r *rig) {
		r.duplex, r.opt.Inbox = true, NewInbox([]Word{{Name: "house", Route: "local"}})
	}, func(t *testing.T, r *rig) {
		r.mind.sentences = []string{strings.Repeat("and so on ", 20)}
		r.spot(0, "house")
		r.say(1, "tell me a story")
		r.speaks()
		time.Sleep(time.Second)
		r.ears.will(2, "why", nil)
		r.speak(2)
		r.silence(2, vad.End, vad.Silence)
		r.turn()
		if turn := r.turn(); turn.WokenBy != "barge_in" || turn.Route != "local" || len(c.turns) != 0 {
			t.Errorf("%+v, %d turns", turn, len(c.turns))
		}
	})
}

func TestExcuseComesBeforeTheAnswerAndOnce(t *testing.T) {
	c := &cloud{off: true, excuse: "No money."}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.mind.sentences = []string{"At home."}
		r.say(1, "do tea")
		for i, want := range []string{"No money. At home.", "At home."} {
			r.say(uint64(i+2), "hey hearth why")
			if turn := r.turn(); turn.Answer != want || turn.Outcome != "answered" {
				t.Errorf("%+v", turn)
			}
		}
	})
}

func TestResponderIsToldWhatTheHouseAnswered(t *testing.T) {
	c := &cloud{deltas: []llm.Delta{sounds("Yes.")}}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do tea")
		r.turn()
		r.say(2, "hey hearth is it late")
		r.turn()
		synctest.Wait()
		if diff := cmp.Diff([]string{"do tea / It is done."}, c.noted); diff != "" {
			t.Error(diff)
		}
	})
}

func TestMutingClearsWhatWasSent(t *testing.T) {
	c := &cloud{}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.ears.will(1, "is it late", nil)
		r.speak(1)
		if err := r.d.SetMuted(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		r.frames(1, 20)
		if len(c.turns) != 1 || c.turns[0].cut != 0 || c.turns[0].frames != 50 || c.turns[0].committed {
			t.Errorf("%+v", c.turns[0])
		}
		if err := r.d.Listen(t.Context()); err == nil || c.readied != 1 {
			t.Errorf("%v, prepared %d times", err, c.readied)
		}
	})
}

func TestWakeWordPreparesTheResponder(t *testing.T) {
	c := &cloud{}
	withCloud(t, c, func(r *rig) {
		r.opt.Inbox = NewInbox([]Word{{Name: "jarvis"},
			{Name: "house", Route: "local"}})
	}, func(t *testing.T, r *rig) {
		r.spot(0, "jarvis")
		if c.readied != 1 {
			t.Errorf("prepared %d times", c.readied)
		}
		time.Sleep(10 * time.Second)
		r.spot(100, "house")
		if c.readied != 1 {
			t.Errorf("prepared %d times, once for a word of the house", c.readied)
		}
	})
}

// sounding counts the periods in which something is heard, until it is called.
func (r *rig) sounding() (periods func() int) {
	ctx, stop := context.WithCancel(r.t.Context())
	n, done := 0, make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(rigPeriod)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if r.loud.Load() > 0 {
					n++
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() int {
		stop()
		<-done
		return n
	}
}

func TestLossOfTheCloudIsOneEarconHoweverItComes(t *testing.T) {
	const second = int(time.Second / rigPeriod)
	earcon := len(cue.New(rigRate).Samples(cue.Failed)) * second / rigRate
	spoken := func(text string) int { return len(strings.Fields(text)) * second / 10 }
	acts := llm.Delta{Call: &llm.ToolCall{ID: "1", Name: "tea"}}
	for name, c := range map[string]struct {
		cloud  *cloud
		spoken int // by the house, or by the cloud
	}{
		"open":          {&cloud{fail: map[string]error{"open": errCloud}}, spoken("At home.")},
		"write":         {&cloud{fail: map[string]error{"write": errCloud}}, spoken("At home.")},
		"commit":        {&cloud{fail: map[string]error{"commit": errCloud}}, spoken("At home.")},
		"answer":        {&cloud{err: errCloud, pause: time.Second}, spoken("At home.")},
		"nothing in it": {&cloud{}, spoken("At home.")},
		"after it was heard": {&cloud{deltas: []llm.Delta{sounds("Because ")}, err: errCloud}, second +
			spoken(said("dialogue.broke_off"))},
		"after a tool": {&cloud{deltas: []llm.Delta{acts}, waits: true, err: errCloud},
			spoken("It is done.")},
		"after a tool, was heard": {&cloud{deltas: []llm.Delta{sounds("Sure. "), acts}, waits: true, err: errCloud},
			second + spoken("It is done.")},
	} {
		t.Run(name, func(t *testing.T) {
			withCloud(t, c.cloud, nil, func(t *testing.T, r *rig) {
				r.mind.sentences = []string{"At home."}
				periods := r.sounding()
				r.say(1, "hey hearth why")
				r.turn()
				time.Sleep(time.Second)
				if got, want := periods(), earcon+c.spoken; got < want-earcon/2 || got > want+earcon/2 {
					t.Errorf("it sounded for %d periods, not %d with an earcon of %d", got, want, earcon)
				}
			})
		})
	}
}

// Words may come before their sound; the connection is lost between them.
func TestWordsWhoseSoundDidNotComeWereNotHeard(t *testing.T) {
	c := &cloud{deltas: []llm.Delta{sounds("Because "),
		{Text: "it scatters the blue light of the sun much more than the red, as Rayleigh found in London."}}, err: errCloud}
	var kept string
	remember := func(r *rig) { r.remember = func(_ llm.Ask, answer string) { kept = answer } }
	withCloud(t, c, remember, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		turn := r.turn()
		if strings.Contains(turn.Answer, "London") || strings.Contains(kept, "London") {
			t.Errorf("of a second of sound %q was heard", turn.Answer)
		}
		for len(r.sub.C()) > 0 {
			if e, ok := (<-r.sub.C()).(*event.Said); ok && strings.Contains(e.Text, "London") {
				t.Errorf("said %q", e.Text)
			}
		}
	})
}

// Nor where a tool has done something, which is told.
func TestWordsWithoutSoundAreDroppedBesideWhatAToolDid(t *testing.T) {
	c := &cloud{deltas: []llm.Delta{
		sounds("Sure. "),
		{Text: "I have put the kettle on for you and will tell you as soon as the water boils in London."},
		{Call: &llm.ToolCall{ID: "1", Name: "slow_on"}},
	}, err: errCloud}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth put the kettle on")
		if turn := r.turn(); strings.Contains(turn.Answer, "London") || !strings.Contains(turn.Answer, "It is done.") {
			t.Errorf("%q", turn.Answer)
		}
	})
}
