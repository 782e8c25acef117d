package e2e

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hearthd/rigs/testcard"
)

// patience is how long anything may take before a test gives up. Nothing here is
// that slow; the machine that runs the tests may be.
const patience = 90 * time.Second

// kitchen is a house of one test, with a card, a person and a diary.
type kitchen struct {
	*House
	t     testing.TB
	dir   string
	card  *testcard.Card
	room  *Room
	diary *diary
	env   []string

	program string // the daemon
}

// newKitchen makes a kitchen in which the daemon does not run yet. env is for
// every start.
func newKitchen(t testing.TB, env ...string) *kitchen {
	t.Helper()
	return newRoom(t, &Room{Voice: suite.voice}, env...)
}

// beside lets a test run beside others, which mostly wait for sound, as this one
// does. Parts of a test keep their order.
func beside(t testing.TB) {
	test, ok := t.(*testing.T)
	if !ok || strings.Contains(t.Name(), "/") {
		return
	}
	if _, again := suite.parallel.LoadOrStore(t.Name(), true); !again {
		test.Parallel()
	}
}

// newEchoes is a kitchen whose microphone hears the speaker.
func newEchoes(t testing.TB, env ...string) *kitchen {
	t.Helper()
	return newRoom(t, &Room{Voice: suite.voice, Echoes: true}, env...)
}

func newRoom(t testing.TB, room *Room, env ...string) *kitchen {
	t.Helper()
	beside(t)
	// Not TempDir: its name holds the test's, and a socket's path is short.
	dir, err := os.MkdirTemp("", "hearthd-e2e-")
	check(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	plugins, err := filepath.Glob(filepath.Join(suite.dir, "testcard-*.so"))
	check(t, err)
	for _, p := range plugins {
		check(t, os.Link(p, filepath.Join(dir, filepath.Base(p))))
	}
	k := &kitchen{t: t, dir: dir, room: room, diary: newDiary(), program: suite.hearthd}
	build := testcard.Build
	if room.Echoes {
		build = testcard.BuildInRoom
	}
	k.card, err = build(t.Context(), dir)
	check(t, err)
	k.House, err = NewHouse(dir)
	check(t, err)
	k.env = append([]string{"HEARTHD_THINKER_URL=", "HEARTHD_TOOLS_DIR=" + filepath.Join(dir, "tools.d")}, env...)

	mic, err := k.card.OpenMicrophone()
	check(t, err)
	ended := make(chan struct{})
	go func() { defer close(ended); k.room.Run(mic) }()
	t.Cleanup(func() {
		if err := mic.Close(); err != nil {
			t.Error(err)
		}
		<-ended
	})
	t.Cleanup(func() {
		if k.Running() {
			if err := k.Stop(); err != nil {
				t.Error(err)
			}
		}
		if strings.Contains(k.Tail(), "ended by itself") {
			t.Error("a part of the daemon ended, and nobody had asked it to")
		}
		if t.Failed() {
			t.Logf("events:\n%slog:\n%s", k.diary.tail(), k.Tail())
		}
	})
	return k
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// launch starts the daemon and follows its events, whatever it can hear.
func (k *kitchen) launch(env ...string) {
	k.t.Helper()
	check(k.t, k.Start(k.program, k.card, append(append([]string(nil), k.env...), env...)...))
	k.await("an answer of the control API", func(Status) bool { return true })
	check(k.t, k.Events(k.t.Context(), k.diary.add))
}

// begin starts the daemon and returns when it hears.
func (k *kitchen) begin(env ...string) {
	k.t.Helper()
	k.launch(env...)
	k.await("frames and a broker", func(s Status) bool {
		return s.Frames > 0 && (s.Broker == "connected" || s.Broker == "off") && s.State == "idle"
	})
}

func (k *kitchen) await(what string, good func(Status) bool) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), patience)
	defer cancel()
	if err := k.Await(ctx, good); err != nil {
		k.t.Fatalf("wait for %s: %v", what, err)
	}
}

func (k *kitchen) status() Status {
	k.t.Helper()
	var s Status
	check(k.t, k.Call(k.t.Context(), http.MethodGet, "/v1/status", nil, &s))
	return s
}

// advances waits until frames are captured.
func (k *kitchen) advances() {
	k.t.Helper()
	from := k.status().Frames
	k.await("more frames", func(s Status) bool { return s.Frames > from+5 })
}

// post sends a command that must be carried out.
func (k *kitchen) post(path string, body any) {
	k.t.Helper()
	var answer struct{}
	check(k.t, k.Call(k.t.Context(), http.MethodPost, path, body, &answer))
}

// ask asks text and returns the document of the turn.
func (k *kitchen) ask(text string) Turn {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), patience)
	defer cancel()
	var t Turn
	check(k.t, k.Call(ctx, http.MethodPost, "/v1/ask", map[string]string{"text": text}, &t))
	return t
}

// agree says yes to a question in writing.
func (k *kitchen) agree(question string) Turn {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), patience)
	defer cancel()
	var t Turn
	check(k.t, k.Call(ctx, http.MethodPost, "/v1/ask", map[string]string{"text": "yes", "question": question}, &t))
	return t
}

// askAside asks text and does not wait for the answer.
func (k *kitchen) askAside(text string) {
	ctx := k.t.Context()
	go func() {
		var t Turn
		// The daemon may be killed meanwhile; the test looks at the events.
		_ = k.Call(ctx, http.MethodPost, "/v1/ask", map[string]string{"text": text}, &t)
	}()
}

