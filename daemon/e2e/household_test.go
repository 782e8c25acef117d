package e2e

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"hearthd/audio/device/testcard"
)

// tries is how often a chance is taken: some times, or as often as
// HEARTHD_TEST_TRIES says.
func tries(t *testing.T, few int) int {
	t.Helper()
	text := os.Getenv("HEARTHD_TEST_TRIES")
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	check(t, err)
	return n
}

// neighbours is a household of two boxes on one Mosquitto that know each other.
func neighbours(t *testing.T, env ...string) [2]*kitchen {
	t.Helper()
	var two [2]*kitchen
	for i := range two {
		two[i] = newKitchen(t, env...)
	}
	b := newMosquitto(t, two[0].dir)
	for i, name := range []string{"bedroom", "kitchen"} {
		two[i].begin(append(b.environ(), "HEARTHD_NODE="+name)...)
	}
	for _, k := range two {
		k.await("the other box", func(s Status) bool { return len(s.Boxes) == 1 })
	}
	return two
}

// quieter is sound that has come a longer way.
func quieter(sound []int16, by float64) []int16 {
	p := make([]int16, len(sound))
	for i, v := range sound {
		p[i] = int16(float64(v) * by)
	}
	return p
}

// both boxes hear the sound, one of them better; a little apart, as microphones and
// their buffers do.
func both(two [2]*kitchen, near int, sound []int16) {
	far := quieter(sound, 0.35)
	var wg sync.WaitGroup
	for i, k := range two {
		wg.Go(func() {
			time.Sleep(rand.N(60 * time.Millisecond))
			if i == near {
				k.hears(sound)
			} else {
				k.hears(far)
			}
		})
	}
	wg.Wait()
}

// oneAnswers lets both boxes hear a request again and again.
func oneAnswers(t *testing.T, two [2]*kitchen, n int, sound func() []int16) {
	t.Helper()
	var waited []int64
	nearer := 0
	for try := range n {
		near := rand.N(2)
		var from [2]int64
		for i, k := range two {
			from[i] = k.played()
		}
		both(two, near, sound())
		answered, silent := whoAnswered(t, try, two)
		if answered < 0 {
			return
		}
		doc := two[answered].turn("voice")
		if doc.Intent != "time_now" || doc.Outcome != "answered" {
			t.Errorf("try %d: %+v", try, doc)
		}
		two[answered].moves("idle")
		if top := peak(two[silent].sound(from[silent])); top > quiet {
			t.Errorf("try %d: the box that yields is heard: %d", try, top)
		}
		if answered == near {
			nearer++
		}
		for _, k := range two {
			k.await("rest", func(s Status) bool { return s.State == "idle" })
			for _, h := range k.diary.unread() {
				if h.Type == "turn" || h.Type == "yielded" {
					t.Errorf("try %d: one more: %s", try, h.raw)
				}
			}
		}
	}
	for _, k := range two {
		for _, h := range k.diary.all {
			if h.Type == "woken" || h.Type == "yielded" {
				waited = append(waited, h.WaitedMS)
			}
		}
	}
	slices.Sort(waited)
	t.Logf("%d tries, one answer each, by the nearer box %d times; the contest took at most %d ms", n, nearer, waited[len(waited)-1])
	if top := waited[len(waited)-1]; top > 250 {
		t.Errorf("a contest took %d ms", top)
	}
}

// quiet is the dither of a speaker that says nothing.
const quiet = 20

// whoAnswered waits until one box has ended a turn and the other has yielded.
func whoAnswered(t *testing.T, try int, two [2]*kitchen) (answered, silent int) {
	t.Helper()
	turned := func(h happening) bool { return h.Type == "turn" }
	yielded := func(h happening) bool { return h.Type == "yielded" && h.Reason == "another box answered" }
	for end := time.Now().Add(patience); time.Now().Before(end); <-time.After(20 * time.Millisecond) {
		for i, k := range two {
			if k.diary.has(turned) && two[1-i].diary.has(yielded) {
				two[1-i].event("that it yields", yielded)
				return i, 1 - i
			}
			if k.diary.has(turned) && two[1-i].diary.has(turned) {
				t.Fatalf("try %d: both answered", try)
			}
		}
	}
	t.Fatalf("try %d: nobody answered, or nobody yielded", try)
	return -1, -1
}

func TestOneOfTwoBoxesAnswersThePhrase(t *testing.T) {
	two := neighbours(t, "HEARTHD_WAKE_FOLLOW_UP=0s")
	sound := two[0].synthesise("Hey hearth, what time is it?")
	oneAnswers(t, two, tries(t, 2), func() []int16 { return sound })
}

func TestOneOfTwoBoxesAnswersAWakeWord(t *testing.T) {
	dir := models(t)
	two := neighbours(t, "HEARTHD_WAKE_ENGINE=button", "HEARTHD_WAKE_FOLLOW_UP=0s", "HEARTHD_WAKE_WORDS=[{model: "+filepath.Join(dir, "wake", "hey_jarvis.json")+"}]")
	jarvis := clip(t, filepath.Join(dir, "wake", "clips", "hey_jarvis_1.wav"))
	command := two[0].synthesise("what time is it?")
	oneAnswers(t, two, tries(t, 2), func() []int16 {
		pause := make([]int16, rand.N(testcard.Rate)) // with an earcon, or without
		return slices.Concat(jarvis, pause, command)
	})
}
