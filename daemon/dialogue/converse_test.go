package dialogue

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/dialogue/spoken"
	"hearthd/daemon/event"
	"hearthd/llm"
	"hearthd/vad"
)

func TestConversationStaysOpenUntilTheResponderHasSaidGoodbye(t *testing.T) {
	c := &cloud{talks: true, deltas: []llm.Delta{sounds("Yes.")}}
	var kept []string
	remember := func(r *rig) { r.remember = func(ask llm.Ask, _ string) { kept = append(kept, ask.Text) } }
	withCloud(t, c, remember, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth is it late")
		r.turn()
		quiet := time.Now()
		if turn := r.turn(); turn.Source != "announcement" || turn.Answer != "Yes." {
			t.Errorf("%+v", turn)
		}
		if d := time.Since(quiet); d < nudgeAfter || d > nudgeAfter+4*time.Second {
			t.Errorf("nudged, and heard, after %v", d)
		}
		if turn := r.turn(); turn.Source != "announcement" {
			t.Errorf("%+v", turn)
		}
		if d := time.Since(quiet); d < goodbyeAfter || d > goodbyeAfter+8*time.Second {
			t.Errorf("goodbye after %v", d)
		}
		synctest.Wait()
		// No time has passed since the last word was heard.
		if diff := cmp.Diff([]string{askNudge, askGoodbye}, c.remarks); diff != "" || c.left != 1 {
			t.Errorf("left %d times, %s", c.left, diff)
		}
		if len(r.mind.notes) != 1 || len(c.noted) != 0 || len(kept) != 1 {
			t.Errorf("remarks are in the history: %q, %q, %q", r.mind.notes, c.noted, kept)
		}
		r.say(2, "is it late")
		r.next("ignored")
		r.none("turn")
	})
}

func TestWhoGoesOnTalkingNeedsNoWakePhraseAndIsNotNudged(t *testing.T) {
	c := &cloud{talks: true, deltas: []llm.Delta{sounds("Yes.")}}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth is it late")
		r.turn()
		for i, text := range []string{"how late", "do tea", "and now"} {
			time.Sleep(12 * time.Second) // longer than the follow-up window
			r.say(uint64(i+2), text)
			if turn := r.turn(); turn.WokenBy != "follow_up" || turn.Outcome != "answered" {
				t.Errorf("%+v", turn)
			}
		}
		if len(c.remarks) != 0 {
			t.Errorf("%q", c.remarks)
		}
	})
}

func TestWhatTheResponderSaysIsNoSilence(t *testing.T) {
	const length = 20
	c := &cloud{talks: true}
	for range length {
		c.deltas = append(c.deltas, sounds("and on "))
	}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth is it late")
		r.turn()
		quiet := time.Now()
		r.turn() // the nudge
		r.turn() // and goodbye
		if d := time.Since(quiet); d < goodbyeAfter+2*length*time.Second || len(c.remarks) != 2 {
			t.Errorf("goodbye was said %v after the answer, with %q of %d s each", d, c.remarks, length)
		}
	})
}

func TestThinkingAndToolsAreNoSilence(t *testing.T) {
	c := &cloud{talks: true, waits: true, deltas: []llm.Delta{{Call: &llm.ToolCall{ID: "1", Name: "slow"}},
		sounds("It is.")}}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth how long is the river")
		if turn := r.turn(); turn.Source != "voice" || turn.Answer != "It is." || len(c.remarks) != 0 {
			t.Errorf("%+v, %q", turn, c.remarks)
		}
	})
}

func TestSpeechOverANudgeIsHeardAndTheNudgeIsNotSaidAgain(t *testing.T) {
	c := &cloud{talks: true, deltas: []llm.Delta{sounds("Yes. "), sounds("Yes. "), sounds("Yes.")}}
	withCloud(t, c, func(r *rig) { r.duplex = true }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth is it late")
		r.turn()
		time.Sleep(nudgeAfter)
		r.speaks()
		r.say(2, "do tea")
		if turn := r.turn(); turn.Outcome != "interrupted" || turn.Source != "announcement" {
			t.Errorf("%+v", turn)
		}
		if turn := r.turn(); turn.Intent != "tea" {
			t.Errorf("%+v", turn)
		}
		r.none("turn")
	})
}

