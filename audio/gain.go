package audio

import "sync/atomic"

// gainRamp is the time of a change over the full range. Two periods of 400 Hz:
// long enough that a change makes no click, too short to be heard as a fade.
const gainRamp = 0.005 // seconds

// gain is a volume control. Set may be called from any goroutine; Apply belongs
// to one.
type gain struct {
	percent atomic.Int32
	now     float32 // factor of the last sample
}

// newGain returns a gain that stands at percent from its first sample on.
func newGain(percent int) *gain {
	g := &gain{}
	g.Set(percent)
	g.settle()
	return g
}

// Set changes the volume to 0..100 percent; a value outside that range is limited to it. The factor
// moves there over at most 5 ms.
func (g *gain) Set(percent int) {
	g.percent.Store(int32(min(max(percent, 0), 100)))
}

// Percent is the volume that was set.
func (g *gain) Percent() int { return int(g.percent.Load()) }

// linear is the factor for a volume in percent. The law is cubic, as PulseAudio
// has it (pa_sw_volume_to_linear in src/pulse/volume.c): equal steps sound about
// equal, 100 % is 0 dB, 50 % is -18 dB, 10 % is -60 dB and 0 % is silence.
func linear(percent int) float32 {
	v := float32(percent) / 100
	return v * v * v
}

// apply writes the samples of in, which may be sums beyond the range of S16, at
// the volume into out and holds what is too large at full scale. in is as long
// as out; rate is theirs in samples per second.
func (g *gain) apply(out []int16, in []int32, rate int) {
	in = in[:len(out)]
	target := linear(g.Percent())
	i := 0
	if g.now != target {
		step := 1 / (gainRamp * float32(rate))
		for ; i < len(out) && g.now != target; i++ {
			g.now = toward(g.now, target, step)
			out[i] = saturate(float32(in[i]) * g.now)
		}
	}
	for ; i < len(out); i++ {
		out[i] = saturate(float32(in[i]) * target)
	}
}

// settle ends a change of volume at once, where there is no sound to click.
func (g *gain) settle() { g.now = linear(g.Percent()) }

func toward(from, to, step float32) float32 {
	if from < to {
		return min(from+step, to)
	}
	return max(from-step, to)
}

// saturate rounds v to the nearest sample and holds it at full scale.
func saturate(v float32) int16 {
	if v >= 32767 {
		return 32767
	}
	if v <= -32768 {
		return -32768
	}
	// Made positive, so that truncation rounds to the nearest. 17 bits before
	// the point leave 7 of float32's behind it.
	return int16(int32(v+32768.5) - 32768)
}
