package aec

import (
	"testing"

	"hearthd/audio"
)

// BenchmarkTrial measures how well the canceller works, once; README.md has the
// table, with speexdsp beside it. It needs flite and its voices.
func BenchmarkTrial(b *testing.B) {
	for _, tr := range trials() {
		b.Run(tr.name, func(b *testing.B) {
			s := tr.scene(b)
			var n numbers
			for b.Loop() {
				n = tr.run(s, New(), int(Latency))
			}
			b.ReportMetric(0, "ns/op")
			for i, unit := range []string{"dB@1s", "dB@2s", "dB@5s", "dB@15s"} {
				b.ReportMetric(n.after[i], unit)
			}
			b.ReportMetric(n.active, "ms/s")
			b.ReportMetric(n.asleep, "ms/s-idle")
			if tr.room.jump != 0 {
				b.ReportMetric(n.recovery, "s-to-recover")
			}
			if tr.over {
				b.ReportMetric(n.before, "STOI-before")
				b.ReportMetric(n.stoi, "STOI")
				b.ReportMetric(n.snr-n.snrIn, "dB-SNR-gained")
			}
		})
	}
}

func BenchmarkFrame(b *testing.B) {
	s := plays(babble(4, 180, 1), kitchen())
	for name, from := range map[string]int{"active": 0, "idle": 3} {
		b.Run(name, func(b *testing.B) {
			c := New()
			var near, far, out [200]audio.Frame
			for at := range near {
				for i := range audio.FrameSamples {
					j := at*audio.FrameSamples + i
					near[at][i] = round(s.near(j))
					if from == 0 {
						far[at][i] = round(s.far[j])
					}
				}
			}
			i := 0
			for b.Loop() {
				c.Process(&near[i%200], &far[i%200], &out[0])
				i++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)*50/1e6, "ms/s")
		})
	}
}
