package player

// What comes at its own pace is kept at a distance from what is heard: with none of it waiting the track would run dry
// at each delay, and the clock of a sound card, which differs by some 100 ppm from that of the source, would move it by
// a third of a second in an hour.
const (
	// settle is the time in which most of a wrong distance is made good, in seconds, and memory that over which the
	// distance is averaged: it jumps by a block and by a period of the card.
	settle, memory = 2, 1
	// most bounds how much faster or slower it is made; 0.5 % is 9 cents, which nobody hears.
	most = 0.005
)

// pacer keeps that distance, by taking some samples more or fewer of each block.
type pacer struct {
	rate float64 // samples per second
	want int     // samples that wait to be heard; 0: it is not needed
	far  float64 // that wait, on average
	owed float64 // samples that are too many and still there
	late bool    // far too many wait
	out  []int16
}

// fit is what to write of a block, when so many samples wait.
func (p *pacer) fit(some []int16, wait int) []int16 {
	if wait == 0 { // it begins, or has run dry
		p.far, p.owed, p.late = float64(p.want), 0, false
		p.out = append(p.out[:0], make([]int16, p.want)...)
		return append(p.out, some...)
	}
	if p.late = wait > 2*p.want || p.late && wait > p.want; p.late { // it was held
		p.far, p.owed = float64(p.want), 0
		return nil
	}
	p.far += (float64(wait) - p.far) * min(float64(len(some))/(memory*p.rate), 1)
	p.owed += max(-most, min((p.far-float64(p.want))/(settle*p.rate), most)) * float64(len(some))
	drop := int(p.owed)
	if drop == 0 || len(some) < 2 {
		return some
	}
	p.owed -= float64(drop)
	return p.stretch(some, len(some)-drop)
}

// stretch makes n samples of a block, along straight lines between its own.
func (p *pacer) stretch(some []int16, n int) []int16 {
	p.out = p.out[:0]
	step := float64(len(some)-1) / float64(max(n-1, 1))
	for i := range n {
		at := float64(i) * step
		k := min(int(at), len(some)-2)
		part := at - float64(k)
		p.out = append(p.out, int16(float64(some[k])*(1-part)+float64(some[k+1])*part))
	}
	return p.out
}
