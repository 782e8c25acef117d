package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hearthd/rigs/testcard"
)

func TestBoxWithoutASoundCardWorksAndWaitsForOne(t *testing.T) {
	k := newKitchen(t)
	config := filepath.Join(k.dir, "asound.conf")
	cards, err := os.ReadFile(config)
	check(t, err)
	check(t, os.WriteFile(config, []byte("# no card\n"), 0o600))
	m := newManager(t, k.dir)
	k.launch(m.environ())
	m.await("READY=1", 1)
	k.await("both conditions", func(s Status) bool {
		return s.State == "faulted" && s.Has("microphone") && s.Has("speaker")
	})
	if doc := k.ask("what time is it"); doc.Outcome != "answered" || doc.Answer == "" || doc.Stages.FirstSound != 0 {
		t.Errorf("as text, without a card: %+v", doc)
	}
	if err := k.Call(t.Context(), "POST", "/v1/listen", struct{}{}, &struct{}{}); err == nil || !strings.Contains(err.Error(), "microphone does not work") {
		t.Errorf("a button without a microphone: %v", err)
	}

	check(t, os.WriteFile(config, cards, 0o600))
	later := time.Now().Add(time.Minute) // ALSA compares whole seconds
	check(t, os.Chtimes(config, later, later))
	k.await("a box that is well", func(s Status) bool { return s.State == "idle" && len(s.Conditions) == 0 })
	k.tellsTime()
}

func TestMicrophoneThatIsPulledOutComesBack(t *testing.T) {
	for _, fault := range []testcard.Fault{testcard.NoDevice, testcard.Unplug, testcard.Stall} {
		t.Run(string(fault), func(t *testing.T) {
			k := newKitchen(t)
			k.begin()
			check(t, k.card.BreakCapture(fault))
			k.condition("microphone", true)
			k.await("a faulted box", func(s Status) bool { return s.State == "faulted" && s.Has("microphone") && !s.Has("speaker") })
			check(t, k.card.BreakCapture(testcard.Healthy))
			k.condition("microphone", false)
			k.await("a box that hears", func(s Status) bool { return s.State == "idle" })
			k.tellsTime()
		})
	}
}

func TestAnswerGoesOnAsTextWhileTheSpeakerIsGone(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	check(t, k.card.BreakPlayback(testcard.NoDevice))
	// A speaker that rests is missed when something is to be played.
	k.ask("what time is it")
	k.condition("speaker", true)
	if doc := k.heard("Hey hearth, what time is it?"); doc.Outcome != "answered" || doc.Answer == "" {
		t.Errorf("without a speaker: %+v", doc)
	}
	check(t, k.card.BreakPlayback(testcard.Healthy))
	k.condition("speaker", false)
	k.tellsTime()
}

// A driver that never returns cannot be left; only a new process can.
func TestDaemonEndsWhenTheDriverHangs(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	check(t, k.card.BreakCapture(testcard.Hang))
	<-k.Exited()
	if err := k.Stop(); err == nil || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("hearthd ended with %v", err)
	}
	check(t, k.card.BreakCapture(testcard.Healthy))
	k.begin()
	k.tellsTime()
}

func TestMutedMicrophoneIsClosedAndStaysSo(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	if !k.captures() {
		t.Fatal("the daemon does not have the microphone open, or the test does not see it")
	}
	k.post("/v1/mute", map[string]bool{"muted": true})
	k.closed()
	k.ignoresSpeech()

	check(t, k.Stop())
	k.launch()
	k.closed()
	if doc := k.ask("what time is it"); doc.Outcome != "answered" {
		t.Errorf("as text, muted: %+v", doc)
	}
	k.post("/v1/mute", map[string]bool{"muted": false})
	k.await("a box that hears", func(s Status) bool { return s.State == "idle" && !s.Muted })
	k.tellsTime()
}

// closed waits until the microphone is closed, and stays until the dialogue has
// seen that too.
func (k *kitchen) closed() {
	k.t.Helper()
	k.await("a muted box with the microphone closed", func(s Status) bool {
		return s.State == "muted" && s.Muted && !k.captures()
	})
	if err := k.Call(k.t.Context(), "POST", "/v1/listen", struct{}{}, &struct{}{}); err == nil || !strings.Contains(err.Error(), "muted") {
		k.t.Errorf("a button while muted: %v", err)
	}
}

// ignoresSpeech speaks to a closed microphone: somebody else has to take the
// sound, or it would wait in the card.
func (k *kitchen) ignoresSpeech() {
	k.t.Helper()
	air, err := os.Open(filepath.Join(k.dir, "microphone"))
	check(k.t, err)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for buf := make([]byte, 1<<16); ; {
			if _, err := air.Read(buf); err != nil {
				return
			}
		}
	}()
	before := k.status().Frames
	k.say("Hey hearth, what time is it?")
	check(k.t, air.Close())
	<-gone
	if after := k.status().Frames; after != before {
		k.t.Errorf("%d frames were captured while muted", after-before)
	}
	if k.diary.has(func(h happening) bool { return h.Type == "speech_started" }) {
		k.t.Error("something was heard while muted")
	}
}

// captures reports whether the daemon has the card's microphone open.
func (k *kitchen) captures() bool {
	k.t.Helper()
	fds := filepath.Join("/proc", strconv.Itoa(k.Process().Pid), "fd")
	entries, err := os.ReadDir(fds)
	check(k.t, err)
	for _, e := range entries {
		to, err := os.Readlink(filepath.Join(fds, e.Name()))
		if err != nil {
			if errors.Is(err, os.ErrNotExist) {
				continue // closed meanwhile
			}
			k.t.Fatal(err)
		}
		if to == filepath.Join(k.dir, "microphone") {
			return true
		}
	}
	return false
}
