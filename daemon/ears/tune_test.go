package ears

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"hearthd/audio"
	"hearthd/daemon/api"
	"hearthd/vad"
)

// speak passes an utterance with so many seconds of speech to the recorder.
func speak(r *Recorder, seconds int) (taken bool) {
	var f audio.Frame
	taken = r.take(&vad.Signal{Kind: vad.Onset, Speech: 1000})
	for range seconds * audio.Rate / len(f) {
		taken = r.take(&vad.Signal{Kind: vad.Audio, Frame: &f}) || taken
	}
	return r.take(&vad.Signal{Kind: vad.End, Speech: 1000 + audio.Position(seconds*audio.Rate)}) || taken
}

func TestTalkIsOverheardAndAnsweredAsEver(t *testing.T) {
	r := recording()
	if speak(r, 1); len(r.overheard) != 0 {
		t.Fatal("nobody wanted to know")
	}
	type overheard struct {
		samples int
		seconds float64
	}
	var heard []overheard
	synctest.Test(t, func(t *testing.T) {
		r := recording()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			for talk, err := range r.Overhear(ctx) {
				if err == nil {
					heard = append(heard, overheard{len(talk.Samples), talk.Speech.Seconds()})
				}
			}
		}()
		synctest.Wait()
		for _, seconds := range []int{1, 40, 2} {
			if speak(r, seconds) {
				t.Error("the utterance was taken away")
			}
			synctest.Wait()
		}
		for _, err := range r.Overhear(ctx) {
			if err == nil {
				t.Error("a second one overhears")
			}
		}
		cancel()
		<-done
	})
	want := []overheard{{audio.Rate, 1}, {maxTalk, 30}, {2 * audio.Rate, 2}}
	if !slices.Equal(heard, want) {
		t.Errorf("overheard %v, want %v", heard, want)
	}
}

func TestTuningIsRefusedWhereItCouldNotBeRight(t *testing.T) {
	k := newKeeper(t)
	muted := newKeeper(t)
	muted.recorder = newRecorder(func() bool { return true }, func() {})
	for name, tc := range map[string]struct {
		k    *WordKeeper
		of   api.Tune
		says string
	}{
		"elsewhere": {k, api.Tune{Phrase: "x", Server: "192.168.1.9:10300", Minutes: 60}, "of this machine"},
		"no time":   {k, api.Tune{Phrase: "x", Server: "unix:/x"}, "0 minutes"},
		"for ever":  {k, api.Tune{Phrase: "x", Server: "unix:/x", Minutes: 1e9}, "at most 600"},
		"muted":     {muted, api.Tune{Phrase: "x", Server: "unix:/x", Minutes: 60}, "muted"},
	} {
		var last error
		for _, err := range tc.k.Tune(t.Context(), tc.of) {
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), tc.says) {
			t.Errorf("%s: %v", name, last)
		}
	}
}
