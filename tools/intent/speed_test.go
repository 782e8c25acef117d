package intent

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// lines are those of a file in testdata.
func lines(t testing.TB, name string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

// everything is every example, command and line of chatter, with a house of 300
// devices.
func everything(b *testing.B) (*Matcher, []string) {
	b.Helper()
	m := newMatcher(b)
	var names []Name
	for _, room := range strings.Fields("kitchen bathroom bedroom hallway office garage garden attic cellar nursery porch lounge study pantry balcony") {
		for _, thing := range strings.Split("light,ceiling light,floor lamp,desk lamp,left blind,right blind,heater,fan,plug,thermostat,window,door lock,radio,motion sensor,reading lamp,curtain,speaker,socket,camera,shelf light", ",") {
			names = append(names, Name{Value: room + " " + thing})
		}
	}
	m.SetNames("device", names)
	var texts []string
	for _, s := range sentencesIn(b, "examples.txt") {
		texts = append(texts, s.text)
	}
	texts = append(texts, lines(b, "chatter.txt")...)
	texts = append(texts, lines(b, "commands.txt")...)
	slices.Sort(texts)
	return m, texts
}

// spread runs do with every text and reports how long single runs take.
func spread(b *testing.B, texts []string, do func(string)) {
	took := make([]time.Duration, 0, len(texts))
	for b.Loop() {
		took = took[:0]
		for _, text := range texts {
			best := time.Hour // of three: others share the processor
			for range 3 {
				begun := time.Now()
				do(text)
				best = min(best, time.Since(begun))
			}
			took = append(took, best)
		}
	}
	slices.Sort(took)
	at := func(share float64) float64 { return float64(took[int(share*float64(len(took)-1))].Microseconds()) }
	b.ReportMetric(at(0.5), "p50-µs")
	b.ReportMetric(at(0.99), "p99-µs")
	b.ReportMetric(at(1), "max-µs")
	b.ReportMetric(float64(len(texts)), "texts")
}

func BenchmarkMatch(b *testing.B) {
	m, texts := everything(b)
	spread(b, texts, func(text string) { m.Match(text) })
	b.ReportMetric(float64(len(m.patterns)), "patterns")
}

// BenchmarkCompleteness runs on every beginning of every text, as the words of a
// person who is still speaking come in.
func BenchmarkCompleteness(b *testing.B) {
	m, texts := everything(b)
	var partial []string
	for _, text := range texts {
		ws := strings.Fields(text)
		for n := 1; n <= len(ws); n++ {
			partial = append(partial, strings.Join(ws[:n], " "))
		}
	}
	spread(b, partial, func(text string) { m.Completeness(text) })
}

// BenchmarkNew also reports the heap that a Matcher holds.
func BenchmarkNew(b *testing.B) {
	var m *Matcher
	held := func() uint64 {
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	before := held()
	for b.Loop() {
		var err error
		if m, err = New(Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(held()-before)/1024, "live-KB")
	b.ReportMetric(float64(len(m.trees.nodes)), "nodes")
	b.ReportMetric(float64(len(m.trees.words)), "words")
}
