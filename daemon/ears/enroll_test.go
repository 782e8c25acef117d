package ears

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/audio"
	"hearthd/daemon/api"
	"hearthd/daemon/queue"
	"hearthd/rigs/tflitetest"
	"hearthd/vad"
	"hearthd/vad/wake"
)

// newKeeper keeps words in a folder of its own.
func newKeeper(t *testing.T) *WordKeeper {
	t.Helper()
	state := t.TempDir()
	return &WordKeeper{
		dir: filepath.Join(state, wordsDir), state: state, recorder: recording(),
	}
}

// recording is a recorder of an open microphone.
func recording() *Recorder { return newRecorder(func() bool { return false }, func() {}) }

// said is what the segmenter would make of a word: half a second of a quiet room
// before it, and 700 ms after.
func said(t *testing.T, word string, stretch float64) []int16 {
	t.Helper()
	if _, err := exec.LookPath("flite"); err != nil {
		t.Skip("flite is not installed; packaging/deps.sh test installs it")
	}
	file := filepath.Join(t.TempDir(), "word.wav")
	out, err := exec.Command("flite", "-voice", "rms", "--setf", fmt.Sprintf("duration_stretch=%.2f", stretch), "-t",
		word, "-o", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c, err := audio.ReadWAV(file, audio.WAVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x := append(make([]int16, audio.Rate/2), c.Samples...)
	x = append(x, make([]int16, 7*audio.Rate/10)...)
	for i := range x {
		x[i] = x[i]/2 + int16(i*7919%21-10)
	}
	return x
}

// hear passes an utterance to the recorder, as the listen goroutine does, and
// reports whether all of it was taken.
func (r *Recorder) hear(x []int16, end vad.Kind) bool {
	all := r.take(&vad.Signal{Kind: vad.Onset})
	var f audio.Frame
	for len(x) > 0 {
		clear(f[copy(f[:], x):])
		x = x[min(len(x), len(f)):]
		all = r.take(&vad.Signal{Kind: vad.Audio, Frame: &f}) && all
	}
	return r.take(&vad.Signal{Kind: end}) && all
}

func TestWordThatIsSaidThreeTimesIsEnrolled(t *testing.T) {
	words := [][]int16{said(t, "hey hearth", 1), said(t, "hey hearth", 1.08), said(t, "hey hearth", 0.94)}
	synctest.Test(t, func(t *testing.T) { enrolThree(t, words) })
}

func enrolThree(t *testing.T, words [][]int16) {
	k := newKeeper(t)
	var steps []string
	for step, err := range k.Enroll(t.Context(), "Hey hearth") {
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, strings.TrimSpace(fmt.Sprintf("%s %d/%d %s", step.State, step.Good, step.Of,
			step.Problem)))
		switch step.State {
		case "say":
			go func() {
				synctest.Wait()                                  // until the recorder listens
				k.recorder.hear(make([]int16, 320), vad.Discard) // a click
				k.recorder.hear(words[0], vad.End)
				words = words[1:]
			}()
		case "done":
			if step.Model != "hey_hearth" || step.Spread <= 0 || step.Spread > 0.6 {
				t.Errorf("done: %+v", step)
			}
		}
	}
	if got, want := strings.Join(steps, ", "),
		"say 0/3, heard 1/3, say 1/3, heard 2/3, say 2/3, heard 3/3, done 3/3"; got != want {
		t.Errorf("steps %s, want %s", got, want)
	}
	list, err := k.List(t.Context())
	if err != nil || len(list) != 1 || list[0] != (api.Word{Model: "hey_hearth", Name: "Hey hearth",
		Type: "enrolled"}) {
		t.Errorf("list %+v, %v", list, err)
	}
	if k.recorder.recording() {
		t.Error("the dialogue does not get its utterances back")
	}
}

func TestEnrolmentThatHearsNobodyEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t)
		var last error
		begun := time.Now()
		for _, err := range k.Enroll(t.Context(), "hey hearth") {
			last = err
		}
		if last == nil || !strings.HasPrefix(last.Error(), "nothing was heard") || time.Since(begun) != enrollWait {
			t.Errorf("%v after %v", last, time.Since(begun))
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		for _, err := range k.Enroll(ctx, "hey hearth") {
			last = err
		}
		if last != context.Canceled {
			t.Errorf("hung up: %v", last)
		}
	})
}