// say lets the person say something.
func (k *kitchen) say(text string) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), patience)
	defer cancel()
	sound, err := k.room.Synthesise(ctx, text)
	check(k.t, err)
	check(k.t, k.room.Speak(ctx, sound))
}

// event waits for the next event that fits.
func (k *kitchen) event(what string, fits func(happening) bool) happening {
	k.t.Helper()
	h, ok := k.eventWithin(patience, fits)
	if !ok {
		k.t.Fatalf("there was no event: %s", what)
	}
	return h
}

// eventWithin waits for it for so long.
func (k *kitchen) eventWithin(limit time.Duration, fits func(happening) bool) (happening, bool) {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	for {
		h, ok, more := k.diary.next(fits)
		if ok {
			return h, true
		}
		select {
		case <-more:
		case <-deadline.C:
			return happening{}, false
		}
	}
}

// turn waits for the document of the next turn of a source.
func (k *kitchen) turn(source string) Turn {
	k.t.Helper()
	var t Turn
	k.event("end of a turn by "+source, func(h happening) bool {
		t = Turn{}
		return h.Type == "turn" && json.Unmarshal(h.raw, &t) == nil && t.Source == source
	})
	return t
}

// heard lets the person say words, and gives the turn that comes of it.
func (k *kitchen) heard(words string) Turn {
	k.t.Helper()
	return k.heeds(func() { k.say(words) })
}

// heeds lets the person speak, and gives the turn that comes of it. A machine that stands still for a moment loses the
// microphone, or a word, and on a busy one the recogniser may take too long: then they speak again.
func (k *kitchen) heeds(speak func()) (t Turn) {
	k.t.Helper()
	turned := func(h happening) bool {
		t = Turn{}
		return h.Type == "turn" && json.Unmarshal(h.raw, &t) == nil && t.Source == "voice"
	}
	for end := time.Now().Add(2 * patience); time.Now().Before(end); {
		begun := time.Now()
		speak()
		// An utterance whose beginning was lost comes to nothing, and nothing is told of it.
		h, _ := k.eventWithin(patience/2, func(h happening) bool {
			lost := h.Code == "microphone" && h.Active || h.Type == "ignored"
			return lost && h.Time.After(begun) || turned(h)
		})
		if h.Type == "turn" {
			return t
		}
		k.t.Logf("not heard: %s", h.raw)
		k.await("the card", func(s Status) bool { return s.State == "idle" })
		if _, heard, _ := k.diary.next(turned); heard { // before it was lost
			return t
		}
	}
	k.t.Fatal("nothing is heard: the card is lost, or the recogniser fails")
	return t
}

// condition waits until the condition begins or ends.
func (k *kitchen) condition(code string, active bool) {
	k.t.Helper()
	k.event("condition "+code, func(h happening) bool {
		return h.Type == "condition" && h.Code == code && h.Active == active
	})
}

// moves waits until the state is entered.
func (k *kitchen) moves(to string) {
	k.t.Helper()
	k.event("state "+to, func(h happening) bool { return h.Type == "state" && h.To == to })
}

// calls says the wake phrase alone, again where it was heard too weakly: of two words much has to be heard.
func (k *kitchen) calls() {
	k.t.Helper()
	for end := time.Now().Add(2 * patience); time.Now().Before(end); {
		k.say("Hey hearth.")
		h := k.event("the phrase is heard, or is not", func(h happening) bool {
			return h.Type == "ignored" || h.Type == "state" && h.To == "listening"
		})
		if h.To == "listening" {
			return
		}
	}
	k.t.Fatal("the wake phrase is never heard")
}

// tellsTime lets the person ask for the time and checks the whole way: heard,
// understood, done, and played by the card.
func (k *kitchen) tellsTime() Turn {
	k.t.Helper()
	from := k.played()
	t := k.heard("Hey hearth, what time is it?")
	if t.Outcome != "answered" || t.Route != "intent" || t.Intent != "time_now" || t.Answer == "" {
		k.t.Fatalf("asked by voice for the time: %+v", t)
	}
	if t.Stages.FirstSound == 0 {
		k.t.Errorf("the daemon did not see its answer played: %+v", t.Stages)
	}
	k.audible(from)
	return t
}

// loud is an amplitude that is speech and neither dither nor an earcon's tail.
const loud = 1000

// played is the number of bytes that the card has played.
func (k *kitchen) played() int64 {
	k.t.Helper()
	info, err := os.Stat(k.card.SpeakerPath())
	if os.IsNotExist(err) {
		return 0
	}
	check(k.t, err)
	return info.Size()
}

// audible waits until the card has played something loud since it had played
// from bytes.
func (k *kitchen) audible(from int64) {
	k.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); time.Now().Before(end); <-tick.C {
		if peak(k.sound(from)) > loud {
			return
		}
	}
	k.t.Fatalf("the card played nothing that can be heard")
}

// sound is what the card played after from bytes.
func (k *kitchen) sound(from int64) []int16 {
	k.t.Helper()
	data, err := os.ReadFile(k.card.SpeakerPath())
	if os.IsNotExist(err) {
		return nil
	}
	check(k.t, err)
	data = data[min(int(from), len(data)):]
	p := make([]int16, len(data)/2)
	for i := range p {
		p[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
	}
	return p
}

func peak(p []int16) (top int) {
	for _, v := range p {
		top = max(top, int(v), -int(v))
	}
	return top
}
