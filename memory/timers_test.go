package memory

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// BenchmarkRing is the cost of writing down that timers ring, in one commit that
// reaches the disk: what a ring waits for. It reports the 99th of 100 too.
func BenchmarkRing(b *testing.B) {
	for _, n := range []int{1, 20, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := openNew(b)
			list := make([]Timer, n)
			ids, err := s.AddTimers(b.Context(), list...)
			if err != nil {
				b.Fatal(err)
			}
			for i := range list {
				list[i].ID = ids[i]
			}
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				for i := range list {
					list[i].Rang = began
				}
				if err := s.ChangeTimers(b.Context(), list, nil); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
			b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "worst-ms")
		})
	}
}
