package ears

import (
	"slices"
	"testing"

	"hearthd/audio"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
)

func TestMicrophoneThatIsDeadOrOverdrivenIsAConditionUntilItIsWell(t *testing.T) {
	conditions, l := health.New(event.NewBus()), newLevels()
	open := true
	var silent, loud, well audio.Frame
	for i := range well {
		well[i] = int16(300 - 600*(i&1))
		loud[i] = int16(32767 - 65534*(i/20&1))
	}
	push := func(f *audio.Frame, seconds int) []string {
		for range seconds * 50 {
			l.Push(f)
		}
		showLevels(conditions, l, open)
		var codes []string
		for _, c := range conditions.List() {
			codes = append(codes, c.Code)
		}
		return codes
	}
	for i, c := range []struct {
		frame   *audio.Frame
		seconds int
		want    []string
	}{
		{&well, 10, nil},
		{&silent, 6, []string{"microphone_silent"}},
		{&well, 1, nil},
		{&loud, 2, []string{"microphone_clipping"}},
		{&well, 12, nil},
	} {
		if got := push(c.frame, c.seconds); !slices.Equal(got, c.want) {
			t.Errorf("step %d: conditions %q, want %q", i, got, c.want)
		}
	}
	push(&silent, 6)
	open = false
	if got := push(&silent, 1); len(got) > 0 {
		t.Errorf("muted: %q", got)
	}
}

func TestSoundThatIsLostForLongIsAConditionUntilNoneIs(t *testing.T) {
	var l lag
	dropped := uint64(7)
	looks := func(n, every int) (first int) {
		first = -1
		was := l.is
		for i := range n {
			if every > 0 && i%every == 0 {
				dropped += 100
			}
			if l.late(dropped) != was && first < 0 {
				first = i
			}
		}
		return first
	}
	for i, c := range []struct{ n, every, first int }{
		{10, 1, -1}, // a model answers
		{100, 0, -1},
		{100, 60, -1}, // now and then
		{60, 0, -1},
		{60, 1, 11}, // ever more
		{59, 0, -1},
		{2, 0, 0},
		{100, 2, 34}, // a hundredth too slow
	} {
		if got := looks(c.n, c.every); got != c.first {
			t.Errorf("step %d: it changed at look %d, want %d", i, got, c.first)
		}
	}
}
