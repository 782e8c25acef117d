package mqtt

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func retained(topic, payload string) message {
	return message{topic: topic, payload: []byte(payload), retained: true}
}

func queued(payload string) message { return message{topic: "turn", payload: []byte(payload)} }

// drain sends all that is due and tells what it was.
func drain(o *outbox) []string {
	var all []string
	for {
		m, ok := o.next()
		if !ok {
			return all
		}
		all = append(all, m.topic+" "+string(m.payload))
		o.sent(m)
	}
}

func TestOutboxSendsTheNewestOfARetainedTopicOnly(t *testing.T) {
	o := newOutbox()
	o.put(retained("state", "idle"))
	o.put(queued("1"))
	o.put(retained("timers", "[]"))
	o.put(retained("state", "listening"))
	o.put(queued("2"))
	want := []string{"state listening", "timers []", "turn 1", "turn 2"}
	if diff := cmp.Diff(want, drain(o)); diff != "" {
		t.Error(diff)
	}
	if again := drain(o); again != nil {
		t.Errorf("sent twice: %v", again)
	}
}

func TestOutboxForgetsAllThatHasWords(t *testing.T) {
	o := newOutbox()
	o.put(retained("state", "idle"))
	o.put(queued("1"))
	under, _ := o.next()
	o.sent(under)
	under, _ = o.next() // is on its way
	o.put(message{topic: "event", payload: []byte("rang")})
	o.put(queued("2"))
	o.forget("event")
	o.sent(under)
	if diff := cmp.Diff([]string{"event rang"}, drain(o)); diff != "" {
		t.Error(diff)
	}
}

func TestOutboxSendsRetainedTopicsAgainAfterRefresh(t *testing.T) {
	o := newOutbox()
	o.put(retained("state", "idle"))
	o.put(retained("availability", "online"))
	o.put(queued("1"))
	drain(o)
	o.refresh()
	if diff := cmp.Diff([]string{"state idle", "availability online"}, drain(o)); diff != "" {
		t.Error(diff)
	}
}

func TestOutboxKeepsAValueThatCameWhileTheOlderWasOnItsWay(t *testing.T) {
	o := newOutbox()
	o.put(retained("state", "idle"))
	m, _ := o.next()
	o.put(retained("state", "muted"))
	o.sent(m)
	if diff := cmp.Diff([]string{"state muted"}, drain(o)); diff != "" {
		t.Error(diff)
	}
}

func TestOutboxDropsTheOldestAndCounts(t *testing.T) {
	o := newOutbox()
	for i := range maxQueued + 3 {
		o.put(queued(fmt.Sprint(i)))
	}
	if n := o.takeDropped(); n != 3 {
		t.Errorf("counted %d, want 3", n)
	}
	if n := o.takeDropped(); n != 0 {
		t.Errorf("counted %d again", n)
	}
	got := drain(o)
	if len(got) != maxQueued || got[0] != "turn 3" || got[maxQueued-1] != fmt.Sprint("turn ", maxQueued+2) {
		t.Errorf("kept %d messages: %v", len(got), got)
	}
}

func TestAnswersAndTheRestTakeNoPlaceFromOneAnother(t *testing.T) {
	o := newOutbox()
	for i := range maxAnswers + 2 {
		o.put(message{topic: "result", payload: []byte(fmt.Sprint(i)), answer: true})
	}
	for i := range maxQueued + 3 {
		o.put(queued(fmt.Sprint(i)))
	}
	if n := o.takeDropped(); n != 5 {
		t.Errorf("counted %d, want 5", n)
	}
	got := drain(o)
	if len(got) != maxAnswers+maxQueued || got[0] != "result 2" || got[maxAnswers] != "turn 3" || o.answers != 0 ||
		o.bytes != 0 {
		t.Errorf("kept %d messages, %d answers of %d bytes: %v", len(got), o.answers, o.bytes, got[:1])
	}
	for range 20 {
		o.put(message{topic: "result", payload: make([]byte, maxMessage), answer: true})
	}
	if n := len(drain(o)); n != maxAnswerBytes/maxMessage {
		t.Errorf("kept %d long answers", n)
	}
}

func TestOutboxIsNotConfusedWhenTheMessageOnItsWayIsDropped(t *testing.T) {
	o := newOutbox()
	o.put(queued("first"))
	m, _ := o.next()
	for i := range maxQueued {
		o.put(queued(fmt.Sprint(i)))
	}
	o.sent(m)
	if got := drain(o); len(got) != maxQueued || got[0] != "turn 0" {
		t.Errorf("kept %d messages, the first is %q", len(got), got[0])
	}
}

func TestOutboxGivesUpAMessageThatEndsEveryConnection(t *testing.T) {
	o := newOutbox()
	o.put(retained("state", "idle"))
	o.put(queued("poison"))
	o.put(queued("good"))
	for range maxTries {
		state, _ := o.next()
		o.failed(state) // a retained topic is never given up
		o.sent(state)
		m, _ := o.next()
		if string(m.payload) != "poison" {
			t.Fatalf("gave up too early: %s is next", m.payload)
		}
		o.failed(m)
		o.refresh()
	}
	if got := drain(o); !slices.Equal(got, []string{"state idle", "turn good"}) {
		t.Errorf("sent %v", got)
	}
	if n := o.takeDropped(); n != 1 {
		t.Errorf("counted %d, want 1", n)
	}
}

func TestOutboxRingsForWhatIsNew(t *testing.T) {
	o := newOutbox()
	rung := func() bool {
		select {
		case <-o.bell:
			return true
		default:
			return false
		}
	}
	for _, f := range []func(){
		func() { o.put(retained("state", "idle")) }, func() { o.put(queued("1")) }, o.refresh,
	} {
		f()
		f()
		if !rung() || rung() {
			t.Error("want one ring for any number of messages")
		}
	}
}
