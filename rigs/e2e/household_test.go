package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"hearthd/rigs/testcard"
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

// contest is what came of the tries.
type contest struct {
	contested, nearer int
	alone             int // tries that only one box heard
	lost              int // tries in which the machine was so busy that a card was lost, or nobody understood
}

// oneAnswers lets both boxes hear a request until they have contended for it n
// times. Whatever they hear, one answers, and the other is silent.
func oneAnswers(t *testing.T, two [2]*kitchen, n int, sound func() []int16) {
	t.Helper()
	var c contest
	for c.contested < n && c.alone+c.lost <= n/4+2 {
		near := rand.N(2)
		var from [2]int64
		for i, k := range two {
			from[i] = k.played()
		}
		both(two, near, sound())
		answered, silent, yielded := whoAnswered(t, two)
		if answered < 0 {
			c.lost++
			t.Logf("%+v: a card was lost, and nobody answered", c)
			for _, k := range two {
				k.await("rest", func(s Status) bool { return s.State == "idle" })
				k.diary.unread()
			}
			continue
		}
		two[answered].event("its answer", func(h happening) bool { return h.Type == "turn" })
		for _, k := range two {
			k.await("rest", func(s Status) bool { return s.State == "idle" })
			for _, h := range k.diary.unread() {
				if h.Type == "turn" {
					t.Fatalf("%+v: one more answer: %s", c, h.raw)
				}
			}
		}
		if !yielded {
			c.alone++
			continue
		}
		if top := peak(two[silent].sound(from[silent])); top > quiet {
			t.Errorf("%+v: the box that yields is heard: %d\n%s", c, top, two[silent].diary.tail())
		}
		c.contested++
		if answered == near {
			c.nearer++
		}
	}
	if c.contested < n {
		t.Errorf("the boxes hardly ever heard the same: %+v", c)
	}
	t.Logf("one answer in each of %d tries, by the nearer box in %d; %d more were heard by one box, and %d when a card was lost; the answer waited %s for the contest, the other box knew after %s",
		c.contested, c.nearer, c.alone, c.lost, waits(two, "woken"), waits(two, "yielded"))
}

// waits tells how long the boxes contended before the events of a kind.
func waits(two [2]*kitchen, kind string) string {
	var waited []int64
	for _, k := range two {
		for _, h := range k.diary.all {
			if h.Type == kind {
				waited = append(waited, h.WaitedMS)
			}
		}
	}
	slices.Sort(waited)
	n := len(waited)
	return fmt.Sprintf("%d ms (median), %d ms (p99), %d ms (at most)", waited[n/2], waited[n*99/100], waited[n-1])
}

// quiet is the dither of a speaker that says nothing.
const quiet = 20

// unheard is how long after an answer the other box may still notice that it was
// called.
const unheard = 5 * time.Second

// whoAnswered waits until one box has ended a turn, and whether the other yields. It
// reads up to its yielding. Where a microphone was lost, or the recogniser too slow, nobody may have answered.
func whoAnswered(t *testing.T, two [2]*kitchen) (answered, silent int, yielded bool) {
	t.Helper()
	turned := func(h happening) bool { return h.Type == "turn" }
	yields := func(h happening) bool { return h.Type == "yielded" && h.Reason == "another box answered" }
	answered = -1
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); time.Now().Before(end); <-tick.C {
		for i, k := range two {
			if answered < 0 && k.diary.has(turned) {
				answered = i
				end = time.Now().Add(unheard)
			}
		}
		if answered >= 0 && two[1-answered].diary.has(yields) {
			two[1-answered].event("that it yields", yields)
			return answered, 1 - answered, true
		}
		if answered >= 0 && two[1-answered].diary.has(turned) {
			t.Fatal("both answered")
		}
	}
	lost := func(h happening) bool {
		return h.Type == "condition" && (h.Code == "microphone" || h.Code == "speaker") || h.Reason == "recogniser_failed"
	}
	if answered < 0 && !two[0].diary.has(lost) && !two[1].diary.has(lost) {
		t.Fatal("nobody answered")
	}
	return answered, 1 - answered, false
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
