package supervise

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// The issue: SIGTERM ends cleanly within 5 s, also when a sound driver hangs.
func TestPartThatHangsIsNamedAndKeepsNobodyFromStopping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		release := make(chan struct{})
		g := group(obedient(d, "store", 0), obedient(d, "mqtt", 200*time.Millisecond),
			deaf("capture", release), obedient(d, "listen", 0))
		err := runFor(t, g, time.Minute)
		d.add("group ended")
		if err == nil || err.Error() != "stop capture: did not end within 4s" {
			t.Errorf("error %q", err)
		}
		d.expect(t, "1m0s listen ended", "1m1.2s mqtt ended", "1m1.2s store ended", "1m4s group ended")
		close(release) // must find nothing closed that it writes to
		synctest.Wait()
	})
}

func TestManyThatHangTakeNoLongerThanOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		release := make(chan struct{})
		defer close(release)
		g := group(obedient(d, "store", 500*time.Millisecond), obedient(d, "voice", 0))
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			g = append(g, deaf(name, release))
		}
		err := runFor(t, g, time.Minute)
		d.add("group ended")
		if err == nil || err.Error() != "stop a, b, c, d, e: did not end within 4s" {
			t.Errorf("error %q", err)
		}
		d.expect(t, "1m3s voice ended", "1m3.5s store ended", "1m4s group ended")
	})
}

func TestSlowPartIsWaitedForWithinTheLimit(t *testing.T) {
	stuck := errors.New("audio driver does not return")
	for want, end := range map[string]error{"": nil, "stop capture: audio driver does not return": stuck} {
		synctest.Test(t, func(t *testing.T) {
			d := newDiary()
			slow := Part{Name: "capture", Run: func(ctx context.Context) error {
				<-ctx.Done()
				time.Sleep(3 * time.Second) // the device's own limit
				d.add("capture ended")
				return end
			}}
			err := runFor(t, group(obedient(d, "mqtt", 0), slow), time.Minute)
			d.add("group ended")
			if got := errorText(err); got != want {
				t.Errorf("error %q, want %q", got, want)
			}
			d.expect(t, "1m1s mqtt ended", "1m3s capture ended", "1m3s group ended")
		})
	}
}

func TestPartThatHangsAfterAFatalErrorIsNamedWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		g := group(deaf("playback", release),
			Part{Name: "capture", Run: func(context.Context) error { return errors.New("no such driver") }})
		if got := errorText(g.Run(t.Context())); got != "run capture: no such driver\nstop playback: did not end within 4s" {
			t.Errorf("error %q", got)
		}
	})
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
