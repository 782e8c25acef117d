package dialogue

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/daemon/dialogue/answer"
	"hearthd/llm"
)

// withHouse runs a test beside a pipeline of Home Assistant and a responder.
func withHouse(t *testing.T, house, other *cloud, run func(t *testing.T, r *rig)) {
	t.Helper()
	withCloud(t, other, func(r *rig) {
		r.opt.House = house
	}, run)
}

// The pipeline is asked before intents, and the responder is told nothing.
func TestRouteToHomeAssistantComesBeforeIntents(t *testing.T) {
	house, other := &cloud{deltas: []llm.Delta{{Heard: "do tea"}, sounds("Done by me.")}}, &cloud{}
	withHouse(t, house, other, func(t *testing.T, r *rig) {
		for i, said := range []string{"do tea", ""} { // also what nobody understands here
			if err := r.d.ListenFor(t.Context(), answer.House); err != nil {
				t.Fatal(err)
			}
			r.say(uint64(i+1), said)
			turn := r.turn()
			if turn.Route != "home_assistant" || turn.Answer != "Done by me." || turn.Transcript != "do tea" ||
				turn.WokenBy != answer.House { // no person has pressed a button
				t.Errorf("%+v", turn)
			}
		}
		synctest.Wait()
		if len(house.turns) != 2 || len(other.turns) != 0 || !house.turns[0].committed || house.turns[0].cut <= 0 {
			t.Errorf("%d there, %d elsewhere", len(house.turns), len(other.turns))
		}
		if len(r.mind.notes) != 0 || len(other.noted) != 0 {
			t.Errorf("the conversation here has %v, %v", r.mind.notes, other.noted)
		}
		if len(r.hands.calls) != 0 {
			t.Errorf("done here too: %v", r.hands.calls)
		}
	})
}

func TestNothingGoesToHomeAssistantWithoutItsRoute(t *testing.T) {
	house, other := &cloud{}, &cloud{deltas: []llm.Delta{sounds("Yes.")}}
	withHouse(t, house, other, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth is it late")
		if turn := r.turn(); turn.Route != "cloud" {
			t.Errorf("%+v", turn)
		}
		if len(house.turns) != 0 {
			t.Errorf("%d requests went there", len(house.turns))
		}
	})
}

// What it has not heard is answered here, and what it has heard is not done twice.
func TestHomeAssistantThatFailsIsReplaced(t *testing.T) {
	for name, c := range map[string]struct {
		house *cloud
		route string
	}{
		"away":                {&cloud{off: true}, "intent"},
		"not begun":           {&cloud{fail: map[string]error{"open": errCloud}}, "intent"},
		"nothing heard":       {&cloud{err: errors.New("stt-no-text-recognized")}, "intent"},
		"heard, and then not": {&cloud{deltas: []llm.Delta{{Heard: "do tea"}}, err: errCloud}, "home_assistant"},
		"heard, and no words": {&cloud{deltas: []llm.Delta{{Heard: "do tea"}}}, "home_assistant"},
	} {
		t.Run(name, func(t *testing.T) {
			withHouse(t, c.house, &cloud{}, func(t *testing.T, r *rig) {
				if err := r.d.ListenFor(t.Context(), answer.House); err != nil {
					t.Fatal(err)
				}
				r.say(1, "do tea")
				turn := r.turn()
				if turn.Route != c.route || len(turn.Tools) > 0 != (c.route == "intent") {
					t.Errorf("%+v", turn)
				}
				if broke := name == "heard, and then not"; broke != (turn.Outcome != "answered") {
					t.Errorf("%+v", turn)
				}
			})
		})
	}
}

// Whoever interrupts its answer goes on speaking to it.
func TestBargeInOverHomeAssistantGoesThere(t *testing.T) {
	house, other := &cloud{deltas: []llm.Delta{{Heard: "tell a story"}, sounds("Once upon a time there was a teapot that sang.")}}, &cloud{}
	withHouse(t, house, other, func(t *testing.T, r *rig) {
		r.duplex = true
		if err := r.d.ListenFor(t.Context(), answer.House); err != nil {
			t.Fatal(err)
		}
		r.say(1, "tell a story")
		r.speaks()
		time.Sleep(500 * time.Millisecond)
		r.say(2, "stop that")
		if turn := r.turn(); turn.Route != "home_assistant" || turn.Outcome != "interrupted" {
			t.Errorf("%+v", turn)
		}
		if turn := r.turn(); turn.Route != "home_assistant" || turn.WokenBy != "barge_in" {
			t.Errorf("%+v", turn)
		}
		if len(house.turns) != 2 || len(other.turns) != 0 {
			t.Errorf("%d there, %d elsewhere", len(house.turns), len(other.turns))
		}
	})
}

