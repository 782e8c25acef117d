package audio

import (
	"slices"
	"sync/atomic"
)

const (
	// trackSamples is the buffer of a Track: 1.4 s at 48 kHz, so that an earcon
	// fits whole and a synthesiser may pause for breath. Cut empties it at once,
	// so its length costs no reaction time.
	trackSamples = 1 << 16

	// mixBlock is what Mix sums at a time.
	mixBlock = 512
)

// Mixer sums the tracks of the speaker. The device thread calls Mix; everything
// else may be called from any goroutine.
type Mixer struct {
	tracks               [3]*Track // the three below
	voice, earcon, media *Track
	gain                 *gain
	rate                 atomic.Int32
	latency              atomic.Int32
	clock                atomic.Int64  // samples mixed since the Mixer was made
	device               atomic.Uint32 // how often SetRate was called
	tap                  atomic.Pointer[Reference]

	seen uint32     // device that Mix last played to
	last *Reference // tap that Mix last wrote to
	sum  [mixBlock]int32
	in   [mixBlock]int16
}

// NewMixer makes a Mixer without a device, at a volume in percent.
func NewMixer(volume int) *Mixer {
	m := &Mixer{gain: newGain(volume)}
	m.voice, m.earcon, m.media = newTrack(m, voiceFade()), newTrack(m, voiceFade()), newTrack(m, mediaFade())
	m.tracks = [...]*Track{m.voice, m.earcon, m.media}
	return m
}

// Voice is the track of what hearthd says.
func (m *Mixer) Voice() *Track { return m.voice }

// Earcon is the track of short sounds. It is heard together with the voice.
func (m *Mixer) Earcon() *Track { return m.earcon }

// Media is the track of radio and music. It is heard beneath the voice.
func (m *Mixer) Media() *Track { return m.media }

// SetVolume sets the volume of everything, 0..100 percent by the law of Gain.
func (m *Mixer) SetVolume(percent int) { m.gain.Set(percent) }

// Volume is the volume in percent.
func (m *Mixer) Volume() int { return m.gain.Percent() }

// SetRate says that a device at hz samples per second takes over, or with 0
// that there is none. What was queued for the device before is discarded and
// its generations end with ErrNoDevice: it has another rate, or nobody heard it.
// The caller calls SetRate(0) when Mix is not called any more, and SetRate(hz)
// before it is called.
func (m *Mixer) SetRate(hz int) {
	m.rate.Store(0) // a generation that begins from here on has no device
	for _, t := range m.tracks {
		t.lose()
	}
	m.device.Add(1)
	m.rate.Store(int32(hz))
}

// Rate is the rate of the device, or 0 when there is none. A producer asks for
// it after Begin: if it changes later, the generation has ended.
func (m *Mixer) Rate() int { return int(m.rate.Load()) }

// SetLatency sets the time from Mix to the ear, in samples at Rate.
func (m *Mixer) SetLatency(samples int) { m.latency.Store(int32(samples)) }

// Waiting reports whether there are samples for the next Mix, or some that were mixed and not heard yet.
func (m *Mixer) Waiting() bool {
	return slices.ContainsFunc(m.tracks[:], (*Track).waiting)
}

// Mix fills out with the next samples of all tracks: silence where there are
// none. It takes no lock, allocates nothing, and never waits. One thread at a
// time calls it.
func (m *Mixer) Mix(out []int16) {
	rate := m.Rate()
	if rate == 0 {
		clear(out)
		return
	}
	if d := m.device.Load(); d != m.seen {
		m.seen = d
		for _, t := range m.tracks {
			t.restart()
		}
		m.last = nil
	}
	tap := m.tap.Load()
	if tap != m.last && tap != nil {
		tap.open(rate)
	}
	m.last = tap
	for len(out) > 0 {
		n := min(len(out), mixBlock)
		sum := m.sum[:n]
		clear(sum)
		now := m.clock.Load()
		sounds := false
		for _, t := range m.tracks {
			sounds = t.mix(sum, m.in[:n], now, rate) || sounds
		}
		if sounds {
			m.gain.apply(out[:n], sum, rate)
		} else { // most of the day
			m.gain.settle()
			clear(out[:n])
		}
		if tap != nil {
			tap.ring.Write(out[:n])
		}
		m.clock.Store(now + int64(n))
		out = out[n:]
	}
	for _, t := range m.tracks {
		t.wake()
	}
}
