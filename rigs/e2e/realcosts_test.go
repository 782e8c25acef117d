package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hearthd/rigs/testcard"
)

const (
	// costsFolder names a folder in which packaging/house/costs.sh has installed the other satellites.
	costsFolder = "HEARTHD_TEST_COSTS"
	costStarts  = 5
	costTurns   = 9
	costIdle    = time.Minute
	// ahead is how long what was written to the microphone waits until the card captures it: a pipe full of samples.
	ahead = 65536 / 2 * time.Second / testcard.Rate
)

// contestant is a satellite whose costs are measured.
type contestant struct {
	b    *testing.B
	k    *kitchen
	port string
	// start starts its processes, by their names. The first of them serves the port.
	start func() []process
	// join connects what it serves. heard then waits for the first sound of a request, and answer gives what is to be
	// played; they return when that was.
	join   func()
	heard  func() time.Time
	answer func() time.Time

	words string // folder of the wake words
	ended []func()
}

type process struct {
	name  string
	pid   int
	begun time.Time
}

// BenchmarkHouseCosts compares hearthd with other satellites, in one room with one wake word, one after the other. Each
// has the role that it has in a house: Home Assistant, which is a rig here, hears and answers.
func BenchmarkHouseCosts(b *testing.B) {
	dir, words := os.Getenv(costsFolder), os.Getenv("HEARTHD_TEST_MODELS")
	if dir == "" || words == "" {
		b.Skip("packaging/house/costs.sh runs this, with HEARTHD_TEST_MODELS")
	}
	for _, one := range []struct {
		name    string
		prepare func(c *contestant, venvs string)
	}{
		{"hearthd", (*contestant).hearthd}, {"wyoming-satellite", (*contestant).wyoming},
		{"parts of linux-voice-assistant", (*contestant).parts},
	} {
		b.Run(one.name, func(b *testing.B) {
			port, err := freePort()
			check(b, err)
			c := &contestant{b: b, port: port, words: filepath.Join(words, "wake")}
			c.k = newKitchen(b, "HEARTHD_SATELLITE_LISTEN=127.0.0.1:"+port, "HEARTHD_AUDIO_VOLUME=100", "HEARTHD_WAKE_ENGINE=button",
				"HEARTHD_WAKE_FOLLOW_UP=0s", "HEARTHD_WAKE_CHIME=false", fmt.Sprintf("HEARTHD_WAKE_WORDS=[{model: %s, route: homeassistant}, "+
					"{model: %s, kind: stop}]", c.word("hey_jarvis"), c.word("stop")))
			one.prepare(c, dir)
			c.measure()
		})
	}
}

func (c *contestant) word(name string) string { return filepath.Join(c.words, name+".json") }

// measure says what it costs.
func (c *contestant) measure() {
	b, k := c.b, c.k
	defer c.stop()
	var starts, wakes, plays sample
	var all []process
	for range costStarts {
		c.stop()
		all = c.start()
		awaitAddress(b, "tcp", "127.0.0.1:"+c.port)
		starts = append(starts, time.Since(all[0].begun).Seconds()*1000)
	}
	c.join()
	<-time.After(settle)
	load(b)
	from := map[string]time.Duration{}
	for _, p := range all {
		from[p.name] = treeTime(b, p.pid)
	}
	<-time.After(costIdle)
	for _, p := range all {
		name := strings.ReplaceAll(p.name, " ", "-")
		b.ReportMetric((treeTime(b, p.pid)-from[p.name]).Seconds()/costIdle.Minutes(), name+"-cpu-s/min")
		b.ReportMetric(pss(b, p.pid), name+"-pss-MB")
	}
	word := clip(b, filepath.Join(c.words, "clips", "hey_jarvis_1.wav"))
	end := testcard.Rate * 5 / 4 // of the word; there is a pause behind it
	for range costTurns {
		k.hears(word[:end])
		spoken := time.Now().Add(ahead)
		k.hears(word[end:], k.synthesise("what time is it?"))
		wakes = append(wakes, c.heard().Sub(spoken).Seconds()*1000)
		<-time.After(3 * time.Second) // the request ends, where somebody waits for that
		from := k.played()
		at := c.answer()
		plays = append(plays, k.sounds(from).Sub(at).Seconds()*1000)
		<-time.After(8 * time.Second) // the answer ends
	}
	load(b)
	b.ReportMetric(0, "ns/op")
	starts.report(b, "start", "ms")
	wakes.report(b, "wake-to-server", "ms")
	plays.report(b, "answer-to-player", "ms")
}

// sounds is when the speaker has played something loud after a position.
func (k *kitchen) sounds(from int64) time.Time {
	data := make([]byte, 2*testcard.Rate)
	for end := time.Now().Add(patience); time.Now().Before(end); <-time.After(2 * time.Millisecond) {
		file, err := os.Open(k.card.SpeakerPath())
		if err != nil {
			continue // it has never played
		}
		n, _ := file.ReadAt(data, from) // up to the end
		check(k.t, file.Close())
		for i := 1; i < n; i += 2 {
			if v := int8(data[i]); v > 4 || v < -4 { // the upper byte of a sample
				return time.Now()
			}
		}
		from += int64(n &^ 1)
	}
	k.t.Fatal("the answer is not played")
	return time.Time{}
}

// tree is a process and all that it has started.
func tree(b *testing.B, pid int) []int {
	all := []int{pid}
	threads, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "children"))
	check(b, err)
	for _, name := range threads {
		list, _ := os.ReadFile(name) // it may have ended
		for _, of := range strings.Fields(string(list)) {
			child, err := strconv.Atoi(of)
			check(b, err)
			all = append(all, tree(b, child)...)
		}
	}
	return all
}

func treeTime(b *testing.B, pid int) (sum time.Duration) {
	for _, p := range tree(b, pid) {
		sum += cpuTime(b, p)
	}
	return sum
}

// pss is the memory of a process and all that it has started, in MB of 1e6 bytes: what is shared counts in parts.
func pss(b *testing.B, pid int) (sum float64) {
	for _, p := range tree(b, pid) {
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p), "smaps_rollup"))
		check(b, err)
		for line := range strings.Lines(string(text)) {
			if value, ok := strings.CutPrefix(line, "Pss:"); ok {
				var kb float64
				_, err := fmt.Sscan(value, &kb)
				check(b, err)
				sum += kb * 1024 / 1e6
			}
		}
	}
	return sum
}
