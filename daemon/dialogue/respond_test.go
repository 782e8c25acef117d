package dialogue

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/dialogue/spoken"
	"hearthd/daemon/event"
	"hearthd/llm"
	"hearthd/vad"
)

func TestResponderAnswersWhatNoIntentCovers(t *testing.T) {
	c := &cloud{deltas: []llm.Delta{
		{Heard: "Why is the sky blue? "}, sounds("Because "), sounds("it scatters."),
		{Usage: &llm.Usage{PromptTokens: 100, OutputTokens: 50, Cost: 0.01}},
	}}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why is the sky")
		turn := r.turn()
		if turn.Route != "cloud" || turn.Outcome != "answered" || turn.Answer != "Because it scatters." ||
			turn.Transcript != "Why is the sky blue?" || turn.Cost != 0.01 {
			t.Errorf("%+v", turn)
		}
		synctest.Wait()
		got := c.turns[0]
		if len(c.turns) != 1 || !got.committed || got.frames != 50 || got.cut < 2*time.Second {
			t.Errorf("%d turns, %+v", len(c.turns), got)
		}
		if diff := cmp.Diff([]string{"Why is the sky blue? / Because it scatters."}, r.mind.notes); diff != "" {
			t.Error(diff)
		}
	})
}

func TestNothingLeavesTheBoxBeforeTheWakePhraseWasHeard(t *testing.T) {
	c := &cloud{deltas: []llm.Delta{sounds("Yes.")}}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.say(1, "why is the sky blue")
		r.next("ignored")
		synctest.Wait()
		if len(c.turns) != 0 {
			t.Errorf("%d turns were opened", len(c.turns))
		}
	})
}

func TestSpeechInAnOpenWindowIsSentWhileItIsSpoken(t *testing.T) {
	c := &cloud{deltas: []llm.Delta{sounds("Yes.")}}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.ears.will(1, "is it late", nil)
		r.speak(1)
		if c.readied != 1 || len(c.turns) != 1 || c.turns[0].frames != 50 || c.turns[0].committed {
			t.Errorf("prepared %d times, turns %+v", c.readied, c.turns)
		}
		r.silence(1, vad.End, vad.Silence)
		if turn := r.turn(); turn.Route != "cloud" || turn.Answer != "Yes." {
			t.Errorf("%+v", turn)
		}
	})
}

func TestIntentNeedsNoResponderAndWhatWasSentIsCleared(t *testing.T) {
	c := &cloud{}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.say(1, "do tea")
		if turn := r.turn(); turn.Route != "intent" {
			t.Errorf("%+v", turn)
		}
		synctest.Wait()
		if got := c.turns[0]; got.committed || got.cut != 0 {
			t.Errorf("%+v", got)
		}
	})
}

