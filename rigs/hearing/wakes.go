package hearing

import (
	"math"
	"math/rand/v2"
	"time"

	"hearthd/audio"
	"hearthd/rigs/hearing/bed"
)

// Wakes is how a wake word was heard.
type Wakes struct {
	Said, Missed int
	Late         Times // from the end of the word to its detection
}

// aroundWord is the sound before and after a wake word in seconds.
const aroundWord = 1.5

// Wake lets each of said be the wake word name, once, in the room, over noise,
// which may be nil, snr dB below it.
func Wake(e Ears, name string, said []bed.Speech, noise *bed.Noise, snr float64) (Wakes, error) {
	const level = -30 // dBFS
	response := bed.Kitchen().Response([3]float64{1.6, 1.1, 1.4}, [3]float64{2.9, 2.1, 1}, 2)
	var near []float64
	var turns []bed.Turn
	for _, s := range said {
		from := len(near) + aroundWord*audio.Rate
		turns = append(turns, bed.Turn{From: from, To: from + len(s.Sound)})
		part := make([]float64, len(s.Sound)+2*aroundWord*audio.Rate)
		gain := math.Pow(10, level/20.0) / math.Sqrt(s.Power())
		for i, v := range s.Sound {
			part[aroundWord*audio.Rate+i] = gain * v
		}
		near = append(near, bed.Convolve(part, response)...)
	}
	if noise != nil {
		under := math.Pow(10, (level-snr)/20)
		for i, v := range noise.Make(len(near), seed(name)) {
			near[i] += under * v
		}
	}
	h, err := listen(e, bed.Microphone(near, -65, 1), nil)
	if err != nil {
		return Wakes{}, err
	}
	w := Wakes{Said: len(said)}
	for _, t := range turns {
		found := false
		for _, d := range h.words {
			if d.name == name && d.decided > span(t.From) && d.decided < span(t.To)+time.Second {
				found = true
				w.Late = append(w.Late, d.decided-span(t.To))
				break
			}
		}
		if !found {
			w.Missed++
		}
	}
	return w, nil
}

// Radio counts the wake words that are heard in talk without any: people one
// after the other, without music, at the usual level.
func Radio(e Ears, people []bed.Speech, length time.Duration) (map[string]int, error) {
	r := rand.New(rand.NewPCG(7, 0x4ad10))
	x := bed.Programme(int(audio.Samples(length)), people, r)
	return Imagine(e, bed.Microphone(x, -65, 1))
}

// Imagine counts the wake words that are heard in a sound without any.
func Imagine(e Ears, near []int16) (map[string]int, error) {
	h, err := listen(e, near, nil)
	count := make(map[string]int)
	for _, d := range h.words {
		count[d.name]++
	}
	return count, err
}
