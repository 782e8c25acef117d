package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hearthd/rigs/llmtest"
	"hearthd/rigs/testcard"
)

// BenchmarkResponder says how long after its transcript is known a request is
// committed and its response asked for, and how long after the server has begun to
// answer that is at the speaker: the test server sends its first sound at once. The
// goals are 10 ms and 40 ms.
func BenchmarkResponder(b *testing.B) {
	at := make(chan time.Time, 1)
	k, _, env := cloudy(b, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		at <- time.Now()
		return llmtest.RealtimeAnswer{Text: "It is noon.", Paced: true}
	})
	k.begin(env...)
	sound := voiced(k.synthesise("Why do the people bake their bread?"))
	var commit, speaker sample
	for b.Loop() {
		for range benchTurns {
			k.post("/v1/listen", struct{}{})
			k.hears(sound)
			heard := k.event("the transcript", func(h happening) bool { return h.Type == "heard" })
			created := <-at
			speaking := k.event("speaking", func(h happening) bool { return h.Type == "state" && h.To == "speaking" })
			doc := k.turn("voice")
			if doc.Route != "cloud" || doc.Outcome != "answered" {
				b.Fatalf("%+v", doc)
			}
			commit = append(commit, created.Sub(heard.Time).Seconds()*1000)
			speaker = append(speaker, speaking.Time.Sub(created).Seconds()*1000+float64(doc.Stages.Play))
			k.await("quiet", func(s Status) bool { return s.State == "idle" })
		}
	}
	b.ReportMetric(0, "ns/op")
	commit.report(b, "transcript-to-response", "ms")
	speaker.report(b, "delta-to-speaker", "ms")
}

// BenchmarkResponderMinute lets the responder speak for a minute while a tool runs
// for half of it. It says by how much what the card played is longer than the
// answer, and how long the longest gap in it is. The goals are 20 ms and none.
func BenchmarkResponderMinute(b *testing.B) {
	const letters = 1200 // of 50 ms
	k, _, env := cloudy(b, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		if len(turn.Outputs) > 0 {
			return llmtest.RealtimeAnswer{Text: "done"}
		}
		return llmtest.RealtimeAnswer{Text: strings.Repeat("a", letters), Calls: []llmtest.RealtimeCall{{ID: "slow", Name: "garden_look", Arguments: "{}"}}}
	})
	dir := filepath.Join(k.dir, "tools.d")
	check(b, os.Mkdir(dir, 0o700))
	check(b, os.WriteFile(filepath.Join(dir, "garden.yaml"), []byte(`name: garden_look
description: Looks at the garden.
parameters: {type: object, additionalProperties: false}
command: [sh, -c, 'sleep 30; echo It is green.']
timeout: 40s
`), 0o600))
	k.begin(append(env, "HEARTHD_WAKE_CHIME=false")...)
	for b.Loop() {
		from := k.played()
		k.post("/v1/listen", struct{}{})
		k.say("Why do the people bake their bread?")
		k.event("the tool's end", func(h happening) bool { return h.Type == "tool_finished" })
		doc := k.turn("voice")
		if len(doc.Tools) != 1 || doc.Outcome != "answered" {
			b.Fatalf("%+v", doc)
		}
		length, gap := span(k.sound(from))
		b.ReportMetric((length-(letters+4)*50*time.Millisecond).Seconds()*1000, "drift-ms")
		b.ReportMetric(gap.Seconds()*1000, "gap-ms")
	}
	b.ReportMetric(0, "ns/op")
}

// span is how long p sounds, from the first loud sample to the last, and the longest
// silence in it.
func span(p []int16) (length, gap time.Duration) {
	const near = 100
	first, last, longest := -1, 0, 0
	for i, v := range p {
		if v <= near && v >= -near {
			continue
		}
		if first < 0 {
			first, last = i, i
		}
		longest = max(longest, i-last-1)
		last = i
	}
	return time.Duration(last-first) * time.Second / testcard.Rate, time.Duration(longest) * time.Second / testcard.Rate
}

// BenchmarkFailover says by how much a cloud that is lost delays the answer of the
// house, in each phase in which nothing of its answer was heard, and how long it takes
// until the person is told so when it is lost in its speech. When it is lost after that,
// all of the answer was heard, and nobody is told. The goal is 500 ms.
func BenchmarkFailover(b *testing.B) {
	const each = 3
	phases := map[llmtest.RealtimePhase]string{
		llmtest.RealtimeAtDial: "dial", llmtest.RealtimeAtUpdate: "update", llmtest.RealtimeAtAudio: "audio", llmtest.RealtimeAtCommit: "commit",
		llmtest.RealtimeAtCreate: "create", llmtest.RealtimeAtCreated: "created", llmtest.RealtimeAtSpeech: "speech",
	}
	lose := llmtest.RealtimeNever
	k, cloud, env := cloudy(b, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		return llmtest.RealtimeAnswer{Text: "no", Lose: lose}
	})
	turn := func() Turn {
		k.post("/v1/listen", struct{}{})
		k.say("Why do the people bake their bread?")
		doc := k.turn("voice")
		k.await("quiet", func(s Status) bool { return s.State == "idle" })
		return doc
	}
	house := func(doc Turn) float64 {
		if doc.Route != "local" || doc.Answer != "At home." {
			b.Fatalf("%+v", doc)
		}
		return float64(doc.Stages.FirstSound - doc.Stages.Endpoint - doc.Stages.STT)
	}
	for b.Loop() {
		k.begin(append(slices.Clone(env), "HEARTHD_ROUTE_POLICY=local")...)
		var home sample
		for range 2 * each {
			home = append(home, house(turn()))
		}
		check(b, k.Stop())
		home.report(b, "house", "ms")
		for phase, name := range phases {
			lose = phase
			cloud.LoseAt(phase)
			worst := 0.0
			for range each { // a new daemon each time: it keeps away from a cloud that was lost twice
				k.begin(env...)
				if doc := turn(); phase < llmtest.RealtimeAtSpeech {
					worst = max(worst, house(doc)-home[len(home)/2])
				} else {
					worst = max(worst, k.told(doc))
				}
				check(b, k.Stop())
			}
			b.ReportMetric(worst, name+"-worst-ms")
		}
	}
	b.ReportMetric(0, "ns/op")
}

// told is how many milliseconds after its first sound a turn says that the cloud was
// lost.
func (k *kitchen) told(doc Turn) float64 {
	k.t.Helper()
	if doc.Reason != "cloud_lost" {
		k.t.Fatalf("%+v", doc)
	}
	k.diary.mu.Lock()
	defer k.diary.mu.Unlock()
	var sounds, told time.Time
	for _, h := range k.diary.all {
		switch {
		case h.Turn != doc.ID:
		case h.Type == "state" && h.To == "speaking":
			sounds = h.Time
		case h.Type == "said":
			told = h.Time
		}
	}
	return told.Sub(sounds).Seconds() * 1000
}
