package ears

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"hearthd/audio"
	"hearthd/audio/aec"
	"hearthd/daemon/api"
)

const (
	// meterFrames make one reading, 100 ms.
	meterFrames = 5
	// meterQueue is how many readings may wait for a slow reader.
	meterQueue = 10
	// silentDBFS is the level of digital silence, as in package vad.
	silentDBFS = -96
	// fullScale is the value at which a converter that clips ends; some stop one short of it.
	fullScale = 32766
	maxWords  = 32 // scores in a reading; more are left out
	// minuteFrames is how many frames of the wave are kept for a new watcher.
	minuteFrames = 3000
)

// Meter shows watchers what the microphone hears. The listen goroutine calls Look, which,
// while nobody watches, only keeps the wave of the last minute.
type Meter struct {
	front    *FrontEnd
	speaks   func() bool // an answer sounds; nil: none ever does
	watchers atomic.Pointer[[]chan reading]
	past     minute
	mu       sync.Mutex // held to replace the list of watchers

	// The listen goroutine's only:
	now     reading
	n       int // frames in now
	at      audio.Position
	scratch [maxWords]float32
}

// NewMeter makes a meter of what a front end hears. speaks reports whether an answer sounds;
// it may be nil.
func NewMeter(front *FrontEnd, speaks func() bool) *Meter {
	return &Meter{front: front, speaks: speaks}
}

// reading is an api.Meter without pointers, as it is sent to the watchers.
type reading struct {
	at                         audio.Position
	level, quiet, peak, speech float32
	floor                      float32
	wave                       [meterFrames][3]int8
	clipped                    int
	speaks, held               bool
	gain                       float32
	echo                       aec.Reading
	scores                     [maxWords]float32
	words                      int
}

// Look takes a frame after the front end has processed it.
func (m *Meter) Look(near *audio.Frame, held bool) {
	s := m.shape(near, held)
	m.past.add(frameNumber(m.at), s)
	m.at += audio.FrameSamples
	list := m.watchers.Load()
	if list == nil || len(*list) == 0 {
		m.n = 0
		return
	}
	if m.n == 0 {
		m.now = reading{level: silentDBFS, quiet: 0, peak: silentDBFS}
	}
	m.measure(near, held)
	m.now.wave[m.n] = s
	if m.n++; m.n < meterFrames {
		return
	}
	m.n = 0
	m.now.at = m.at
	if l := m.front.leveller; l != nil {
		m.now.gain = l.Reading().Gain
	}
	if c := m.front.canceller; c != nil {
		m.now.echo = c.Reading()
	}
	m.now.words = copy(m.now.scores[:], m.front.scores(m.scratch[:0]))
	for _, c := range *list {
		select {
		case c <- m.now:
		default: // it does not keep up
		}
	}
}

func (m *Meter) measure(near *audio.Frame, held bool) {
	r := &m.now
	var squares, sum int64
	low, high := near[0], near[0]
	for _, s := range near {
		sum += int64(s)
		squares += int64(s) * int64(s)
		low, high = min(low, s), max(high, s)
		if s >= fullScale || s <= -fullScale {
			r.clipped++
		}
	}
	// Cheap sound cards add a direct current, which is inaudible.
	mean := float64(sum) / audio.FrameSamples
	top := max(float64(high)-mean, mean-float64(low))
	r.speaks = r.speaks || m.speaks != nil && m.speaks()
	front := m.front.Front.Reading()
	probability := front.Probability
	r.floor = front.Floor
	level := dbfs(float64(squares)/audio.FrameSamples - mean*mean)
	r.level = max(r.level, level)
	r.quiet = min(r.quiet, level)
	r.peak = max(r.peak, dbfs(top*top))
	if held {
		r.held = true
	} else {
		r.speech = max(r.speech, probability)
	}
}

