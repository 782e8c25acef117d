package vad

import (
	"math"

	"hearthd/audio"
)

// Reading is what a level meter shows, in dBFS (0 is a full-scale square wave).
type Reading struct {
	Level       float32 // RMS of the last frame
	Floor       float32 // noise floor
	Probability float32 // of the detector's last frame
}

const (
	silentDBFS = -96 // below one bit of 16, where the logarithm stops

	// The floor follows a fall within about 100 ms and rises 3 dB per second:
	// a sentence of 3 s moves the reading by less than a step of a meter that
	// a person would notice, a fan that is switched on shows within seconds.
	floorFall = 0.2
	floorRise = 3 * float32(audio.FrameSamples) / audio.Rate
)

// meter measures level and noise floor, one frame at a time.
type meter struct {
	level, floor float32
	began        bool
}

func (m *meter) push(f *audio.Frame) {
	var sum int64
	for _, s := range f {
		sum += int64(s) * int64(s)
	}
	m.level = silentDBFS
	if sum > 0 {
		m.level = max(silentDBFS, float32(10*math.Log10(float64(sum)/audio.FrameSamples/(1<<30))))
	}
	switch {
	case !m.began:
		m.floor, m.began = m.level, true
	case m.level < m.floor:
		m.floor += floorFall * (m.level - m.floor)
	default:
		m.floor = min(m.level, m.floor+floorRise)
	}
}

func (m *meter) reset() { *m = meter{level: silentDBFS, floor: silentDBFS} }