func TestEnrolmentIsRefusedWhileItCannotBe(t *testing.T) {
	k := newKeeper(t)
	refused := func(name, want string) {
		t.Helper()
		for step, err := range k.Enroll(t.Context(), name) {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %+v, %v, want %q", name, step, err, want)
			}
		}
	}
	for _, name := range []string{"", "../stop", "a/b", strings.Repeat("a", 64), "-x", "ü"} {
		refused(name, "want letters")
	}
	if _, err := k.Install(t.Context(), "okay nabu", []byte(tflitetest.LoudManifest), tflitetest.Loud()); err != nil {
		t.Fatal(err)
	}
	refused("Okay Nabu", "installed as okay_nabu") // or it would stand for what the configuration names
	k.recorder.busy <- struct{}{}
	refused("hey hearth", "another word")
	<-k.recorder.busy
	k.recorder.muted = func() bool { return true }
	refused("hey hearth", "muted")
}

// notebook is a dialogue that notes the words that reach it.
type notebook struct{ heard []string }

func (n *notebook) String() string      { return "notebook" }
func (n *notebook) Deliver(*vad.Signal) {}
func (n *notebook) Detect(w wake.Detection) bool {
	n.heard = append(n.heard, w.Name)
	return true
}

// What rings must be silenced at any time.
func TestStopWordStopsWhileAWordIsEnrolled(t *testing.T) {
	var turns notebook
	e := &Ears{Recorder: recording()}
	e.opt.Turns = &turns
	e.opt.Words = []Word{{Model: "okay_nabu", Name: "okay nabu"}, {Model: "stop", Name: "stop", Stop: true}}
	e.Recorder.busy <- struct{}{}
	for word, want := range map[string]bool{"okay nabu": false, "stop": true} {
		if got := e.detected(wake.Detection{Name: word}); got != want {
			t.Errorf("%q opens a turn: %v, want %v", word, got, want)
		}
	}
	if !slices.Equal(turns.heard, []string{"stop"}) {
		t.Errorf("%q reached the dialogue", turns.heard)
	}
}

func TestRecorderTakesNothingWhileNoWordIsEnrolled(t *testing.T) {
	r := recording()
	if r.hear(make([]int16, 640), vad.End) {
		t.Error("an utterance did not reach the dialogue")
	}
	r.busy <- struct{}{}
	if !r.hear(make([]int16, 640), vad.End) || len(r.full) != 0 {
		t.Error("an utterance between two recordings reached the dialogue, or was recorded")
	}
	// One that began before the enrolment stays the dialogue's.
	<-r.busy
	r.take(&vad.Signal{Kind: vad.Onset})
	r.busy <- struct{}{}
	if r.take(&vad.Signal{Kind: vad.End}) {
		t.Error("the end of the dialogue's utterance was taken")
	}
}

// The listen goroutine never waits, whatever an enrolment that was broken off left.
func TestRecorderNeverBlocksAndKeepsNoMoreThanAWord(t *testing.T) {
	r := recording()
	r.busy <- struct{}{}
	for range 3 {
		queue.Offer(r.blank, make([]int16, 0, maxRecorded))
		r.hear(make([]int16, 10*audio.Rate), vad.End)
	}
	if x := <-r.full; len(x) != maxRecorded {
		t.Errorf("%d samples, want %d", len(x), maxRecorded)
	}
	f := frame(1)
	queue.Offer(r.blank, make([]int16, 0, maxRecorded))
	s := &vad.Signal{Kind: vad.Onset}
	r.take(s)
	s = &vad.Signal{Kind: vad.Audio, Frame: f}
	if n := testing.AllocsPerRun(100, func() { r.take(s) }); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
}