// shape is the point of the wave for one frame, as in api.Meter.
func (m *Meter) shape(near *audio.Frame, held bool) [3]int8 {
	var what int8
	probability, top := m.front.Front.Reading().Probability, 0
	if m.front.Front.Open() {
		what |= api.WaveOpen
	}
	if held {
		what, probability = what|api.WaveHeld, 0
	}
	for _, s := range near {
		top = max(top, int(s), -int(s))
	}
	return [3]int8{int8(dbfs(float64(top) * float64(top))), int8(100 * probability), what}
}

// minute is the wave of the last minute. The listen goroutine adds to it; a new watcher reads
// it, a few readings behind.
type minute struct {
	// Frame n is at index n modulo the length, with a byte for each value.
	shapes [minuteFrames + (meterQueue+2)*meterFrames]atomic.Uint32
}

// frameNumber is the number of the frame that begins at a position. An int of 32 bits would
// overflow after 16 months.
func frameNumber(at audio.Position) int64 { return int64(at / audio.FrameSamples) }

func (p *minute) add(n int64, s [3]int8) {
	p.shapes[n%int64(len(p.shapes))].Store(uint32(uint8(s[0])) | uint32(uint8(s[1]))<<8 | uint32(uint8(s[2]))<<16)
}

// before is the wave of the minute before frame n.
func (p *minute) before(n int64) [][3]int8 {
	wave := make([][3]int8, 0, min(n, minuteFrames))
	for i := n - int64(cap(wave)); i < n; i++ {
		v := p.shapes[i%int64(len(p.shapes))].Load()
		wave = append(wave, [3]int8{int8(v), int8(v >> 8), int8(v >> 16)})
	}
	return wave
}

// dbfs is the level of a mean square of samples.
func dbfs(square float64) float32 {
	return float32(max(silentDBFS, 10*math.Log10(max(square, 0)/(1<<30))))
}

// Watch returns readings until ctx ends, ten a second. The first has the wave of the last minute.
func (m *Meter) Watch(ctx context.Context) <-chan api.Meter {
	in, out := make(chan reading, meterQueue), make(chan api.Meter)
	m.change(func(list []chan reading) []chan reading { return append(list, in) })
	names := m.front.scoredNames()
	go func() {
		defer m.change(func(list []chan reading) []chan reading {
			return slices.DeleteFunc(list, func(c chan reading) bool { return c == in })
		})
		for first := true; ; first = false {
			select {
			case <-ctx.Done():
				return
			case r := <-in:
				t := m.told(&r, names)
				if first {
					t.Wave = m.past.before(frameNumber(r.at))
				}
				select {
				case out <- t:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return out
}

// change replaces the list of watchers, so that Look needs no lock.
func (m *Meter) change(by func([]chan reading) []chan reading) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []chan reading
	if old := m.watchers.Load(); old != nil {
		list = slices.Clone(*old)
	}
	list = by(list)
	m.watchers.Store(&list)
}

// told is r as an api.Meter; names are those of its scores.
func (m *Meter) told(r *reading, names []string) api.Meter {
	t := api.Meter{
		At: r.at.Duration().Seconds(), Level: r.level, Quiet: r.quiet, Peak: r.peak,
		Clipped: r.clipped, Speech: r.speech, Speaks: r.speaks, Held: r.held, Floor: r.floor,
		Wave: slices.Clone(r.wave[:]),
	}
	if m.front.leveller != nil {
		t.Gain = &r.gain
	}
	if m.front.canceller != nil {
		t.Echo = echoText(r.echo)
	}
	for i, p := range r.scores[:min(r.words, len(names))] {
		if t.Wake == nil {
			t.Wake = make(map[string]float32)
		}
		t.Wake[names[i]] = p
	}
	return t
}

// echoText is the state of a canceller as an api.MeterEcho.
func echoText(r aec.Reading) *api.MeterEcho {
	e := &api.MeterEcho{Active: r.Active, Good: r.Good, Suppression: float32(r.ERLE), DriftPPM: float32(r.DriftPPM)}
	if r.DelayKnown {
		ms := float32(r.Delay.Duration().Seconds() * 1000)
		e.DelayMS = &ms
	}
	return e
}
