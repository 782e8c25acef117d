package audio

import "time"

const (
	// A converter that clips ends at full scale; some stop one short of it.
	fullScale = 32766

	// Speech with one sample in a thousand at full scale sounds harsh and confuses
	// detectors; a door that slams once is less than that of ten seconds.
	clipWindow  = 10 * time.Second
	clipBlock   = 500 * time.Millisecond
	clipBlocks  = int(clipWindow / clipBlock)
	clipsBegin  = Rate * int(clipWindow/time.Second) / 1000
	clipsEnd    = clipsBegin / 10
	clipFrames  = int(clipBlock / FrameDuration)
	deadDBFS    = -90 // one bit of 16; the quietest microphone hisses at -80
	deadFrames  = int(5 * time.Second / FrameDuration)
	aliveFrames = int(100 * time.Millisecond / FrameDuration)
)

// MonitorReading is what a Monitor knows as of the last frame.
type MonitorReading struct {
	Level, Floor float32 // of the frame and of the noise under it, RMS in dBFS, without DC
	Peak         float32 // of the frame's samples, dBFS
	Clipped      float32 // share of the samples of the last 10 s that are at full scale
	// Clipping holds from one sample in a thousand on, until there is less than one
	// in ten thousand.
	Clipping bool
	// Silent holds when there has been nothing above -90 dBFS, constant DC aside, for
	// 5 s: a microphone that is muted, dead or not plugged in. It ends with 100 ms of
	// sound.
	Silent bool
}

// Monitor reports whether a microphone works. It must see what the device delivered: a canceller
// hides clipping and may leave silence behind. It belongs to one goroutine and allocates nothing.
type Monitor struct {
	meter  Meter
	peak   int
	silent bool
	quiet  int // frames in a row that speak for the other state

	clips    [clipBlocks]int // samples at full scale, oldest at block+1
	block    int
	frames   int // in this block
	clipped  int // sum of clips
	clipping bool
}

// NewMonitor returns a Monitor of a microphone that counts as working.
func NewMonitor() *Monitor { return &Monitor{} }

func (m *Monitor) String() string { return "monitor of the level" }

// Push takes the next frame as the device delivered it.
func (m *Monitor) Push(f *Frame) {
	var squares, sum int64
	low, high, clips := int16(0), int16(0), 0
	for _, s := range f {
		sum += int64(s)
		squares += int64(s) * int64(s)
		low, high = min(low, s), max(high, s)
		if s >= fullScale || s <= -fullScale {
			clips++
		}
	}
	m.peak = max(int(high), -int(low))
	m.meter.push(float64(squares)-float64(sum)*float64(sum)/FrameSamples, FrameSamples)
	m.live(m.meter.level)
	m.count(clips)
}

// live follows whether there is any sound at all.
func (m *Monitor) live(level float32) {
	if (level < deadDBFS) == m.silent {
		m.quiet = 0
		return
	}
	limit := deadFrames
	if m.silent {
		limit = aliveFrames
	}
	if m.quiet++; m.quiet >= limit {
		m.silent, m.quiet = !m.silent, 0
	}
}

// count takes the samples at full scale of one frame.
func (m *Monitor) count(clips int) {
	if m.frames == clipFrames {
		m.frames = 0
		m.block = (m.block + 1) % clipBlocks
		m.clipped -= m.clips[m.block]
		m.clips[m.block] = 0
	}
	m.frames++
	m.clips[m.block] += clips
	m.clipped += clips
	switch {
	case m.clipped > clipsBegin:
		m.clipping = true
	case m.clipped < clipsEnd:
		m.clipping = false
	}
}

// Reading is what is known as of the last frame. It belongs to the goroutine that
// pushes.
func (m *Monitor) Reading() MonitorReading {
	return MonitorReading{
		Level: m.meter.Level(), Floor: m.meter.Floor(), Peak: dbfs(float64(m.peak) * float64(m.peak)),
		Clipped:  float32(m.clipped) / float32(Rate*int(clipWindow/time.Second)),
		Clipping: m.clipping, Silent: m.silent,
	}
}
