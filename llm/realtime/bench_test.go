package realtime

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"testing"
	"time"

	"hearthd/rigs/llmtest"
)

// BenchmarkCommit says how long after the end of a request the server has been asked
// for a response, and how long after its first audio that is here. The goals, of which
// the dialogue and the speaker have their parts, are 10 ms and 40 ms.
func BenchmarkCommit(b *testing.B) {
	created := make(chan time.Time, 1)
	server := llmtest.NewRealtime(b, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		created <- time.Now()
		return llmtest.RealtimeAnswer{Text: "yes"}
	})
	c, err := New(ClientOptions{
		Options: Options{URL: server.URL, Model: "gpt-realtime", Log: slog.New(slog.NewTextHandler(io.Discard, nil))},
		Idle:    time.Minute, Changed: func(error) {}, Persona: func(context.Context) Persona { return Persona{} },
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-done; err != nil {
			b.Error(err)
		}
	}()
	var asked, heard []time.Duration
	for b.Loop() {
		turn, err := c.Open(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if err := turn.Write(make([]int16, 16000)); err != nil {
			b.Fatal(err)
		}
		ended := time.Now()
		if err := turn.Commit(); err != nil {
			b.Fatal(err)
		}
		at := <-created
		asked = append(asked, at.Sub(ended))
		first := true
		for d, err := range turn.Answer(b.Context(), limit, limit) {
			if err != nil {
				b.Fatal(err)
			}
			if first && len(d.Audio) > 0 {
				first = false
				heard = append(heard, time.Since(at))
			}
		}
	}
	for name, list := range map[string][]time.Duration{"commit-to-response": asked, "delta-to-client": heard} {
		slices.Sort(list)
		b.ReportMetric(list[len(list)/2].Seconds()*1000, name+"-median-ms")
		b.ReportMetric(list[(len(list)*99+99)/100-1].Seconds()*1000, name+"-p99-ms")
		b.ReportMetric(list[len(list)-1].Seconds()*1000, name+"-worst-ms")
	}
}
