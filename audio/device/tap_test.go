package device

import (
	"errors"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gen2brain/malgo"

	"hearthd/audio"
	"hearthd/rigs/testcard"
)

// newTestStream opens the card's microphone without starting it.
func newTestStream(t *testing.T, data func(out, in []byte, frames int)) (*backend, *stream) {
	t.Helper()
	heal(t)
	b, err := newBackend()
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.open(malgo.Capture, testcard.PCM, capturePeriod, capturePeriods)
	if err != nil {
		t.Fatal(errors.Join(err, b.close()))
	}
	s.data = data
	t.Cleanup(func() {
		b.stop(s)
		if err := b.close(); err != nil {
			t.Error(err)
		}
	})
	return b, s
}

func TestMiniaudioIsLaidOutAsTheTapKnowsIt(t *testing.T) {
	malgo, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gen2brain/malgo").Output()
	if err != nil {
		t.Fatal(err)
	}
	include := "-I" + strings.TrimSpace(string(malgo))
	if out, err := exec.Command("gcc", "-fsyntax-only", include, "testdata/inside.c").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestSoundPassesTheTap(t *testing.T) {
	var frames atomic.Int64
	b, s := newTestStream(t, func(_, _ []byte, n int) { frames.Add(int64(n)) })
	s.tap.run(s.format, s.callback, new(atomic.Uint64))
	if err := b.start(s); err != nil {
		t.Fatal(err)
	}
	awaitTrue(t, func() bool { return frames.Load() > testcard.Rate/5 })
	if s.tap.head() == 0 {
		t.Error("the device thread calls Go")
	}
}

func TestPatientTapWaitsInAQuietRoomOnly(t *testing.T) {
	mic := openMicrophone(t)
	quiet, loud := make([]int16, testcard.Rate), make([]int16, testcard.Rate/10)
	for i := range quiet {
		quiet[i] = int16(i%9 - 4) // a card that is given nothing for a moment sounds the same
	}
	for i := range loud {
		loud[i] = int16(i % 200)
	}
	var calls atomic.Int64
	b, s := newTestStream(t, func(_, _ []byte, _ int) { calls.Add(1) })
	s.tap.run(s.format, s.callback, new(atomic.Uint64))
	s.tap.setPatient(true)
	if err := b.start(s); err != nil {
		t.Fatal(err)
	}
	say := func(p []int16, times int) {
		for range times {
			<-speak(t, t.Context(), mic, p)
		}
	}
	say(quiet, 4) // the noise is known
	before := calls.Load()
	say(quiet, 2)
	if n := calls.Load() - before; n > 70 || s.tap.c.attention > 0 {
		t.Errorf("woken %d times in two quiet seconds, want 50", n)
	}
	say(loud, 1)
	if s.tap.c.attention <= 0 {
		t.Error("a sound gets no attention")
	}
}

func TestTapCountsWhatFindsNoRoom(t *testing.T) {
	var dropped atomic.Uint64
	late := make(chan struct{})
	b, s := newTestStream(t, func(_, _ []byte, _ int) { <-late })
	s.tap.run(s.format, s.callback, &dropped)
	if err := b.start(s); err != nil {
		t.Fatal(err)
	}
	size := uint32(len(s.tap.ring) / 2)
	awaitTrue(t, func() bool { return s.tap.head() == size })
	if size < testcard.Rate/2 || size > testcard.Rate {
		t.Errorf("the tap holds %d samples", size)
	}
	close(late)
	awaitTrue(t, func() bool { return dropped.Load() > 0 && s.tap.head() > size+testcard.Rate/5 })
}

func TestCapturedFrameAllocatesNothing(t *testing.T) {
	c, r := newTestCapture(t, testcard.PCM)
	r.start(c.Run)
	r.await(Running, Lost)
	listen(t, r.ctx, c, 0.5)
	var frame audio.Frame
	if got := testing.AllocsPerRun(50, func() {
		if err := c.ReadFrame(r.ctx, &frame); err != nil {
			t.Fatal(err)
		}
	}); got != 0 {
		t.Errorf("%v allocations per frame", got)
	}
	r.end()
}
