package micro

import "hearthd/vad/wake/micro/feature"

// A person who calls the machine mostly does so after silence, or in noise that the voice drowns:
// the word stands out of what was heard before it. A word in the middle of talk does not. So a word
// that stands out is accepted a little sooner. Constants by the table in README.md.
const (
	// margin is how much lower the cutoff of a model lies for such a word.
	margin = 0.07

	called = 100 // rows in which the word was said, 1 s
	before = 70  // rows before it
	little = 35  // of them, where a stream has just begun: that counts as a pause

	loudest  = 10 // rows whose mean is the level of the word
	standing = 10 // times the mean power of the rows before it: 10 dB
)

// levels is the power of the last rows of a stream.
type levels struct {
	power [called + before]float32 // mean square, the index is modulo its length
	count int                      // rows since the stream began
}

func (l *levels) push(pcm *[feature.Step]int16) {
	sum := float32(0)
	for _, v := range pcm {
		sum += float32(v) * float32(v)
	}
	l.power[l.count%len(l.power)] = sum / feature.Step
	l.count++
}

// mean is the mean power of n rows that end skip rows ago.
func (l *levels) mean(skip, n int) float32 {
	sum := float32(0)
	for i := range n {
		sum += l.power[(l.count-1-skip-i)%len(l.power)]
	}
	return sum / float32(n)
}

// afterPause reports whether a word that has just been said stands out of what was heard before it.
func (l *levels) afterPause() bool {
	known := min(l.count-called, before)
	if known < little {
		return true
	}
	loud := float32(0)
	for skip := range called - loudest + 1 {
		loud = max(loud, l.mean(skip, loudest))
	}
	return loud >= standing*l.mean(called, known)
}
