package event_test

import (
	"sync"
	"testing"
	"time"

	"hearthd/daemon/event"
)

func TestBusDeliversToEverySubscriberInTheOrderOfSeq(t *testing.T) {
	const publishers, each = 8, 250
	bus := event.NewBus()
	subs := []*event.Subscription{bus.Subscribe("a", publishers*each), bus.Subscribe("b", publishers*each)}
	var wg sync.WaitGroup
	for p := range publishers {
		wg.Go(func() {
			for i := range each {
				bus.Publish(&event.SpeechStarted{Header: event.Header{Turn: uint64(p)}, Utterance: uint64(i)})
			}
		})
	}
	wg.Wait()
	for i, s := range subs {
		var next [publishers]uint64
		var last time.Time
		for seq := uint64(1); seq <= publishers*each; seq++ {
			e := (<-s.C()).(*event.SpeechStarted)
			if e.Seq != seq || e.Type != "speech_started" || e.Time.Before(last) {
				t.Fatalf("observer %d got %+v, want seq %d, not before %v", i, e.Header, seq, last)
			}
			if e.Utterance != next[e.Turn] {
				t.Fatalf("observer %d got event %d of publisher %d, want %d", i, e.Utterance, e.Turn, next[e.Turn])
			}
			next[e.Turn]++
			last = e.Time
		}
		if s.Dropped() != 0 {
			t.Errorf("observer %d lost %d", i, s.Dropped())
		}
	}
}

// Publish runs in the dialogue's loop: a reader that sleeps must not stop it.
func TestPublishDropsTheNewestOfAReaderThatSleepsAndCountsIt(t *testing.T) {
	bus := event.NewBus()
	asleep, awake := bus.Subscribe("asleep", 3), bus.Subscribe("awake", 10)
	for i := range 10 {
		bus.Publish(&event.VolumeChanged{Percent: i})
	}
	if asleep.Dropped() != 7 || awake.Dropped() != 0 {
		t.Errorf("dropped %d and %d, want 7 and 0", asleep.Dropped(), awake.Dropped())
	}
	if m := bus.Missed(); len(m) != 2 || m["asleep"] != 7 || m["awake"] != 0 {
		t.Errorf("missed %v", m)
	}
	for i := range 3 {
		if e := (<-asleep.C()).(*event.VolumeChanged); e.Percent != i || e.Seq != uint64(i+1) {
			t.Errorf("event %d is %+v: the oldest were not kept", i, e)
		}
	}
	bus.Publish(&event.VolumeChanged{Percent: 99})
	if e := (<-asleep.C()).(*event.VolumeChanged); e.Percent != 99 {
		t.Errorf("after the gap came %+v", e)
	}
}

func TestClosedSubscriptionGetsNothingMoreAndKeepsWhatItHas(t *testing.T) {
	bus := event.NewBus()
	s, other := bus.Subscribe("s", 5), bus.Subscribe("other", 5)
	bus.Publish(&event.MuteChanged{Muted: true})
	s.Close()
	s.Close()
	bus.Publish(&event.MuteChanged{})
	if e := (<-s.C()).(*event.MuteChanged); !e.Muted {
		t.Errorf("got %+v", e)
	}
	select {
	case e := <-s.C():
		t.Errorf("got %+v after Close", e)
	default:
	}
	if s.Dropped() != 0 || len(other.C()) != 2 {
		t.Errorf("dropped %d, the other has %d", s.Dropped(), len(other.C()))
	}
}

func TestSubscribersComeAndGoWhileOthersPublish(t *testing.T) {
	bus := event.NewBus()
	stop := make(chan struct{})
	var publishers, readers sync.WaitGroup
	for range 4 {
		publishers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					bus.Publish(&event.Woken{By: "text"})
				}
			}
		})
	}
	for range 4 {
		readers.Go(func() {
			for range 100 {
				s := bus.Subscribe("short", 1)
				first := event.Head(<-s.C()).Seq
				if second := event.Head(<-s.C()).Seq; second <= first {
					t.Errorf("%d came after %d", second, first)
				}
				s.Close()
			}
		})
	}
	readers.Wait()
	close(stop)
	publishers.Wait()
}

// One event costs the stamp and a channel send to each subscriber.
func BenchmarkPublish(b *testing.B) {
	bus := event.NewBus()
	for range 4 {
		s := bus.Subscribe("reader", 64)
		defer s.Close()
	}
	for b.Loop() {
		bus.Publish(&event.VolumeChanged{})
	}
}
