package discovery

import (
	"fmt"
	"strings"
	"testing"
)

func TestInboxTakesTurnsByTopic(t *testing.T) {
	b := newInbox()
	for i := range 3 {
		b.put("busy", letter{payload: fmt.Append(nil, i)}, 2)
	}
	b.put("quiet", letter{payload: []byte("q")}, 2)
	var got []string
	for topic, l, ok := b.take(); ok; topic, l, ok = b.take() {
		got = append(got, topic+" "+string(l.payload))
	}
	if s := strings.Join(got, ", "); s != "busy 1, quiet q, busy 2" || b.held != 0 || len(b.waiting) != 0 {
		t.Errorf("%s; %d bytes are held", s, b.held)
	}
}

func TestInboxIsBoundedAndCountsWhatItLoses(t *testing.T) {
	b := newInbox()
	big := make([]byte, 200<<10)
	for i := range 1000 {
		b.put(fmt.Sprint("t", i), letter{payload: big}, 8)
		b.put("t0", letter{payload: big[:i]}, 8)
	}
	if b.held > maxWaiting || b.missed(false) == 0 || len(b.turns) != len(b.waiting) {
		t.Errorf("%d bytes, %d lost, %d turns of %d topics", b.held, b.lost, len(b.turns), len(b.waiting))
	}
	last := 0
	for topic, l, ok := b.take(); ok; topic, l, ok = b.take() {
		if topic == "t0" {
			last = len(l.payload)
		}
	}
	if last != 999 || b.held != 0 {
		t.Errorf("the last message of a full topic is %d, %d bytes are held", last, b.held)
	}
	if b.missed(true) == 0 || b.missed(false) != 0 {
		t.Error("what was lost is not forgotten")
	}
}
