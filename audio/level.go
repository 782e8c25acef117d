package audio

import "math"

// SilentDBFS is the level of digital silence: below one bit of 16, where the
// logarithm stops.
const SilentDBFS = -96

// The floor follows a fall within about 100 ms and rises 3 dB per second: a
// sentence of 3 s moves the reading by less than a step of a meter that a person
// would notice, a fan that is switched on shows within seconds.
const (
	floorFall = 10 // of the difference, per second
	floorRise = 3  // dB per second
)

// Meter measures a stream block by block. Levels are RMS in dBFS: 0 is a
// full-scale square wave. The zero value is ready. It belongs to one goroutine.
type Meter struct {
	level, floor float32
	began        bool
}

// Push takes the next samples of the stream, of which there is at least one.
func (m *Meter) Push(samples []int16) {
	var sum int64
	for _, s := range samples {
		sum += int64(s) * int64(s)
	}
	m.push(float64(sum), len(samples))
}

// push takes the sum of the squares of n samples.
func (m *Meter) push(squares float64, n int) {
	m.level = dbfs(squares / float64(n))
	took := float32(n) / Rate // seconds
	switch {
	case !m.began:
		m.floor, m.began = m.level, true
	case m.level < m.floor:
		m.floor += min(1, floorFall*took) * (m.level - m.floor)
	default:
		m.floor = min(m.level, m.floor+floorRise*took)
	}
}

// Level is that of the last block.
func (m *Meter) Level() float32 {
	if !m.began {
		return SilentDBFS
	}
	return m.level
}

// Floor is the noise under the stream.
func (m *Meter) Floor() float32 {
	if !m.began {
		return SilentDBFS
	}
	return m.floor
}

// dbfs is the level of a mean square of samples.
func dbfs(square float64) float32 {
	if square <= 0 {
		return SilentDBFS
	}
	return float32(max(SilentDBFS, 10*math.Log10(square/(1<<30))))
}
