package enrolled

import (
	"errors"
	"fmt"
	"math"
	"time"

	"hearthd/audio"
	"hearthd/vad/wake"
)

const (
	lookBack  = 15 // frames before the first loud one that belong to a stretch of sound, 300 ms
	hangover  = 25 // frames after the last loud one that do, 500 ms
	quietStep = 5  // frames between two looks at the room while it is quiet
	refresh   = 25 // hops after which the words are adapted to it again while there is sound

	// proposal is the distance below which a tracker proposes a stretch, and settled the number of
	// hops that must bring no better one.
	proposal = 0.85
	settled  = 4

	// Noise adds to distances, so the threshold is raised: by leniency at 8 dB over the noise, by
	// nothing at 20 dB.
	leniency           = 0.03
	noisySNR, cleanSNR = 8, 20

	history = 512 // hops kept, more than maxPath and settled
)

// refractory is the time after a word in which it is not found again.
const refractory = 1500 * time.Millisecond

// Spotter listens for enrolled words. It implements wake.Spotter.
type Spotter struct {
	front *front
	words []*word
	found []wake.Detection

	// pcm is the end of the stream: the frames of lookBack and the new one, and
	// before them what the first window reaches back to.
	pcm  [window + 1 + (lookBack+1)*audio.FrameSamples]int16
	next audio.Position
	gate gate
	left int // frames of hangover
	rest int // quiet frames since the last look at the room

	room   room
	tail   tail
	age    int            // hops since the words were adapted
	hops   int            // since the stretch began
	heard  audio.Position // end of the last hop
	stream [history]powers

	stretch [maxPath]cepstrum // scratch
	aligner aligner
}

// New returns a Spotter for the words of templates, of which several may have
// the same name.
func New(templates ...*Template) (*Spotter, error) {
	if n := len(templates); n < 1 || n > wake.MaxWords {
		return nil, fmt.Errorf("spot %d enrolled words: want 1 to %d", n, wake.MaxWords)
	}
	f, err := newFront()
	if err != nil {
		return nil, err
	}
	s := &Spotter{front: f, found: make([]wake.Detection, 0, len(templates))}
	for _, t := range templates {
		if t == nil {
			return nil, errors.New("spot enrolled words: a template is missing")
		}
		s.words = append(s.words, newWord(t))
		for _, r := range t.recordings {
			s.room.usual = max(s.room.usual, r.level)
		}
	}
	return s, nil
}

func (s *Spotter) String() string { return fmt.Sprintf("enrolled words %v", s.words) }

// Reset forgets the stream and the room.
func (s *Spotter) Reset() {
	s.restart()
	s.gate, s.next = gate{}, 0
	s.room = room{usual: s.room.usual}
}

// restart forgets the samples of the stream, but not the room.
func (s *Spotter) restart() {
	clear(s.pcm[:])
	s.left, s.rest, s.found = 0, 0, s.found[:0]
	for _, w := range s.words {
		w.rest = 0
	}
}

// Push takes the next frame. A word is found 50 ms after its end, or later when
// it ends in noise.
func (s *Spotter) Push(f *audio.Frame, at audio.Position) []wake.Detection {
	if at != s.next {
		s.restart()
	}
	s.next = at + audio.FrameSamples
	s.found = s.found[:0]
	n := copy(s.pcm[:], s.pcm[audio.FrameSamples:])
	copy(s.pcm[n:], f[:])
	switch loud := s.gate.open(f); {
	case loud && s.left == 0:
		s.begin()
		s.left = hangover
	case loud:
		s.left = hangover
		s.frame(0)
	case s.left > 0:
		s.frame(0)
		if s.left--; s.left == 0 {
			s.propose(0)
		}
	default:
		s.idle()
	}
	return s.found
}

// idle looks at the room now and then.
func (s *Spotter) idle() {
	if s.rest--; s.rest > 0 && s.room.known {
		return
	}
	s.rest = quietStep
	var p powers
	s.front.measure(s.pcm[len(s.pcm)-window-1:], &p)
	s.room.quiet(&p)
}

// begin opens a stretch of sound, with what led to it.
func (s *Spotter) begin() {
	for _, w := range s.words {
		w.restart()
	}
	s.hops, s.age = 0, refresh
	s.tail = tail{}
	for back := lookBack; back >= 0; back-- {
		s.frame(back)
	}
}

// frame handles the two hops of the frame that lies back frames before the last.
func (s *Spotter) frame(back int) {
	end := len(s.pcm) - back*audio.FrameSamples
	s.heard = s.next - audio.Position(back)*audio.FrameSamples - hop
	s.hop(s.pcm[end-hop-window-1:])
	s.heard += hop
	s.hop(s.pcm[end-window-1:])
}

// hop follows all words through the 25 ms at x.
func (s *Spotter) hop(x []int16) {
	p := &s.stream[s.hops%history]
	s.front.measure(x, p)
	s.room.sound(p)
	s.tail.cut(p, &s.room.noise)
	if s.age++; s.age > refresh {
		s.age = 0
		for _, w := range s.words {
			w.adapt(s.front, &s.room.noise, s.room.level)
		}
	}
	mask, _ := masks(&s.room.noise, s.room.level)
	var c cepstrum
	s.front.shape(p, 1, &mask, &c)
	s.room.hear(p, &c)
	for _, w := range s.words {
		w.follow(&c, &s.room.speech, s.hops)
	}
	s.hops++
	s.propose(settled)
}

// propose judges the words whose best path ended at least so many hops ago.
func (s *Spotter) propose(ago int) {
	for _, w := range s.words {
		if w.cost < proposal && s.hops-w.end > ago {
			s.judge(w)
			w.cost = never
		}
	}
}

// judge compares the best path of w with all its recordings, and reports it.
func (s *Spotter) judge(w *word) {
	n := w.end + 1 - w.start
	at := s.heard - audio.Position(s.hops-1-w.end)*hop
	if n > maxPath || s.hops-w.start > history || at < w.rest {
		return
	}
	var l leveller
	noise := s.room.noise.total()
	for i := w.start; i <= w.end; i++ {
		l.add(max(0, s.stream[i%history].total()-noise))
	}
	level := l.level()
	mask, _ := masks(&s.room.noise, level)
	stretch := s.stretch[:n]
	for i := range stretch {
		s.front.shape(&s.stream[(w.start+i)%history], 1, &mask, &stretch[i])
	}
	normalise(stretch)
	w.adapt(s.front, &s.room.noise, level)
	cost := w.compare(&s.aligner, stretch)
	if limit := w.template.threshold + allowance(level, noise); cost < limit {
		s.report(w.template.name, 1-cost/limit/2, at)
	}
}

// allowance is what noise adds to the threshold.
func allowance(level, noise float32) float32 {
	snr := 10 * math.Log10(float64(level/max(noise, minPower)))
	return leniency * float32(min(1, max(0, (cleanSNR-snr)/(cleanSNR-noisySNR))))
}

// report adds a detection, whose score is 0.5 at the threshold, and lets the
// word rest.
func (s *Spotter) report(name string, score float32, at audio.Position) {
	s.found = append(s.found, wake.Detection{Name: name, Score: score, Position: at})
	for _, w := range s.words {
		if w.template.name == name {
			w.rest = at + audio.Samples(refractory)
		}
	}
}
