package device

import (
	"context"
	"encoding/binary"
	"log/slog"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"hearthd/audio"
	"hearthd/rigs/testcard"
)

var _ mixer = (*audio.Mixer)(nil)

// singer is a mixer that plays one chirp whenever a device opens.
type singer struct {
	rate, latency, at atomic.Int64
	mixed             atomic.Int64
}

func (s *singer) SetRate(hz int) { s.rate.Store(int64(hz)); s.at.Store(0) }

func (s *singer) SetLatency(samples int) { s.latency.Store(int64(samples)) }
func (s *singer) Waiting() bool          { return false }

func (s *singer) Mix(out []int16) {
	at, rate := int(s.at.Load()), int(s.rate.Load())
	for i := range out {
		out[i] = chirp(at+i, rate)
	}
	s.at.Add(int64(len(out)))
	s.mixed.Add(int64(len(out)))
}

func newTestPlayback(t *testing.T, device string, m mixer) (*Playback, *running) {
	t.Helper()
	r := newRunning(t)
	p, err := NewPlayback(PlaybackOptions{Device: device, Mixer: m, Log: quietLog(), Changed: r.changed})
	if err != nil {
		t.Fatal(err)
	}
	return p, r
}

// played is what the card has played since it had played skip bytes.
func played(t *testing.T, skip int) []int16 {
	t.Helper()
	b, err := os.ReadFile(card.SpeakerPath())
	if err != nil {
		t.Fatal(err)
	}
	b = b[min(skip, len(b)):]
	p := make([]int16, len(b)/2)
	for i := range p {
		p[i] = int16(binary.LittleEndian.Uint16(b[2*i:]))
	}
	return p
}

func speakerBytes(t *testing.T) int {
	t.Helper()
	info, err := os.Stat(card.SpeakerPath())
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	} else if err != nil {
		return 0
	}
	return int(info.Size())
}

func TestPlaybackIsHeardAsMixed(t *testing.T) {
	for _, device := range []string{testcard.PCM, testcard.Stereo, "default"} {
		t.Run(device, func(t *testing.T) {
			before := speakerBytes(t)
			m := &singer{}
			p, r := newTestPlayback(t, device, m)
			r.start(p.Run)
			if s := r.await(Running, Lost); s.Rate != testcard.Rate {
				t.Errorf("status is %+v", s)
			}
			awaitTrue(t, func() bool { return m.at.Load() > 3*testcard.Rate/2 })
			if m.rate.Load() != testcard.Rate {
				t.Errorf("mixer is at %d Hz", m.rate.Load())
			}
			r.end()
			if m.rate.Load() != 0 {
				t.Error("mixer still has a device")
			}
			if got := resemblance(played(t, before), chirps(testcard.Rate), 16); got < 0.95 {
				t.Errorf("resemblance is %.3f", got)
			}
		})
	}
}

// newResting runs a speaker that rests after a silence, and passes on what it logs.
func newResting(t *testing.T, idleAfter time.Duration) (*Playback, *running, logged) {
	t.Helper()
	r := newRunning(t)
	rests := make(logged, 10)
	p, err := NewPlayback(PlaybackOptions{
		Device: testcard.PCM, IdleAfter: idleAfter,
		Mixer: audio.NewMixer(100), Log: slog.New(rests), Changed: r.changed,
	})
	if err != nil {
		t.Fatal(err)
	}
	r.start(p.Run)
	r.await(Running, Lost)
	return p, r, rests
}

func TestIdlePlaybackRestsUntilItIsWoken(t *testing.T) {
	p, r, rests := newResting(t, 100*time.Millisecond)
	for range 3 {
		rests.await(r, "audio device rests")
		p.Wake()
		rests.await(r, "audio device wakes")
	}
	rests.await(r, "audio device rests")
	r.end() // while it rests
	close(r.statuses)
	for s := range r.statuses {
		t.Errorf("a rest changed the status to %v (%v)", s.State, s.Err)
	}
}

// Whoever has something to say wakes the speaker first, and may be held up in between.
func TestRestingPlaybackPlaysWhatNobodyWokeItFor(t *testing.T) {
	p, r, rests := newResting(t, 100*time.Millisecond)
	rests.await(r, "audio device rests")
	voice := p.mixer.(*audio.Mixer).Voice()
	gen := voice.Begin()
	voice.Write(gen, make([]int16, 100))
	if err := voice.Drain(r.ctx, gen); err != nil {
		t.Error(err)
	}
	r.end()
}

func TestRestingPlaybackIsLostWhenItCannotStart(t *testing.T) {
	p, r, rests := newResting(t, 100*time.Millisecond)
	rests.await(r, "audio device rests")
	breakCard(t, testcard.Unplug)
	p.Wake()
	r.await(Lost)
	heal(t)
	r.await(Running)
	r.end()
}

// logged is a log handler that passes on messages.
type logged chan string

func (l logged) Enabled(context.Context, slog.Level) bool { return true }
func (l logged) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l logged) WithGroup(string) slog.Handler            { return l }

func (l logged) Handle(_ context.Context, rec slog.Record) error {
	select {
	case l <- rec.Message:
	default:
	}
	return nil
}

func (l logged) await(r *running, message string) {
	r.t.Helper()
	for {
		select {
		case m := <-l:
			if m == message {
				return
			}
		case <-r.ctx.Done():
			r.t.Fatalf("%q is not logged", message)
		}
	}
}

func TestPlaybackLatencyLeavesTimeForABargeIn(t *testing.T) {
	m := &singer{}
	p, r := newTestPlayback(t, testcard.PCM, m)
	r.start(p.Run)
	r.await(Running, Lost)
	// What is in the card when a cut comes, and the block that is being mixed.
	worst := m.latency.Load() + testcard.Rate*int64(playbackPeriod)/1e9
	if m.latency.Load() <= 0 || worst > testcard.Rate*60/1000 {
		t.Errorf("%d samples are heard after a cut, %d is 60 ms", worst, testcard.Rate*60/1000)
	}
	r.end()
}
