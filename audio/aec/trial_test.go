package aec

import (
	"context"
	"math"
	"syscall"
	"testing"
	"time"

	"hearthd/audio"
	"hearthd/rigs/hearing/bed"
)

// canceller is what a trial measures.
type canceller interface {
	Process(near, far, out *audio.Frame)
}

// trial is a scene of real voices with a name.
type trial struct {
	name string
	room room
	over bool // a person speaks from 10 s to 20 s, as loud as the echo
}

func trials() []trial {
	m := room{rt60: 0.45, delay: 1120, level: -26, seed: 1}
	with := func(change func(*room)) room {
		n := m
		change(&n)
		return n
	}
	return []trial{
		{name: "kitchen", room: m},
		{name: "dry-20ms", room: with(func(m *room) { m.rt60, m.delay = 0.2, 320 })},
		{name: "wet-200ms", room: with(func(m *room) { m.rt60, m.delay = 0.6, 3200 })},
		{name: "distorted", room: with(func(m *room) { m.drive = 6 })},
		{name: "drift-20ppm", room: with(func(m *room) { m.drift = 20e-6 })},
		{name: "drift-100ppm", room: with(func(m *room) { m.drift = -100e-6 })},
		{name: "jump-60ms", room: with(func(m *room) { m.jump, m.jumpAt = 960, 20*audio.Rate })},
		{name: "person", room: m, over: true},
		{name: "person-drift", room: with(func(m *room) { m.drift = 20e-6 }), over: true},
	}
}

const trialSeconds = 30

// numbers are what a trial has shown.
type numbers struct {
	after          [4]float64 // ERLE in dB from 1, 2, 5 and 15 s on, to the next
	recovery       float64    // seconds after the jump until ERLE is 15 dB for a quarter of a second
	before, stoi   float64    // intelligibility of the person: as it came, and cancelled
	snrIn, snr     float64    // the same as segmental signal-to-noise ratio in dB
	active, asleep float64    // CPU time in ms per second of audio, while the speaker plays and not
}

// says is seconds of sentences of v, one after the other, at an RMS of -20 dBFS.
func says(t testing.TB, v bed.Voice, seconds int) []float64 {
	list, err := bed.Say(context.Background(), v, bed.Manner{}, v.Text...)
	if err != nil {
		t.Skipf("no voice %s from %s: %v", v.Name, v.Engine, err)
	}
	x := make([]float64, seconds*audio.Rate)
	for at, i := 0, 0; at < len(x); i++ {
		at += copy(x[at:], list[i%len(list)].Sound) + audio.Rate/5
	}
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	scale(x, 0.1/math.Sqrt(sum/float64(len(x))))
	return x
}

// scene builds the trial.
func (tr trial) scene(t testing.TB) *scene {
	s := plays(says(t, bed.Own(), trialSeconds), tr.room)
	if tr.over {
		awb := bed.Voices()[6]
		voice := room{rt60: 0.45, level: -26, seed: 8}.echo(says(t, awb, trialSeconds))
		s.person = make([]float64, len(voice))
		for i := 10 * audio.Rate; i < 20*audio.Rate; i++ {
			s.person[i] = voice[i] * 32768
		}
	}
	return s
}

// run gives the trial to c, whose output is so many samples later.
func (tr trial) run(s *scene, c canceller, late int) (n numbers) {
	out := make([]float64, len(s.far))
	began := cpuTime()
	var near, far, left audio.Frame
	for at := 0; at+audio.FrameSamples <= len(s.far); at += audio.FrameSamples {
		for i := range near {
			near[i], far[i] = round(s.near(at+i)), round(s.far[at+i])
		}
		c.Process(&near, &far, &left)
		for i, v := range left {
			if j := at + i - late; j >= 0 {
				out[j] = float64(v)
			}
		}
	}
	n.active = 1000 * (cpuTime() - began).Seconds() / trialSeconds
	for i, from := range []float64{1, 2, 5, 15} {
		n.after[i] = s.erle(out, from, []float64{2, 5, 15, 30}[i])
	}
	if tr.room.jump != 0 {
		n.recovery = s.recovery(out, 20)
	}
	if tr.over {
		a, b := 10*audio.Rate, 20*audio.Rate
		raw := make([]float64, b)
		for i := range raw {
			raw[i] = s.near(i)
		}
		n.before, n.stoi = intelligibility(s.person[a:b], raw[a:b]), intelligibility(s.person[a:b], out[a:b])
		n.snrIn, n.snr = segmental(s.person[a:b], raw[a:b]), segmental(s.person[a:b], out[a:b])
	}
	clear(far[:])
	for range 100 { // the echo dies away
		c.Process(&near, &far, &left)
	}
	began = cpuTime()
	for range 1500 {
		c.Process(&near, &far, &left)
	}
	n.asleep = 1000 * (cpuTime() - began).Seconds() / 30
	return n
}

// cpuTime is what this process has used. A machine that does something else
// meanwhile does not change it much.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano())
}

// recovery is how long after second at the ERLE is 15 dB again.
func (s *scene) recovery(out []float64, at float64) float64 {
	for t := at; t < at+8; t += 0.02 {
		if s.erle(out, t, t+0.25) >= 15 {
			return t - at
		}
	}
	return math.Inf(1)
}

// segmental is the signal-to-noise ratio of x in dB, the mean over frames of 20 ms
// in which ref is above -50 dBFS, each within -10 to 35.
func segmental(ref, x []float64) float64 {
	sum, n := 0.0, 0
	for at := 0; at+block <= len(ref); at += block {
		var s, d float64
		for i := at; i < at+block; i++ {
			s += ref[i] * ref[i]
			d += (x[i] - ref[i]) * (x[i] - ref[i])
		}
		if s > block*100*100 {
			sum += max(-10, min(35, 10*math.Log10(s/d)))
			n++
		}
	}
	return sum / float64(n)
}
