package enrolled

import "testing"

// glide is a word of n frames whose cepstrum moves evenly.
func glide(n int) []cepstrum {
	x := make([]cepstrum, n)
	for i := range x {
		for c := range x[i] {
			x[i][c] = float32(c+1) * (float32(i)/float32(n-1) - 0.5)
		}
	}
	return x
}

func TestAlignForgivesSpeedWithinItsSlopes(t *testing.T) {
	var al aligner
	if d := al.align(glide(50), glide(50)); d != 0 {
		t.Errorf("a word is %v from itself", d)
	}
	for _, n := range []int{26, 40, 70, 99} {
		if d := al.align(glide(50), glide(n)); d > 0.6 {
			t.Errorf("50 frames are %v from the same in %d", d, n)
		}
	}
	for _, n := range []int{1, 24, 101} {
		if d := al.align(glide(50), glide(n)); d != never {
			t.Errorf("50 frames are %v from %d", d, n)
		}
	}
	if d := al.align(nil, nil); d != never {
		t.Errorf("nothing is %v from nothing", d)
	}
}

func TestTrackerFindsAWordAndWhereItBegan(t *testing.T) {
	tr := newTracker(40)
	word := glide(40)
	noise := cepstrum{30, 30, 30}
	at := 0
	for range 25 {
		tr.push(word, &noise, at, 5)
		at++
	}
	best, start, end := never, 0, 0
	for _, x := range glide(60) {
		if c, s := tr.push(word, &x, at, 5); c < best {
			best, start, end = c, s, at
		}
		at++
	}
	if best > 0.6 || start < 24 || start > 27 || end < 80 {
		t.Errorf("distance %v from %d to %d, want 25 to 84", best, start, end)
	}
	tr.reset()
	if c, _ := tr.push(word, &word[39], at, 5); c != never {
		t.Errorf("a path of cost %v outlived reset", c)
	}
}
