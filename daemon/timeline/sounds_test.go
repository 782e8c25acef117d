package timeline

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/audio"
	"hearthd/daemon/event"
)

// kept are the first samples of the sounds of turns 1 to n.
func (s *Sounds) kept(n uint64) (first []int16) {
	for turn := uint64(1); turn <= n; turn++ {
		if samples, ok := s.Sound(turn); ok {
			first = append(first, samples[0])
		}
	}
	return first
}

func (s *Sounds) holds(t *testing.T, want ...int16) {
	t.Helper()
	have := s.kept(20)
	if len(have) != len(want) {
		t.Errorf("%v are kept, want %v", have, want)
		return
	}
	for i := range want {
		if have[i] != want[i] {
			t.Errorf("%v are kept, want %v", have, want)
		}
	}
}

func TestNoSoundIsKeptUnlessTheOwnerWantsIt(t *testing.T) {
	var s Sounds
	if s.On() {
		t.Error("it is on")
	}
	s.Keep(1, make([]int16, 10))
	s.holds(t)
}

func TestSoundsAreBoundedInNumberLengthAndAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Sounds
		s.Limit(3)
		for i := int16(1); i <= 5; i++ {
			s.Keep(uint64(i), []int16{i})
		}
		s.holds(t, 3, 4, 5)
		s.Limit(2)
		s.holds(t, 4, 5)

		long := make([]int16, maxSamples-100*audio.Rate)
		long[0] = 6
		s.Keep(6, long)
		s.Keep(7, append([]int16{7}, make([]int16, 101*audio.Rate)...))
		s.holds(t, 7)

		time.Sleep(maxAge - time.Second)
		s.Keep(8, []int16{8})
		s.holds(t, 7, 8)
		time.Sleep(2 * time.Second)
		s.holds(t, 8)
		s.Limit(0)
		s.holds(t)
		if s.samples != 0 {
			t.Errorf("%d samples are counted of none", s.samples)
		}
	})
}

func TestSoundsOfADayAgoGoThoughNobodyAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory()
		h.Sounds.Limit(3)
		h.Sounds.Keep(1, []int16{1})
		ended := make(chan error)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { ended <- h.Run(ctx) }()
		time.Sleep(maxAge + sweep)
		synctest.Wait()
		if len(h.Sounds.list) != 0 {
			t.Error("it is still there")
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestSoundsAreErased(t *testing.T) {
	var s Sounds
	s.Limit(5)
	for i := int16(1); i <= 4; i++ {
		s.Keep(uint64(i), []int16{i})
	}
	if n := s.Erase(2); n != 1 {
		t.Errorf("%d are gone", n)
	}
	s.holds(t, 1, 3, 4)
	if n := s.Erase(9); n != 0 {
		t.Errorf("%d are gone", n)
	}
	if n := s.Erase(0); n != 3 || s.samples != 0 {
		t.Errorf("%d are gone, %d samples are left", n, s.samples)
	}
	s.holds(t)
}

func TestWhatIsForgottenIsNotHeardAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory()
		h.Sounds.Limit(5)
		ask := func(id uint64, tools ...event.ToolUse) {
			head := event.Header{Turn: id}
			h.Sounds.Keep(id, []int16{int16(id)})
			h.tell(0, &event.Woken{Header: head, By: "phrase"})
			h.tell(0, &event.Turn{Header: head, Source: "voice", Tools: tools})
		}
		ask(1)
		ask(2)
		h.Sounds.holds(t, 1, 2)
		if list := h.Turns(Query{Limit: 9}); len(list) != 2 || !list[0].Sound {
			t.Errorf("the turns %+v do not tell of them", list)
		}
		h.Forget()
		h.Sounds.holds(t)
		if list := h.Turns(Query{Limit: 9}); list[0].Sound {
			t.Error("a turn tells of what is gone")
		}
		ask(3)
		ask(4, event.ToolUse{Tool: "memory_forget_last", Outcome: "ok"})
		h.Sounds.holds(t, 3)
	})
}
