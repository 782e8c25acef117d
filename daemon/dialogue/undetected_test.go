package dialogue

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/audio"
	"hearthd/daemon/event"
	"hearthd/llm"
	"hearthd/vad"
	"hearthd/vad/wake"
)

// undetected is a rig in which no detector runs, with a microphone.
type undetected struct {
	*rig
	cloud *cloud

	mu    sync.Mutex
	cut   *vad.Manual
	at    audio.Position
	anew  bool
	flush bool
	ends  []uint64
}

// withoutDetector lets a microphone run for as long as the test does.
func withoutDetector(t *testing.T, c *cloud, test func(*testing.T, *undetected)) {
	b := &undetected{cloud: c}
	change := func(r *rig) {
		b.rig = r
		if c != nil && c.begun != nil { // channels of the bubble
			c.begun, c.ended = make(chan struct{}), make(chan struct{})
		}
		r.opt.Wake.NoDetector, r.opt.Wake.Engine, r.opt.Wake.Chime = true, WakeButton, false
		r.opt.Inbox, r.opt.Ears = NewInbox([]Word{{Name: "jarvis"}}), manual{front{r}, b}
		var err error
		if b.cut, err = vad.NewManual(vad.DefaultOptions()); err != nil {
			t.Fatal(err)
		}
	}
	hear := func(t *testing.T, r *rig) {
		done := make(chan struct{})
		stop := make(chan struct{})
		go func() {
			defer close(done)
			tick := time.NewTicker(audio.FrameDuration)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					b.frame()
				case <-stop:
					return
				}
			}
		}()
		time.Sleep(time.Second)
		test(t, b)
		close(stop)
		<-done
	}
	if c == nil {
		with(t, change, hear)
		return
	}
	withCloud(t, c, change, hear)
}

// manual is the front end of such a rig.
type manual struct {
	front
	b *undetected
}

func (m manual) DiscardOpen() {
	m.b.mu.Lock()
	defer m.b.mu.Unlock()
	m.b.anew = true
}

func (m manual) EndAfter(n uint64, _ time.Duration) {
	m.b.mu.Lock()
	defer m.b.mu.Unlock()
	m.b.ends = append(m.b.ends, n)
}

// frame is what the listener does.
func (b *undetected) frame() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.anew {
		b.cut.DiscardOpen(b.opt.Inbox.Deliver)
	}
	for _, n := range b.ends {
		b.cut.EndAfter(n, 0)
	}
	if b.flush {
		b.cut.Flush(b.opt.Inbox.Deliver)
	}
	b.anew, b.ends, b.flush = false, nil, false
	f := audio.Frame{1} // the recogniser hears the first of its script
	b.cut.Push(&f, b.at, b.opt.Inbox.Deliver)
	b.at += audio.FrameSamples
}

// wake says the wake word.
func (b *undetected) wake() {
	b.mu.Lock()
	if b.opt.Inbox.Detect(wake.Detection{Name: "jarvis", Score: 0.9, Position: b.at}) {
		b.cut.Restart(b.at, b.opt.Inbox.Deliver)
	}
	b.mu.Unlock()
	synctest.Wait()
}

// hears lets the cloud hear somebody begin, and end after a while.
func (b *undetected) hears(d time.Duration) {
	time.Sleep(500 * time.Millisecond)
	close(b.cloud.begun)
	time.Sleep(d)
	close(b.cloud.ended)
}

func listening(deltas ...llm.Delta) *cloud {
	return &cloud{deltas: deltas, begun: make(chan struct{}), ended: make(chan struct{})}
}

func TestWithoutADetectorTheResponderHearsTheEnd(t *testing.T) {
	withoutDetector(t, listening(sounds("It is.")), func(t *testing.T, b *undetected) {
		b.ears.will(1, "is it late", nil)
		time.Sleep(time.Minute)
		if len(b.cloud.turns) != 0 {
			t.Fatal("something was sent before anybody asked")
		}
		b.wake()
		b.hears(2 * time.Second)
		turn := b.turn()
		if turn.Route != "cloud" || turn.Answer != "It is." || turn.WokenBy != "jarvis" {
			t.Errorf("%+v", turn)
		}
		// 2.5 s, and not what was before the wake word.
		if got := b.cloud.turns[len(b.cloud.turns)-1]; !got.committed || got.frames < 124 || got.frames > 130 {
			t.Errorf("%d frames", got.frames)
		}
		sent := b.cloud.turns[len(b.cloud.turns)-1].frames
		time.Sleep(time.Minute) // the follow-up window opens nothing
		if n := b.cloud.turns[len(b.cloud.turns)-1].frames; n != sent {
			t.Errorf("%d frames more", n-sent)
		}
	})
}

