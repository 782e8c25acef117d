package hearing

import (
	"fmt"
	"math"
	"slices"
	"time"

	"hearthd/audio"
	"hearthd/rigs/hearing/bed"
)

// Canceller is a stage that takes far out of near.
type Canceller interface {
	Process(near, far, out *audio.Frame)
}

// Echoes is a way of the speaker's sound to the microphone, by name.
type Echoes struct {
	Name string
	Path bed.Path
}

// echoLevel is the speaker's own voice at its microphone at normal volume, in
// dBFS: a person at a metre and a half is at -36 then.
const echoLevel = -26

// Paths are the ways of the issue: one sound card, two, and one that has an underrun or
// an overrun.
func Paths(length time.Duration) []Echoes {
	response := bed.Kitchen().Response([3]float64{2, 1.4, 1}, [3]float64{2.12, 1.4, 1.04}, 3)
	plain := bed.Path{Response: response, Level: echoLevel, Delay: 70 * time.Millisecond}
	drift := plain
	drift.Drift = 20
	jump := plain
	jump.Jump = 60 * time.Millisecond
	jump.Jumps = []time.Duration{length / 2}
	back := jump
	back.Delay, back.Jump = plain.Delay+jump.Jump, -jump.Jump
	return []Echoes{{"one clock", plain}, {"20 ppm drift", drift}, {"delay jumps by 60 ms", jump}, {"by 60 ms back", back}}
}

// Rooms are ways over one sound card in rooms from carpeted to tiled, the speaker as
// loud at the microphone from a hand's breadth away as from half a metre.
func Rooms() (list []Echoes) {
	mic := [3]float64{2, 1.4, 1}
	for _, rt := range []float64{0.25, 0.45, 0.6, 0.8} {
		for _, far := range []float64{0.1, 0.25, 0.5} {
			room := bed.Kitchen()
			room.RT60 = rt
			list = append(list, Echoes{fmt.Sprintf("%.2f s, %.0f cm", rt, 100*far), bed.Path{
				Response: room.Response([3]float64{mic[0] + far, mic[1], mic[2]}, mic, 3),
				Level:    echoLevel, Delay: 70 * time.Millisecond,
			}})
		}
	}
	return list
}

// Suppression is the ERLE in dB in stretches of the far end's speech.
type Suppression struct {
	After2, After5, After15, Last float64
}

// Suppress measures what a fresh canceller removes while only the speaker speaks:
// 2 to 5 s, 5 to 10 s and 15 to 20 s of its speech after the start, and in the
// last 10 s of it.
func Suppress(c Canceller, e Echoes, answers *bed.Dry) Suppression {
	near, far := bed.Microphone(e.Path.Echo(answers), -68, 1), answers.Played()
	type frame struct{ in, out float64 }
	var frames []frame // while the speaker speaks
	var n, f, out audio.Frame
	for at := 0; at+audio.FrameSamples <= len(near); at += audio.FrameSamples {
		copy(n[:], near[at:])
		copy(f[:], far[at:])
		c.Process(&n, &f, &out)
		if energy(&f) > 320*100*100 { // -50 dBFS
			frames = append(frames, frame{energy(&n), energy(&out)})
		}
	}
	erle := func(from, to int) float64 {
		var in, left float64
		for _, f := range frames[max(0, min(from, len(frames))):max(0, min(to, len(frames)))] {
			in, left = in+f.in, left+f.out
		}
		return 10 * math.Log10(in/math.Max(left, 1))
	}
	const s = int(time.Second / audio.FrameDuration)
	return Suppression{erle(2*s, 5*s), erle(5*s, 10*s), erle(15*s, 20*s), erle(len(frames)-10*s, len(frames))}
}

func energy(f *audio.Frame) float64 {
	sum := 0.0
	for _, v := range f {
		sum += float64(v) * float64(v)
	}
	return sum
}

// Alone is what ears make of the speaker's own voice.
type Alone struct {
	Ducks  int // onsets, of the speaker's voice the ones that came while it sounded
	Cuts   int // of them, the ones with the voice that cuts an answer
	Wakes  int
	Length time.Duration
}

// Over is a noise under what the microphone hears; nil is none.
type Over struct {
	Noise *bed.Noise
	Level float64 // dBFS
}

// on adds the noise to x.
func (o *Over) on(x []float64) []float64 {
	if o != nil {
		gain := math.Pow(10, o.Level/20)
		for i, v := range o.Noise.Make(len(x), seed(o.Noise.Name)) {
			x[i] += gain * v
		}
	}
	return x
}

// Listens takes ears over the speaker's own voice.
func Listens(e Ears, path Echoes, answers *bed.Dry, over *Over) (Alone, error) {
	h, err := listen(e, bed.Microphone(over.on(path.Path.Echo(answers)), -68, 1), answers.Played())
	return alone(h, func(at time.Duration) bool {
		return slices.ContainsFunc(answers.Turns(),
			func(t bed.Turn) bool { return at > span(t.From) && at < span(t.To)+ringing })
	}), err
}

// Waits takes ears over the noise while the speaker is silent.
func Waits(e Ears, over *Over, length time.Duration) (Alone, error) {
	h, err := listen(e, bed.Microphone(over.on(make([]float64, audio.Samples(length))), -68, 1), nil)
	return alone(h, func(time.Duration) bool { return true }), err
}

// ringing is how long after its end an answer may still be taken for a person: its
// delay and the room.
const ringing = 600 * time.Millisecond

func alone(h heard, counts func(onset time.Duration) bool) Alone {
	a := Alone{Wakes: len(h.words), Length: h.length}
	for _, u := range h.utterances {
		if !counts(u.onset) {
			continue
		}
		a.Ducks++
		if u.sustained {
			a.Cuts++
		}
	}
	return a
}

// Interruptions is how people who speak over an answer were heard.
type Interruptions struct {
	Said, Heard, InTime int // InTime within 300 ms
	Late                Times
}

// Interrupt lets people speak over the answers at level dB above the echo. One
// that began before the person did is not theirs. An answer ends half a second
// after the person began, as when it is cut.
func Interrupt(e Ears, path Echoes, answers *bed.Dry, people []bed.Speech, level float64, over *Over) (Interruptions, error) {
	const limit = 300 * time.Millisecond
	answers, turns := bed.Interrupted(answers, people, 5)
	near := path.Path.Echo(answers)
	response := bed.Kitchen().Response([3]float64{0.9, 2.2, 1.5}, [3]float64{2.12, 1.4, 1.04}, 4)
	said := bed.Over(near, turns, response, echoLevel+level)
	h, err := listen(e, bed.Microphone(over.on(near), -68, 1), answers.Played())
	i := Interruptions{Said: len(said)}
	for _, t := range said {
		for _, u := range h.utterances {
			late := u.onset - span(t.From)
			if late < 0 || u.onset > span(t.To) {
				continue
			}
			i.Heard++
			i.Late = append(i.Late, late)
			if late <= limit {
				i.InTime++
			}
			break
		}
	}
	return i, err
}
