package harmonic

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"hearthd/audio"
	"hearthd/vad"
)

var voices = []string{"slt", "rms", "awb", "espeak"}

var sentences = []string{
	"Hey hearth, set a timer for ten minutes for the pasta.",
	"Six eggs, fish sticks and chips.",
	"What time is it?",
	"Add two litres of milk and some olives to the shopping list.",
	"How much is left on the timer?",
	"Convert three cups of flour to grams.",
}

// A place is where a sentence is spoken: at which level, in what noise.
type place struct {
	name         string
	speech, room float64 // dBFS
	noise        generator
	// misses is how many of the 24 sentences may fail: between blows that hide
	// its fricatives, awb's "six eggs, fish sticks" has 700 ms without voice.
	misses int
}

var places = []place{
	{"quiet", -25, -65, white, 0},
	{"soft", -40, -65, white, 0},
	{"close, clipping", -6, -65, white, 0},
	{"white 20 dB", -25, -45, white, 0},
	{"white 10 dB", -25, -35, white, 0},
	{"pink 20 dB", -25, -45, pink, 0},
	{"pink 10 dB", -25, -35, pink, 0},
	{"tap 20 dB", -25, -45, tap, 0},
	{"tap 10 dB", -25, -35, tap, 0},
	{"hum 10 dB", -25, -35, hum(100), 0},
	{"dishes 20 dB", -25, -45, dishes, 1},
}

// lead is how long a place sounds before the speech: time for the noise floor.
const lead = 2 * audio.Rate

// put speaks x in p, with lead before it and half of that after it.
func (p place) put(x []float64, r *rand.Rand) []int16 {
	y := scale(p.noise(len(x)+lead*3/2, r), p.room)
	for i, v := range scale(x, p.speech) {
		y[lead+i] += v
	}
	return pcm(y)
}

// covers returns the onset and end signals of the one utterance that holds all
// speech from lead on for n samples, and whether there is such a one alone.
func covers(said []vad.Signal, n int) (onset, end int, alone bool) {
	onset, end = -1, -1
	for i, g := range said {
		if g.Kind == vad.End && said[i-1].At <= lead && g.At >= audio.Position(lead+n) {
			onset, end = i-1, i
		}
	}
	return onset, end, end >= 0 && ends(said) == 1
}

type tally struct {
	said, heard        int
	onset, offset, end []audio.Position
}

func (c *tally) String() string {
	median := func(p []audio.Position) time.Duration {
		if len(p) == 0 {
			return 0
		}
		slices.Sort(p)
		return p[len(p)/2].Duration().Round(time.Millisecond)
	}
	return fmt.Sprintf("%2d of %2d; median onset reported %v after the start, last voice %v and end reported %v after the end",
		c.heard, c.said, median(c.onset), median(c.offset), median(c.end))
}

func TestEverySentenceGivesOneUtterance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var spoken [][]float64
	for _, v := range voices {
		for _, s := range sentences {
			spoken = append(spoken, say(t, v, s))
		}
	}
	for _, p := range places {
		var c tally
		for i, x := range spoken {
			said, when := segment(t, p.put(x, r))
			on, end, alone := covers(said, len(x))
			c.said++
			if !alone {
				t.Logf("%s: %s says %q (%d to %d): %+v", p.name, voices[i/len(sentences)], sentences[i%len(sentences)], lead, lead+len(x), said)
				continue
			}
			c.heard++
			c.onset = append(c.onset, when[on]-lead)
			c.offset = append(c.offset, said[end].Speech-audio.Position(lead+len(x)))
			c.end = append(c.end, when[end]-audio.Position(lead+len(x)))
		}
		t.Logf("%-16s %v", p.name, &c)
		if c.heard < c.said-p.misses {
			t.Errorf("%s: %d of %d sentences gave one utterance", p.name, c.heard, c.said)
		}
	}
}

// One-word commands are the hard case: the vowel of "stop" lasts 80 to 210 ms
// here, and the minimum speech is 250 ms.
func TestMostShortWordsAreHeardInQuiet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"Stop.", "Yes.", "No.", "Cancel.", "Help.", "Louder."}
	var spoken [][]float64
	for _, v := range voices {
		for _, w := range words {
			spoken = append(spoken, say(t, v, w))
		}
	}
	for _, p := range []place{places[0], places[4]} {
		var c tally
		var missed []string
		for i, x := range spoken {
			said, _ := segment(t, p.put(x, r))
			c.said++
			if _, _, alone := covers(said, len(x)); alone {
				c.heard++
			} else {
				missed = append(missed, voices[i/len(words)]+" "+words[i%len(words)])
			}
		}
		t.Logf("%-16s %2d of %2d; missed %v", p.name, c.heard, c.said, missed)
		if p.name == "quiet" && c.heard < 20 { // 22 when it was written
			t.Errorf("%d of %d words heard in quiet", c.heard, c.said)
		}
	}
}

func TestPausesInsideASentenceDoNotSplitIt(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for _, v := range voices {
		x := say(t, v, "Set a timer for")
		x = append(x, make([]float64, audio.Samples(490*time.Millisecond))...)
		x = append(x, say(t, v, "twenty five minutes.")...)
		said, _ := segment(t, places[0].put(x, r))
		if _, _, alone := covers(said, len(x)); !alone {
			t.Errorf("%s: %+v", v, said)
		}
	}
}

func TestSentencesApartAreTwoUtterances(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for _, v := range voices {
		x := say(t, v, "What time is it?")
		x = append(x, make([]float64, audio.Rate)...)
		x = append(x, say(t, v, "How much is left on the timer?")...)
		if said, _ := segment(t, places[0].put(x, r)); ends(said) != 2 {
			t.Errorf("%s: %+v", v, said)
		}
	}
}
