package vad

import (
	"math"
	"time"

	"hearthd/audio"
)

// The constants of foreground were measured with vad/neural and vad/silero on 312
// sentences of six synthetic voices after a wake word, close by and in a kitchen,
// with pauses of up to 500 ms, up to 4 dB softer than the wake word and falling by
// 3 dB, over a television, babble, music and a tap 15 to 3 dB below (2026-11). Over
// the television the median end comes 0.8 to 1.1 s after the last word, where
// without foreground it comes at the cap; at -6 dB one in five and at -3 dB two in
// five still take seconds. One sentence in forty ends early, most of them over
// babble at -6 and -3 dB, and none in a quiet room.
const (
	// smoothing is the time constant of levels. A vowel is longer; the level shows what comes after
	// it a tenth of a second later.
	smoothing = 40 * time.Millisecond
	// fallen is how far below the speaker's own level a voice is taken for somebody else's,
	// whatever else is known, in dB; with 15, people who trail off are cut.
	fallen = 18
	// faded is how far below it is its echo, which detectors take for voice for a
	// tenth of a second, in dB.
	faded = 15
	// When other voices were there before the wake word, a voice must be above their level by a
	// third of the difference to the speaker's level. It is the speaker's in any case when it is
	// not more than nearby below that level, in dB.
	above  = 0.35
	nearby = 3
	// softer is how much softer than the wake word the sentence after it may be, in dB.
	softer = 8
	// wakeWord is how long the wake word is, up to its end; from memory to before is the time in
	// which voices count as having been there already.
	wakeWord = 700 * time.Millisecond
	before   = 1200 * time.Millisecond
	memory   = 4500 * time.Millisecond
	// learning is how much voice sets the level of an utterance without a wake word; it outweighs a
	// click at the beginning.
	learning = 1500 * time.Millisecond
	// louder is how far a new voice must be above the sound that outlasted the cap, in dB.
	louder = 6
)

// foreground tells the voice of the person who speaks to the box from the television, by level:
// that person is louder than the background.
type foreground struct {
	frame  audio.Position // samples of a detector frame
	alpha  float64        // of the smoothing, per frame
	power  float64        // smoothed mean square; full scale is 1
	level  float32        // the same in dBFS
	past   []float32      // ring: level of each of the last frames; silence if without voice
	next   int            // where the next one goes
	filled int

	speech  histogram // levels of the utterance's voice
	free    bool      // every voice counts as the speaker's until there is enough of it
	behind  float32   // level of the voices that were there before, dBFS
	crowded bool      // there were such
	least   float32   // level from which a voice is the speaker's
}

// newForeground makes one for detector frames of n samples.
func newForeground(n int) *foreground {
	return &foreground{
		frame: audio.Position(n),
		alpha: 1 - math.Exp(-float64(n)/float64(audio.Samples(smoothing))),
		past:  make([]float32, 1+audio.Samples(memory+time.Second)/audio.Position(n)),
		level: audio.SilentDBFS, least: audio.SilentDBFS,
	}
}

// push takes the level of the next detector frame.
func (f *foreground) push(dbfs float32, voiced bool) {
	f.power += f.alpha * (math.Pow(10, float64(dbfs)/10) - f.power)
	f.level = float32(max(audio.SilentDBFS, 10*math.Log10(f.power+1e-12)))
	f.past[f.next] = audio.SilentDBFS
	if voiced {
		f.past[f.next] = f.level
	}
	if f.next++; f.next == len(f.past) {
		f.next = 0
	}
	f.filled = min(f.filled+1, len(f.past))
}

// each calls fn with the levels of the frames with voice that ended less than
// from and not less than to ago, and returns how many frames there were.
func (f *foreground) each(from, to audio.Position, fn func(level float32)) (frames int) {
	for i := int(to / f.frame); i < min(int(from/f.frame), f.filled); i++ {
		at := f.next - 1 - i
		if at < 0 {
			at += len(f.past)
		}
		if f.past[at] > audio.SilentDBFS {
			fn(f.past[at])
		}
		frames++
	}
	return frames
}

// open begins an utterance without a wake word, whose voice has lasted for onset.
func (f *foreground) open(onset audio.Position) {
	f.speech, f.crowded, f.free = histogram{}, false, true
	f.each(onset, 0, f.speech.add)
	f.learn()
}

// woken learns the speaker's level from the wake word that ended ago samples before now, and the
// level of other voices from the time before it.
func (f *foreground) woken(ago audio.Position) {
	var other histogram
	frames := f.each(ago+audio.Samples(memory), ago+audio.Samples(before), other.add)
	// A third of the time, but at least that of a second: not just a shout or a clatter.
	f.crowded = frames >= int(audio.Rate/f.frame) && int(other.n)*3 > frames
	f.behind = other.loud()
	f.speech = histogram{}
	f.each(ago+audio.Samples(wakeWord), ago, func(level float32) {
		if !f.crowded || level > f.behind {
			f.speech.add(level - softer)
		}
	})
	f.free = audio.Position(f.speech.n)*f.frame < audio.Samples(wakeWord)/4
	f.learn()
}

// rose begins an utterance in which somebody talks over the last one.
func (f *foreground) rose(onset audio.Position) {
	f.behind = f.speech.loud()
	f.speech, f.crowded, f.free = histogram{}, true, false
	f.each(onset, 0, f.speech.add)
	f.learn()
}

// learn moves the bound between the speaker's voice and others.
func (f *foreground) learn() {
	own := f.speech.loud()
	f.least = own - fallen
	if f.crowded && f.behind < own-nearby {
		f.least = max(f.least, min(f.behind+above*(own-f.behind), own-nearby))
	}
}

// own reports whether the last frame is loud enough to be the speaker's voice,
// and learns from it.
func (f *foreground) own(voiced bool) bool {
	own := f.level >= f.least
	if voiced && (own || f.free && audio.Position(f.speech.n)*f.frame < audio.Samples(learning)) {
		f.speech.add(f.level)
		f.learn()
	}
	return own
}

// rings reports whether a frame may be no more than an echo of the voice.
func (f *foreground) rings(dbfs float32) bool { return dbfs < f.speech.loud()-faded }

// over reports whether the last frame is so much louder than the utterance that somebody else
// speaks, and learns the utterance's level.
func (f *foreground) over(voiced bool) bool {
	over := f.level > f.speech.loud()+louder
	if voiced && !over {
		f.speech.add(f.level)
	}
	return over
}

// cut says that what comes next does not continue the last frame. What is known of a wake word
// stays: there may only have been an earcon in between.
func (f *foreground) cut() {
	f.power, f.level, f.filled = 0, audio.SilentDBFS, 0
}

// histogram counts levels in steps of 1 dB. Old ones fade.
type histogram struct {
	bins [1 - audio.SilentDBFS]uint16
	n    int32
}

// histogramMost is the count at which all are halved: ten seconds or more.
const histogramMost = 1000

func (h *histogram) add(level float32) {
	h.bins[int(min(0, max(audio.SilentDBFS, level))-audio.SilentDBFS)]++
	if h.n++; h.n < histogramMost {
		return
	}
	h.n = 0
	for i := range h.bins {
		h.bins[i] /= 2
		h.n += int32(h.bins[i])
	}
}

// loud is the level that one in ten is above: of speech, that of its vowels.
func (h *histogram) loud() float32 {
	left := h.n / 10
	for i := len(h.bins) - 1; i >= 0; i-- {
		if left -= int32(h.bins[i]); left < 0 {
			return float32(i+audio.SilentDBFS) + 0.5
		}
	}
	return audio.SilentDBFS
}
