package device

import (
	"context"
	"errors"
	"testing"

	"hearthd/audio"
	"hearthd/rigs/testcard"
)

func newTestCapture(t *testing.T, device string) (*Capture, *running) {
	t.Helper()
	r := newRunning(t)
	c, err := NewCapture(CaptureOptions{Device: device, Log: quietLog(), Changed: r.changed})
	if err != nil {
		t.Fatal(err)
	}
	return c, r
}

func TestCaptureHearsWhatIsSaid(t *testing.T) {
	for _, device := range []string{testcard.PCM, testcard.Stereo, "default"} {
		t.Run(device, func(t *testing.T) {
			mic := openMicrophone(t)
			c, r := newTestCapture(t, device)
			r.start(c.Run)
			if s := r.await(Running, Lost); s.Rate != testcard.Rate || s.Device != device || s.Err != nil {
				t.Errorf("status is %+v", s)
			}
			said := speak(t, r.ctx, mic, chirps(testcard.Rate))
			var heard []int16
			for waiting := true; waiting; {
				heard = append(heard, listen(t, r.ctx, c, 0.1)...)
				select {
				case <-said:
					waiting = false
				default:
				}
			}
			heard = append(heard, listen(t, r.ctx, c, 0.3)...) // what the card still held
			if got := resemblance(heard, chirps(audio.Rate), 5); got < 0.95 {
				t.Errorf("resemblance is %.3f", got)
			}
			if c.Frames() != uint64(len(heard)/audio.FrameSamples) || c.Dropped() != 0 {
				t.Errorf("%d frames of %d, %d samples dropped", c.Frames(), len(heard)/audio.FrameSamples, c.Dropped())
			}
			r.end()
		})
	}
}

func TestCaptureWaitsForAnAbsentCard(t *testing.T) {
	c, r := newTestCapture(t, testcard.PCM)
	breakCard(t, testcard.NoDevice)
	r.start(c.Run)
	r.await(Opening, Lost, Running)
	if s := r.await(Lost, Running); s.Err == nil || s.Rate != 0 {
		t.Errorf("status is %+v", s)
	}
	heal(t)
	r.await(Running)
	listen(t, r.ctx, c, 0.1) // the first opening is no gap
	r.end()
}

func TestCaptureNamesADeviceThatDoesNotExist(t *testing.T) {
	c, r := newTestCapture(t, "plughw:CARD=Nowhere,DEV=0")
	r.start(c.Run)
	const want = `open device "plughw:CARD=Nowhere,DEV=0": ALSA knows no such sound card (`
	if s := r.await(Lost, Running); s.Err == nil || len(s.Err.Error()) <= len(want) ||
		s.Err.Error()[:len(want)] != want {
		t.Errorf("error is %v", s.Err)
	}
	r.end()
}

func TestMuteClosesTheDeviceAndUnmuteOpensIt(t *testing.T) {
	mic := openMicrophone(t)
	c, r := newTestCapture(t, testcard.PCM)
	r.start(c.Run)
	r.await(Running, Lost)
	listen(t, r.ctx, c, 0.1)

	c.SetMuted(true)
	r.await(Muted, Lost)
	frames := c.Frames()
	// Nobody captures, so this is still unheard when the device is opened.
	if _, err := mic.Write(littleEndian(chirps(testcard.Rate)[:4096])); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(r.ctx)
	cancel()
	var frame audio.Frame
	if err := c.ReadFrame(ctx, &frame); !errors.Is(err, context.Canceled) || c.Frames() != frames {
		t.Errorf("a muted microphone returned %v and %d frames", err, c.Frames()-frames)
	}

	c.SetMuted(false)
	r.await(Opening, Lost)
	r.await(Running, Lost)
	if err := c.ReadFrame(r.ctx, &frame); !errors.Is(err, ErrGap) {
		t.Errorf("first read after the pause: %v, want ErrGap", err)
	}
	for _, v := range listen(t, r.ctx, c, 0.3) {
		if v != 0 {
			t.Fatal("what was said while muted is heard afterwards")
		}
	}
	r.end()
}

