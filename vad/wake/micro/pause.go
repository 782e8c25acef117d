package micro

import "hearthd/vad/wake/micro/feature"

// A person who calls the machine mostly does not speak before: a detector of speech hears a pause,
// or, where none listens, the word stands out of what was heard before it. A word in the middle of
// talk does neither. So a word after a pause is accepted sooner. Constants by the tables in README.md.
const (
	// margin is how much lower the cutoff of a model lies for a word that stands out.
	margin = 0.07
	// share is the part of its cutoff that is enough where a detector tells the pause, and
	// half the least that is: a model with such a cutoff imagines words even so.
	share, half = 0.6, 0.5
	// paused is how many rows of the last hush before the word must be without speech then: talk
	// pauses for half a second, who calls the machine has mostly not spoken for longer.
	paused, hush = 150, 200
	// uttered is how many rows of the word the detector must have heard, there and while the speaker plays.
	uttered = 10

	called = 100 // rows in which the word was said, 1 s
	before = 70  // rows before it that it stands out of
	little = 35  // of them, where a stream has just begun: that counts as a pause

	loudest  = 10 // rows whose mean is the level of the word
	standing = 10 // times the mean power of the rows before it: 10 dB
)

// levels is the power of the last rows of a stream, and in which of them somebody spoke.
type levels struct {
	power  [called + hush]float32 // mean square, the index is modulo its length
	silent [called + hush]bool
	count  int // rows since the stream began
	pause  int // silent rows among those before a word that was said by now
	word   int // rows among those in which it was said that are not
}

func (l *levels) push(pcm *[feature.Step]int16, silent bool) {
	sum := float32(0)
	for _, v := range pcm {
		sum += float32(v) * float32(v)
	}
	n := l.count % len(l.power)
	l.power[n] = sum / feature.Step
	if l.silent[n] {
		l.pause--
	}
	l.silent[n] = silent
	if !silent {
		l.word++
	}
	if i := l.count - called; i >= 0 && l.silent[i%len(l.silent)] {
		l.pause++
	} else if i >= 0 {
		l.word--
	}
	l.count++
}

// paused reports whether a detector heard a word that has just been said, and nobody before it.
func (l *levels) paused() bool { return l.pause >= paused && l.word >= uttered }

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