func TestCallsOfAResponderThatDependOnEachOtherRunInTheirOrder(t *testing.T) {
	ask := func(id, tool string) llm.Delta { return llm.Delta{Call: &llm.ToolCall{ID: id, Name: tool}} }
	c := &cloud{deltas: []llm.Delta{ask("1", "slow_off"), ask("2", "slow_on"), ask("3", "tea"), sounds("One moment.")}}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth everything off but this")
		r.turn()
		var got []string
		r.hands.mu.Lock()
		for _, call := range r.hands.calls {
			got = append(got, call.Name)
		}
		r.hands.mu.Unlock()
		slices.Sort(got[:2]) // the first of a kind do not wait for each other
		if diff := cmp.Diff([]string{"slow_off", "tea", "slow_on"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestWhatIsForTheHouseStaysAtHome(t *testing.T) {
	c := &cloud{}
	home := func(r *rig) { r.rules.home = func(text string) bool { return strings.Contains(text, "home") } }
	withCloud(t, c, home, func(t *testing.T, r *rig) {
		r.mind.sentences = []string{"At home."}
		r.say(1, "hey hearth who is home")
		if turn := r.turn(); turn.Route != "local" || turn.Answer != "At home." || len(c.turns) != 0 {
			t.Errorf("%+v, %d turns", turn, len(c.turns))
		}
	})
}

func TestCloudThatFailsBeforeItIsHeardIsReplacedInTheSameTurn(t *testing.T) {
	for name, c := range map[string]*cloud{
		"open":   {fail: map[string]error{"open": errCloud}},
		"write":  {fail: map[string]error{"write": errCloud}},
		"commit": {fail: map[string]error{"commit": errCloud}},
		"answer": {err: errCloud, pause: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			withCloud(t, c, nil, func(t *testing.T, r *rig) {
				r.mind.sentences = []string{"At home."}
				r.say(1, "hey hearth why")
				var routes []string
				for range 2 {
					routes = append(routes, r.next("routed").(*event.Routed).Route)
				}
				if diff := cmp.Diff([]string{"cloud", "local"}, routes); diff != "" {
					t.Error(diff)
				}
				turn := r.turn()
				if turn.Route != "local" || turn.Outcome != "answered" || turn.Answer != "At home." {
					t.Errorf("%+v", turn)
				}
				synctest.Wait()
				for _, got := range c.turns {
					if got.cut != 0 {
						t.Errorf("the turn there is not cut: %+v", got)
					}
				}
			})
		})
	}
}

func TestCloudThatBreaksOffSaysSoAndIsNotRepeated(t *testing.T) {
	c := &cloud{deltas: []llm.Delta{sounds("Because ")}, err: errCloud}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.mind.sentences = []string{"At home."}
		r.say(1, "hey hearth why")
		turn := r.turn()
		if turn.Route != "cloud" || turn.Outcome != "failed" || turn.Reason != "cloud_lost" ||
			turn.Answer != "Because "+said("dialogue.broke_off") {
			t.Errorf("%+v", turn)
		}
	})
}

func TestToolsOfTheResponderRunOnceAndAreSaidIfItBreaksOff(t *testing.T) {
	c := &cloud{deltas: []llm.Delta{{Call: &llm.ToolCall{ID: "1", Name: "tea"}}}, waits: true, err: errCloud}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.mind.sentences = []string{"do tea"}
		r.say(1, "hey hearth make some tea")
		turn := r.turn()
		if turn.Outcome != "failed" || turn.Answer != "It is done." || len(turn.Tools) != 1 {
			t.Errorf("%+v", turn)
		}
		if diff := cmp.Diff([]string{"1 It is done."}, c.turns[0].results); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAfterWordsFromOutsideThePersonIsAskedWhatTheResponderMayChange(t *testing.T) {
	c := &cloud{waits: true, deltas: []llm.Delta{
		{Call: &llm.ToolCall{ID: "1", Name: "web"}}, {Call: &llm.ToolCall{ID: "2", Name: "tea"}},
		{Call: &llm.ToolCall{ID: "3", Name: "look"}}, sounds("So."),
	}}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth what do they say")
		turn := r.turn()
		if diff := cmp.Diff([]string{"1 " + answer.ToldForeign + "It is done.", "2 " + answer.ToldAsked,
			"3 It is done."}, c.turns[0].results); diff != "" {
			t.Error(diff)
		}
		if !turn.Asks || !strings.HasSuffix(turn.Answer, "Shall I really do that: tea?") {
			t.Errorf("%+v", turn)
		}
		r.say(2, "yes")
		if turn := r.turn(); turn.Answer != "The tea is open." {
			t.Errorf("%+v", turn)
		}
	})
}

func TestAfterWordsFromOutsideTheResponderDoesWhatThePersonSaid(t *testing.T) {
	c := &cloud{waits: true, deltas: []llm.Delta{{Call: &llm.ToolCall{ID: "1", Name: "web"}}, sounds("So.")}}
	said := make(map[string]string)
	withCloud(t, c, func(r *rig) {
		r.rules.opens = func(text string, call llm.ToolCall) bool {
			said[call.Name+string(call.Arguments)] = text
			return string(call.Arguments) == `{"cups":2}`
		}
	}, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth what do they say")
		r.turn()
		c.deltas = []llm.Delta{
			{Call: &llm.ToolCall{ID: "2", Name: "tea", Arguments: []byte(`{"cups":2}`)}},
			{Call: &llm.ToolCall{ID: "3", Name: "tea", Arguments: []byte(`{"cups":9}`)}}, sounds("So."),
		}
		r.say(2, "and two cups of tea")
		r.turn()
		if diff := cmp.Diff([]string{"2 It is done.", "3 " + answer.ToldAsked}, c.turns[1].results); diff != "" {
			t.Error(diff)
		}
		if want := "and two cups of tea"; said[`tea{"cups":2}`] != want || said[`tea{"cups":9}`] != want {
			t.Errorf("%q", said)
		}
	})
}