// Whoever mutes and thinks again has been in private for that moment: a card takes its
// time to be closed, and captures meanwhile.
func TestMuteOfAMomentIsAGapToo(t *testing.T) {
	c, r := newTestCapture(t, testcard.PCM)
	r.start(c.Run)
	r.await(Running, Lost)
	listen(t, r.ctx, c, 0.1)
	c.SetMuted(true)
	c.SetMuted(false)
	var frame audio.Frame
	if err := c.ReadFrame(r.ctx, &frame); !errors.Is(err, ErrGap) {
		t.Errorf("first read after the moment: %v, want ErrGap", err)
	}
	listen(t, r.ctx, c, 0.3)
	r.end()
}

func TestNothingIsReadOfACardThatIsStillBeingClosed(t *testing.T) {
	c, err := NewCapture(CaptureOptions{Log: quietLog()})
	if err != nil {
		t.Fatal(err)
	}
	take, err := c.opened(format{rate: audio.Rate, channels: 1, buffer: 1280})
	if err != nil {
		t.Fatal(err)
	}
	c.SetMuted(true)
	take(nil, littleEndian(chirps(audio.Rate)), audio.Rate)
	c.SetMuted(false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var frame audio.Frame
	if err := c.ReadFrame(ctx, &frame); !errors.Is(err, context.Canceled) {
		t.Errorf("what was said while muted: %v, %v", err, frame[:4])
	}
}

func TestCaptureStartsMuted(t *testing.T) {
	c, r := newTestCapture(t, testcard.PCM)
	c.SetMuted(true)
	r.start(c.Run)
	r.await(Muted, Opening, Running, Lost)
	c.SetMuted(false)
	r.await(Running, Lost)
	r.end()
}

func TestCaptureGoesOnAfterAnOverrun(t *testing.T) {
	c, r := newTestCapture(t, testcard.PCM)
	r.start(c.Run)
	r.await(Running, Lost)
	for range 3 {
		if err := card.BreakCapture(card.Overrun()); err != nil {
			t.Fatal(err)
		}
		listen(t, r.ctx, c, 0.2)
	}
	r.end()
	close(r.statuses)
	for s := range r.statuses {
		t.Errorf("an overrun changed the status to %v (%v)", s.State, s.Err)
	}
}

func TestReaderThatStopsReadingLosesTheNewest(t *testing.T) {
	c, err := NewCapture(CaptureOptions{Log: quietLog()})
	if err != nil {
		t.Fatal(err)
	}
	take, err := c.opened(format{rate: 48000, channels: 1, buffer: 3840})
	if err != nil {
		t.Fatal(err)
	}
	block := littleEndian(make([]int16, 960))
	for range 100 {
		take(nil, block, 960)
	}
	lost := c.Dropped()
	if lost == 0 || lost > 48000 {
		t.Errorf("%d of 96000 samples were dropped", lost)
	}
	c.closed()
	if c.Dropped() != lost {
		t.Errorf("%d samples dropped after closing, %d before", c.Dropped(), lost)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	long := make([]byte, 300)
	for i := range long {
		long[i] = 'x'
	}
	for _, device := range []string{string(long), "a\x00b", ":1,0"} {
		if _, err := NewCapture(CaptureOptions{Device: device, Log: quietLog()}); err == nil {
			t.Errorf("device %.20q is accepted", device)
		}
	}
	if _, err := NewCapture(CaptureOptions{}); err == nil {
		t.Error("no logger is accepted")
	}
	if _, err := NewPlayback(PlaybackOptions{Log: quietLog()}); err == nil {
		t.Error("no mixer is accepted")
	}
}

func TestMissingLibraryNamesItsPackage(t *testing.T) {
	const want = "load ALSA's library (Debian package libasound2, from Debian 13 on libasound2t64): " +
		"libnowhere.so.2: cannot open shared object file: No such file or directory"
	if err := loadLibrary("libnowhere.so.2"); err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}
