package dialogue

import (
	"testing"
	"testing/synctest"

	"hearthd/audio"
	"hearthd/vad"
)

// tapes are what was recorded, by turn.
type tapes struct {
	off  bool
	kept map[uint64][]int16
}

func (s *tapes) On() bool { return !s.off }

func (s *tapes) Keep(turn uint64, samples []int16) {
	if s.kept == nil {
		s.kept = make(map[uint64][]int16)
	}
	s.kept[turn] = append([]int16(nil), samples...)
}

func TestUtteranceOfATurnIsRecorded(t *testing.T) {
	s := &tapes{}
	with(t, func(r *rig) { r.opt.Recordings = s }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do tea")
		turn := r.turn()
		got := s.kept[turn.Header.Turn]
		if len(got) != 50*audio.FrameSamples || got[0] != 1 || len(s.kept) != 1 {
			t.Errorf("%d samples of %d turns are kept", len(got), len(s.kept))
		}
	})
}

func TestWhatOpensNoTurnIsNotRecorded(t *testing.T) {
	s := &tapes{}
	with(t, func(r *rig) { r.opt.Recordings = s }, func(t *testing.T, r *rig) {
		r.say(1, "we do tea at home") // and nobody called the box
		r.next("ignored")
		if _, err := r.d.AskAs(t.Context(), "", "do tea", ""); err != nil { // which nobody said
			t.Fatal(err)
		}
		r.speak(2)
		if err := r.d.SetMuted(t.Context(), true); err != nil { // in the middle of it
			t.Fatal(err)
		}
		r.silence(2, vad.End, vad.Silence)
		r.say(3, "hey hearth do tea")
		synctest.Wait()
		if len(s.kept) != 0 {
			t.Errorf("turns %v are kept", s.kept)
		}
	})
}

func TestNothingIsRecordedUnlessItIsOn(t *testing.T) {
	s := &tapes{off: true}
	with(t, func(r *rig) { r.opt.Recordings = s }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do tea")
		r.turn()
		if len(s.kept) != 0 {
			t.Errorf("turns %v are kept", s.kept)
		}
	})
}
