package daemon

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"hearthd/audio"
	"hearthd/audio/aec"
	"hearthd/daemon/control"
)

const (
	// meterFrames make one reading, 100 ms.
	meterFrames = 5
	// meterQueue is how many readings may wait for a slow reader.
	meterQueue = 10
	// silentDBFS is the level of digital silence, as in package vad.
	silentDBFS = -96
	// fullScale is where a converter that clips ends; some stop one short of it.
	fullScale = 32766
	maxWords  = 32 // scores in a reading; more are left out
)

// meter shows what the microphone gives to those who look. The listen goroutine
// calls look, which costs one atomic load while nobody does.
type meter struct {
	ears     *ears
	watchers atomic.Pointer[[]chan reading]
	mu       sync.Mutex // held to change the list, which is copied

	// The listen goroutine's only:
	now     reading
	n       int // frames in now
	at      audio.Position
	scratch [maxWords]float32
}

// reading is a control.Meter without pointers, as it crosses to the one who looks.
type reading struct {
	at                         audio.Position
	level, quiet, peak, speech float32
	floor                      float32
	wave                       [meterFrames][3]int8
	clipped                    int
	held                       bool
	gain                       float32
	echo                       aec.Reading
	scores                     [maxWords]float32
	words                      int
}

// look takes a frame that the front end has had.
func (m *meter) look(near *audio.Frame, held bool) {
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
	if m.n++; m.n < meterFrames {
		return
	}
	m.n = 0
	m.now.at = m.at
	if l := m.ears.leveller; l != nil {
		m.now.gain = l.Reading().Gain
	}
	if c := m.ears.canceller; c != nil {
		m.now.echo = c.Reading()
	}
	m.now.words = copy(m.now.scores[:], m.ears.scores(m.scratch[:0]))
	for _, c := range *list {
		select {
		case c <- m.now:
		default: // it does not keep up
		}
	}
}

func (m *meter) measure(near *audio.Frame, held bool) {
	r := &m.now
	var sum int64
	top := 0
	for _, s := range near {
		v := max(int(s), -int(s))
		sum += int64(v) * int64(v)
		top = max(top, v)
		if v >= fullScale {
			r.clipped++
		}
	}
	front := m.ears.front.Reading()
	probability := front.Probability
	r.floor = front.Floor
	level := dbfs(float64(sum) / audio.FrameSamples)
	r.level = max(r.level, level)
	r.quiet = min(r.quiet, level)
	r.peak = max(r.peak, dbfs(float64(top)*float64(top)))
	if held {
		r.held = true
	} else {
		r.speech = max(r.speech, probability)
	}
	r.wave[m.n] = shape(top, probability, m.ears.front.Open(), held)
}

// shape is a frame as control.Meter shows it; top is its highest sample.
func shape(top int, probability float32, open, held bool) [3]int8 {
	var what int8
	if open {
		what |= control.WaveOpen
	}
	if held {
		what, probability = what|control.WaveHeld, 0
	}
	return [3]int8{int8(dbfs(float64(top) * float64(top))), int8(100 * probability), what}
}

// dbfs is the level of a mean square of samples.
func dbfs(square float64) float32 {
	return float32(max(silentDBFS, 10*math.Log10(square/(1<<30))))
}

// watch gives readings until ctx ends.
func (m *meter) watch(ctx context.Context) <-chan control.Meter {
	in, out := make(chan reading, meterQueue), make(chan control.Meter)
	m.change(func(list []chan reading) []chan reading { return append(list, in) })
	names := m.ears.scoredNames()
	go func() {
		defer m.change(func(list []chan reading) []chan reading {
			return slices.DeleteFunc(list, func(c chan reading) bool { return c == in })
		})
		for {
			select {
			case <-ctx.Done():
				return
			case r := <-in:
				select {
				case out <- m.told(&r, names):
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return out
}

// change replaces the list, so that look needs no lock.
func (m *meter) change(by func([]chan reading) []chan reading) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []chan reading
	if old := m.watchers.Load(); old != nil {
		list = slices.Clone(*old)
	}
	list = by(list)
	m.watchers.Store(&list)
}

// told is r for those who look; names are those of its scores.
func (m *meter) told(r *reading, names []string) control.Meter {
	t := control.Meter{
		At: r.at.Duration().Seconds(), Level: r.level, Quiet: r.quiet, Peak: r.peak,
		Clipped: r.clipped, Speech: r.speech, Held: r.held, Floor: r.floor, Wave: slices.Clone(r.wave[:]),
	}
	if m.ears.leveller != nil {
		t.Gain = &r.gain
	}
	if m.ears.canceller != nil {
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

// echoText is what a canceller says of itself, for those who look.
func echoText(r aec.Reading) *control.MeterEcho {
	e := &control.MeterEcho{Active: r.Active, Good: r.Good, Suppression: float32(r.ERLE), DriftPPM: float32(r.DriftPPM)}
	if r.DelayKnown {
		ms := float32(r.Delay.Duration().Seconds() * 1000)
		e.DelayMS = &ms
	}
	return e
}
