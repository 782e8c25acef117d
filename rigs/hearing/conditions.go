package hearing

import (
	"fmt"
	"hash/fnv"

	"hearthd/audio"
	"hearthd/rigs/hearing/bed"
)

// SNRs are the levels of the noise below speech, in dB.
func SNRs() []float64 { return []float64{20, 10, 5, 0} }

// TrackSeconds is the length of one conversation: about eight sentences.
const TrackSeconds = 40

// Condition is one way in which speech reaches the microphone.
type Condition struct {
	Noise string // empty: none
	Talk  bool   // people speak in the noise
	SNR   float64
	Room  bool
	Track *bed.Track
}

// Name is the condition as a report shows it.
func (c Condition) Name() string {
	if c.Noise == "" {
		return "clean"
	}
	return fmt.Sprintf("%g dB", c.SNR)
}

// Place is the condition without the noise's kind.
func (c Condition) Place() string {
	if c.Room {
		return c.Name() + ", room"
	}
	return c.Name()
}

// Places are all there are, in the order of a report.
func Places() []string {
	var list []string
	for _, room := range []bool{false, true} {
		list = append(list, Condition{Room: room}.Place())
		for _, snr := range SNRs() {
			list = append(list, Condition{Noise: "any", SNR: snr, Room: room}.Place())
		}
	}
	return list
}

// Conditions mixes the sentences with each noise at each level, with and without
// a room, and hands them out one by one, for all together are large. Each noise
// has a conversation of that many seconds and a level of its own.
func Conditions(people []bed.Speech, noises []bed.Noise, seconds int, each func(Condition) error) error {
	room := bed.Kitchen()
	rooms := [][]float64{nil, room.Response([3]float64{1.2, 0.8, 1.5}, [3]float64{3.3, 2.2, 1}, 1)}
	clean := append([]bed.Noise{{}}, noises...)
	for i, noise := range clean {
		talk := bed.Converse(people, float64(seconds), seed(noise.Name))
		level := -24 - 8*float64(i%3) // dBFS: near, usual, far
		var sound []float64
		if noise.Make != nil {
			sound = noise.Make(seconds*audio.Rate, seed(noise.Name))
		}
		for r, response := range rooms {
			heard := talk
			if response != nil {
				heard = talk.In(response)
			}
			for _, snr := range SNRs() {
				c := Condition{Noise: noise.Name, Talk: noise.Talk, SNR: snr, Room: r > 0}
				c.Track = heard.Heard(level, sound, snr)
				if err := each(c); err != nil {
					return err
				}
				if sound == nil {
					break
				}
			}
		}
	}
	return nil
}

// seed is the same for the same name on every machine.
func seed(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}
