package bed

import (
	"math"
	"math/rand/v2"

	"hearthd/audio"
)

// soundSpeed in metres per second at 20 °C.
const soundSpeed = 343

// Room is a box with plain walls.
type Room struct {
	Size [3]float64 // metres
	RT60 float64    // seconds until sound has fallen by 60 dB
}

// Kitchen is tiles and glass; Den has a carpet and curtains.
func Kitchen() Room { return Room{[3]float64{4.2, 3.1, 2.5}, 0.45} }
func Den() Room     { return Room{[3]float64{5.5, 4.4, 2.5}, 0.25} }

// Response is what the microphone at to hears of a click at from: the direct
// sound and the reflections up to the third order as image sources (Allen and
// Berkley 1979), then noise that dies away as Sabine has it, high tones first.
// Its direct sound has the gain 1, so that levels are those at the microphone,
// and comes after the time that it takes to fly.
func (r Room) Response(from, to [3]float64, seed uint64) []float64 {
	h := make([]float64, int(r.RT60*audio.Rate))
	direct := distance(from, to)
	loss := r.reflection()
	mixing := 0.0 // seconds: where single reflections become noise
	for _, im := range r.images(from) {
		d := distance(im.at, to)
		at := d / soundSpeed * audio.Rate
		i := int(at)
		if i+1 >= len(h) {
			continue
		}
		g := direct / d * math.Pow(loss, float64(im.walls))
		h[i] += g * (1 - (at - float64(i)))
		h[i+1] += g * (at - float64(i))
		if im.walls == 2 {
			mixing = math.Max(mixing, at/audio.Rate)
		}
	}
	r.tail(h, direct, mixing, seed)
	return h
}

// tail adds the late noise. Its power at the mixing time is the one that a
// diffuse field has in a room of this size (Kuttruff, Room Acoustics, 5th ed.,
// section 5.5): 16π·(1−α)/(A) of the direct sound at one metre.
func (r Room) tail(h []float64, direct, mixing float64, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 0x7a11))
	area := r.area()
	alpha := 1 - r.reflection()*r.reflection()
	total := 16 * math.Pi * (1 - alpha) / (area * alpha) * direct * direct
	decay := 6 * math.Ln10 / r.RT60 // of power, per second
	amp := math.Sqrt(total * decay / audio.Rate)
	low := 0.0
	for i := range h {
		t := float64(i) / audio.Rate
		onset := math.Min(1, math.Max(0, (t-mixing/2)/(mixing/2+1e-3)))
		cut := math.Exp(-t / r.RT60) // air and walls take the high tones
		low += (0.25 + 0.75*cut) * (rnd.NormFloat64() - low)
		h[i] += amp * onset * math.Exp(-decay*t/2) * low
	}
}

func (r Room) area() float64 {
	s := r.Size
	return 2 * (s[0]*s[1] + s[1]*s[2] + s[0]*s[2])
}

// reflection is the pressure that a wall gives back, after Eyring.
func (r Room) reflection() float64 {
	v := r.Size[0] * r.Size[1] * r.Size[2]
	return math.Exp(-0.161 * v / (r.area() * r.RT60) / 2)
}

type image struct {
	at    [3]float64
	walls int
}

func (r Room) images(from [3]float64) []image {
	const order = 3
	var list []image
	for x := -order; x <= order; x++ {
		for y := -order; y <= order; y++ {
			for z := -order; z <= order; z++ {
				walls := abs(x) + abs(y) + abs(z)
				if walls > order {
					continue
				}
				im := image{walls: walls}
				for k, n := range [3]int{x, y, z} {
					im.at[k] = mirror(from[k], r.Size[k], n)
				}
				list = append(list, im)
			}
		}
	}
	return list
}

// mirror is the place of the n-th image along one side of length.
func mirror(at, length float64, n int) float64 {
	if n%2 == 0 {
		return float64(n)*length + at
	}
	return float64(n+1)*length - at
}

func abs(n int) int { return max(n, -n) }

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}
