package hearing

import (
	"io"
	"iter"
	"time"

	"hearthd/audio"
	"hearthd/daemon/ears"
	"hearthd/rigs/hearing/bed"
)

// Ears take a front end that has heard nothing yet over what the microphone hears,
// near, while the speaker plays far, which may be nil.
type Ears func(near, far []int16) iter.Seq2[ears.Heard, error]

// Samples is a ears.Sound.
type Samples []int16

// Frame implements ears.Sound.
func (s *Samples) Frame(f *audio.Frame) error {
	if len(*s) == 0 {
		return io.EOF
	}
	n := copy(f[:], *s)
	clear(f[n:])
	*s = (*s)[n:]
	return nil
}

// utterance is what a front end cut out. All are times in the sound.
type utterance struct {
	began, onset time.Duration // where speech began, when that was decided
	speech, end  time.Duration // where speech ended, when that was decided
	kept         bool          // not discarded
	sustained    bool          // it cuts an answer
	reason       string
}

// heard is what became of a sound.
type heard struct {
	utterances []utterance
	words      []word
	length     time.Duration
}

// word is a wake word, and when it was decided that it was one.
type word struct {
	name    string
	decided time.Duration
}

// listen takes ears over a sound.
func listen(ears Ears, near, far []int16) (heard, error) {
	h := heard{length: span(len(near))}
	for frame, err := range ears(near, far) {
		if err != nil {
			return h, err
		}
		for _, f := range frame.Events {
			at, now := seconds(f.At), seconds(frame.At)
			switch f.Type {
			case "wake":
				h.words = append(h.words, word{f.Word, now})
			case "onset":
				h.utterances = append(h.utterances, utterance{began: at, onset: now})
			case "sustained":
				h.utterances[len(h.utterances)-1].sustained = true
			case "end", "discard":
				u := &h.utterances[len(h.utterances)-1]
				u.speech, u.end, u.kept, u.reason = at, now, f.Type == "end", f.Reason
			}
		}
	}
	return h, nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// span is the time that samples at audio.Rate last.
func span(samples int) time.Duration { return audio.Position(samples).Duration() }

// overlaps reports whether an utterance holds something of a sentence.
func (u *utterance) overlaps(t bed.Turn) bool {
	return u.began < span(t.To) && u.speech > span(t.From)
}