func TestWithoutADetectorAnIntentIsDoneHere(t *testing.T) {
	withoutDetector(t, listening(sounds("no")), func(t *testing.T, b *undetected) {
		b.ears.will(1, "do tea", nil)
		if err := b.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.hears(time.Second)
		if turn := b.turn(); turn.Intent != "tea" || turn.Route != "intent" {
			t.Errorf("%+v", turn)
		}
		synctest.Wait()
		if last := b.cloud.turns[len(b.cloud.turns)-1]; last.committed || last.cut != 0 {
			t.Errorf("%+v", last)
		}
	})
}

func TestWithoutADetectorSilenceIsNotSentForLong(t *testing.T) {
	withoutDetector(t, listening(), func(t *testing.T, b *undetected) {
		b.wake()
		time.Sleep(20 * time.Second)
		synctest.Wait()
		last := b.cloud.turns[len(b.cloud.turns)-1]
		if last.committed || last.cut != 0 || last.frames > int(listenWindow/audio.FrameDuration)+1 {
			t.Errorf("%+v", last)
		}
		if b.state() != event.Idle {
			t.Errorf("state %v", b.state())
		}
		b.none("turn")
	})
}

func TestWithoutADetectorAndAResponderARequestIsAWindow(t *testing.T) {
	for name, c := range map[string]*cloud{"no responder": nil, "off": {off: true},
		"fails": {fail: map[string]error{"open": errCloud}}} {
		t.Run(name, func(t *testing.T) {
			withoutDetector(t, c, func(t *testing.T, b *undetected) {
				b.ears.will(1, "do tea", nil)
				begun := time.Now()
				b.wake()
				if turn := b.turn(); turn.Intent != "tea" || time.Since(begun) < listenWindow {
					t.Errorf("%+v after %v", turn, time.Since(begun))
				}
			})
		})
	}
}

func TestWithoutADetectorARequestIsCapped(t *testing.T) {
	c := listening(sounds("Oh."))
	withoutDetector(t, c, func(t *testing.T, b *undetected) {
		b.ears.will(1, "and on and on", nil)
		begun := time.Now()
		b.wake()
		time.Sleep(time.Second)
		close(c.begun)
		if turn := b.turn(); turn.Route != "cloud" ||
			time.Since(begun) > vad.DefaultOptions().MaxUtterance+4*time.Second {
			t.Errorf("%+v after %v", turn, time.Since(begun))
		}
	})
}

// The microphone is held while an earcon sounds.
func TestWithoutADetectorAnEarconDoesNotCloseTheWindow(t *testing.T) {
	withoutDetector(t, listening(sounds("It is.")), func(t *testing.T, b *undetected) {
		b.ears.will(1, "is it late", nil)
		if err := b.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		b.mu.Lock()
		b.flush = true
		b.mu.Unlock()
		b.hears(time.Second)
		if turn := b.turn(); turn.Answer != "It is." {
			t.Errorf("%+v", turn)
		}
	})
}

func TestMutingWithoutADetectorEndsWhatIsSent(t *testing.T) {
	withoutDetector(t, listening(), func(t *testing.T, b *undetected) {
		b.wake()
		time.Sleep(time.Second)
		if err := b.d.SetMuted(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		last := b.cloud.turns[len(b.cloud.turns)-1]
		sent := last.frames
		time.Sleep(time.Minute)
		if last.frames != sent || last.cut != 0 || last.committed {
			t.Errorf("%+v, %d frames before", last, sent)
		}
	})
}

func TestPhraseCannotBeHeardWithoutADetector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		defer r.close()
		o := r.opt
		o.Wake.NoDetector = true
		if _, err := New(o); err == nil {
			t.Error("New takes the phrase without a detector")
		}
	})
}