func TestOfWhatCameFromOutsideNothingIsRemembered(t *testing.T) {
	type remembered struct {
		Text, Answer string
		Foreign      bool
	}
	var got []remembered
	c := &cloud{waits: true, deltas: []llm.Delta{sounds("So.")}}
	withCloud(t, c, func(r *rig) {
		r.remember = func(ask llm.Ask, answer string) {
			got = append(got, remembered{ask.Text, answer, ask.Foreign})
		}
	}, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth tell me something")
		r.turn()
		c.deltas = []llm.Delta{{Call: &llm.ToolCall{ID: "1", Name: "web"}}, sounds("So.")}
		r.say(2, "what do they say")
		r.turn()
		c.deltas = []llm.Delta{sounds("So.")}
		r.say(3, "i like tea")
		r.turn()
		want := []remembered{{"tell me something", "So.", false}, {"what do they say", "", true},
			{"i like tea", "", false}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestToolRunsWhileTheFillerIsSpoken(t *testing.T) {
	c := &cloud{waits: true, deltas: []llm.Delta{sounds("Let me see. "), {Call: &llm.ToolCall{ID: "1", Name: "slow"}},
		sounds("It is.")}}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth how long is the river")
		turn := r.turn()
		if turn.Outcome != "answered" || turn.Answer != "Let me see. It is." || turn.Stages.Tool != 60000 {
			t.Errorf("%+v", turn)
		}
	})
}

func TestBargeInCutsTheResponderWhereItWasHeard(t *testing.T) {
	c := &cloud{deltas: []llm.Delta{sounds("one "), sounds("two "), sounds("three "), sounds("four")}}
	withCloud(t, c, func(r *rig) { r.duplex = true }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth count")
		r.speaks()
		time.Sleep(1500 * time.Millisecond)
		r.say(2, "do tea")
		turn := r.turn()
		if turn.Outcome != "interrupted" || !strings.HasPrefix(turn.Answer, "one") ||
			strings.Contains(turn.Answer, "four") {
			t.Errorf("%+v", turn)
		}
		cut := c.turns[0].cut
		if cut < time.Second || cut > 3*time.Second {
			t.Errorf("cut at %v", cut)
		}
		if second := r.turn(); second.Route != "intent" || second.WokenBy != "barge_in" {
			t.Errorf("%+v", second)
		}
	})
}

func TestRequestThatOnlyTheResponderCouldHearIsAnswered(t *testing.T) {
	c := &cloud{deltas: []llm.Delta{{Heard: "Quelle heure?"}, sounds("Midi.")}}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.say(1, "")
		if turn := r.turn(); turn.Route != "cloud" || turn.Transcript != "Quelle heure?" || turn.Answer != "Midi." {
			t.Errorf("%+v", turn)
		}
		c.fail = map[string]error{"open": errCloud}
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.say(2, "")
		if turn := r.turn(); turn.Outcome != "failed" || turn.Answer != said("dialogue.not_understood") {
			t.Errorf("%+v", turn)
		}
	})
}

func TestUploadLongerThanAnUtteranceIsGivenUp(t *testing.T) {
	c := &cloud{}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.mind.sentences = []string{"At home."}
		r.ears.will(1, "hey hearth why", nil)
		r.speak(1)
		for range spoken.Queue / 50 {
			r.frames(1, 50)
		}
		r.silence(1, vad.End, vad.Silence)
		if turn := r.turn(); turn.Route != "local" || turn.Answer != "At home." {
			t.Errorf("%+v", turn)
		}
	})
}