func TestDeliveryReturnsWhenItHasBeenHeard(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		begun := time.Now()
		if err := r.d.Deliver(t.Context(), "", make([]int16, 32000)); err != nil || time.Since(begun) < 2*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		if err := r.d.Deliver(t.Context(), "Tea is ready.", nil); err != nil {
			t.Error(err)
		}
		if err := r.d.Deliver(t.Context(), "", nil); !errors.Is(err, errEmpty) {
			t.Error(err)
		}
		ended := make(chan error, 2)
		for range 2 { // the second one waits
			go func() { ended <- r.d.Deliver(t.Context(), "", make([]int16, 320000)) }()
		}
		time.Sleep(time.Second)
		if err := r.d.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := <-ended; !errors.Is(err, errCut) {
				t.Error(err)
			}
		}
	})
}

// A question of Home Assistant is another one than that of the box, whatever that was about.
func TestYesToHomeAssistantOpensNoDoor(t *testing.T) {
	house := &cloud{deltas: []llm.Delta{{Heard: "yes"}, sounds("Tea it is.")}}
	withHouse(t, house, &cloud{}, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do door")
		r.turn()
		synctest.Wait()
		if err := r.d.ListenFor(t.Context(), answer.House); err != nil {
			t.Fatal(err)
		}
		r.say(2, "yes")
		if turn := r.turn(); turn.Route != "home_assistant" {
			t.Errorf("%+v", turn)
		}
		r.isOpen()
	})
}

// Who has given a delivery up does not want it later.
func TestDeliveryThatIsGivenUpIsNotMade(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		if err := r.d.Announce(t.Context(), strings.Repeat("word ", 50), false, false); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.d.Deliver(ctx, "Tea is ready.", nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		r.turn()
		if err := r.d.Announce(t.Context(), "last", false, false); err != nil {
			t.Fatal(err)
		}
		if turn := r.turn(); turn.Answer != "last" {
			t.Errorf("%+v", turn)
		}
	})
}

// Nobody has taken what was told first.
func TestEndOfADeliveryThatIsToldTwiceHoldsNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := make(chan bool, 1)
		a := &answer.Announcement{Done: done}
		told := make(chan struct{})
		go func() {
			defer close(told)
			over(a, false)
			over(a, false)
		}()
		synctest.Wait()
		select {
		case <-told:
		default:
			t.Error("the loop waits")
			<-done
		}
	})
}

// It is heard, and nobody is listened to.
func TestHomeAssistantAnnouncesWhileTheMicrophoneIsOffAndOpensNone(t *testing.T) {
	house := &cloud{}
	withHouse(t, house, &cloud{}, func(t *testing.T, r *rig) {
		r.tell(3) // it also waits for what rings
		time.Sleep(time.Second)
		if err := r.d.SetMuted(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- r.d.Deliver(t.Context(), "Tea is ready.", nil) }()
		synctest.Wait()
		if err := r.d.Stop(t.Context()); err != nil { // which drops it too
			t.Fatal(err)
		}
		if err := <-ended; !errors.Is(err, errCut) {
			t.Error(err)
		}
		if err := r.d.Deliver(t.Context(), "Tea is ready.", nil); err != nil {
			t.Error(err)
		}
		if err := r.d.ListenFor(t.Context(), answer.House); !errors.Is(err, errMuted) {
			t.Error(err)
		}
		r.speak(1)
		synctest.Wait()
		if len(house.turns) != 0 {
			t.Error("something was sent")
		}
	})
}

// Home Assistant knows which wake word it was, and says when it answers at another satellite.
func TestHomeAssistantMayAnswerElsewhere(t *testing.T) {
	house := &cloud{err: llm.ErrElsewhere}
	withCloud(t, &cloud{}, func(r *rig) {
		r.opt.House, r.opt.Inbox = house, NewInbox([]Word{{Name: "jarvis", Route: answer.House}})
	}, func(t *testing.T, r *rig) {
		r.spot(0, "jarvis")
		r.say(1, "do tea")
		if turn := r.turn(); turn.Route != "home_assistant" || turn.Reason != answer.NotAddressed || turn.Answer != "" || len(turn.Tools) > 0 {
			t.Errorf("%+v", turn)
		}
		if r.say(2, "do tea"); len(house.turns) != 1 || house.turns[0].by != "jarvis" {
			t.Errorf("%d requests went there", len(house.turns))
		}
	})
}