func TestStoppingOrMutingEndsAConversation(t *testing.T) {
	for name, end := range map[string]func(*rig) error{
		"stop": func(r *rig) error { return r.d.Stop(r.t.Context()) },
		"mute": func(r *rig) error { return r.d.SetMuted(r.t.Context(), true) },
	} {
		t.Run(name, func(t *testing.T) {
			c := &cloud{talks: true, deltas: []llm.Delta{sounds("Yes.")}}
			withCloud(t, c, nil, func(t *testing.T, r *rig) {
				r.say(1, "hey hearth is it late")
				r.turn()
				if err := end(r); err != nil {
					t.Fatal(err)
				}
				time.Sleep(2 * time.Minute)
				if len(c.remarks) != 0 {
					t.Errorf("%q", c.remarks)
				}
			})
		})
	}
}

func TestConversationIsLeftThoughTheGoodbyeCannotBeSaid(t *testing.T) {
	c := &cloud{talks: true, deltas: []llm.Delta{sounds("Yes.")}}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth is it late")
		r.turn()
		time.Sleep(nudgeAfter + 5*time.Second)
		c.mu.Lock()
		c.fail = map[string]error{"open": errCloud}
		c.mu.Unlock()
		time.Sleep(goodbyeAfter)
		synctest.Wait()
		if diff := cmp.Diff([]string{askNudge, askGoodbye}, c.remarks); diff != "" || c.left != 1 {
			t.Errorf("left %d times, %s", c.left, diff)
		}
	})
}

// parting is a cloud whose goodbye takes its time, and is given up when a person speaks.
type parting struct {
	cloud
	spoke chan struct{}
}

type partingTurn struct {
	spoken.Turn
	p *parting
}

func (p *parting) Open(ctx context.Context, by string) (spoken.Turn, error) {
	p.mu.Lock()
	if p.spoke != nil {
		close(p.spoke)
		p.spoke = nil
	}
	p.mu.Unlock()
	return p.cloud.Open(ctx, by)
}

func (p *parting) Remark(ctx context.Context, text string) (spoken.Turn, error) {
	t, err := p.cloud.Remark(ctx, text)
	if text != askGoodbye || err != nil {
		return t, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spoke = make(chan struct{})
	return &partingTurn{t, p}, nil
}

func (t *partingTurn) Answer(ctx context.Context, _, _ time.Duration) iter.Seq2[llm.Delta, error] {
	return func(func(llm.Delta, error) bool) {
		t.p.mu.Lock()
		spoke := t.p.spoke
		t.p.mu.Unlock()
		select {
		case <-spoke:
		case <-ctx.Done():
		}
	}
}

// Somebody begins to speak when the goodbye is on its way and not heard yet.
func TestGoodbyeDoesNotLeaveWhoSpeaks(t *testing.T) {
	c := &parting{cloud: cloud{talks: true, deltas: []llm.Delta{sounds("Yes.")}}}
	with(t, func(r *rig) {
		r.ans.Responder, r.ans.FirstAudio = c, 5*time.Second
		r.rules.reads = func(string) bool { return true }
	}, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth is it late")
		r.turn()
		r.turn() // the nudge
		saying := func() bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.spoke != nil
		}
		for !saying() {
			time.Sleep(100 * time.Millisecond)
		}
		r.ears.will(2, "how late", nil)
		r.speak(2)
		time.Sleep(time.Second)
		if c.left != 0 {
			t.Error("the session is ended while a person speaks to it")
		}
		r.silence(2, vad.End, vad.Silence)
		for {
			turn := r.turn()
			if turn.Source == "announcement" {
				continue
			}
			if turn.Route != "cloud" || turn.Answer != "Yes." {
				t.Errorf("%+v", turn)
			}
			break
		}
	})
}

func TestWhoPressesTheButtonIsNotNudged(t *testing.T) {
	c := &cloud{talks: true, deltas: []llm.Delta{sounds("Yes.")}}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth is it late")
		r.turn()
		time.Sleep(nudgeAfter - 500*time.Millisecond)
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(4 * time.Second)
		if s := r.state(); s != event.Listening || len(c.remarks) != 0 {
			t.Errorf("%v after the button, and the responder was told %q", s, c.remarks)
		}
	})
}

// Talk of the room, or the television, falls into the window after an answer. The responder
// says nothing to it, rightly, and nobody has asked for another window.
func TestTalkOfTheRoomDoesNotKeepTheWindowOpen(t *testing.T) {
	c := &cloud{deltas: []llm.Delta{sounds("Yes.")}}
	withCloud(t, c, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth is it late")
		r.turn()
		c.deltas = nil
		for n := range uint64(20) {
			time.Sleep(3 * time.Second)
			r.say(n+2, "and then she left him")
			time.Sleep(time.Second)
		}
		if n := len(c.turns); n > 2 {
			t.Errorf("%d sentences of the room were sent, over %v, after one question", n-1, 20*4*time.Second)
		}
	})
}
