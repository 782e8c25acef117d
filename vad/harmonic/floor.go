package harmonic

const (
	// The floor is the least level of the last 1.2 to 1.4 s, in the manner of
	// minimum statistics (Martin 2001): there are pauses between words, and
	// stops and fricatives without a low band inside them, several a second.
	floorSlice  = 20 // hops
	floorSlices = 6

	// lowestFloor, in dBFS, is a very quiet room. What is near it cannot be
	// told from the converter's own noise.
	lowestFloor = -72
)

// floor tracks the level of the noise. Its zero value knows of none: 0 dBFS.
type floor struct {
	slices  [floorSlices]float32 // least level of each
	current float32
	n, next int
}

// push takes the level of the next hop in dBFS and returns the floor.
func (f *floor) push(level float32) float32 {
	f.current = min(f.current, level)
	if f.n++; f.n == floorSlice {
		f.slices[f.next] = f.current
		f.current, f.n = 0, 0
		f.next = (f.next + 1) % floorSlices
	}
	least := min(f.current, level)
	for _, v := range f.slices {
		least = min(least, v)
	}
	return max(least, lowestFloor)
}
