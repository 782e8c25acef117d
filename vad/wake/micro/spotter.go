package micro

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"hearthd/audio"
	"hearthd/vad/wake"
	"hearthd/vad/wake/micro/feature"
)

// maxGap is the longest loss of audio that a stream survives. It is shorter than
// a syllable, so that a word with a hole is still heard.
const maxGap = 100 * time.Millisecond

// ownShare is the part of its cutoff from which a word counts that the speaker plays, and ownLinger
// how long after it such a word is not a person's: the longest delay of an echo, how late a word is
// detected in a room that rings, and a second of it.
const (
	ownShare  = 0.4
	ownLinger = 1500 * time.Millisecond
)

// maxRows is how long a stream is, 124 days: rows are counted in an int, which may have
// 32 bits, and wraps.
const maxRows = 1 << 30

// Spotter listens for the words of its models.
type Spotter struct {
	names []string
	words []*word
	lag   []audio.Position // from the end of a word to its detection

	features *feature.Extractor
	pcm      [feature.Step]int16
	row      row
	history  history
	levels   levels
	silent   bool // nobody speaks
	still    int  // rows since the last one that was as loud as stir
	found    []wake.Detection
	next     audio.Position // where the next frame should begin
	begun    bool

	own   *Spotter         // the same words in what the speaker plays
	plain *Spotter         // and in what the microphone hears meanwhile, less suppressed
	again []wake.Detection // what plain has heard
	deaf  []audio.Position // until when a word that plain hears is the speaker's own
	heard []audio.Position // until when a word is the one that was just heard
	plays audio.Position   // the end of the last frame in which the speaker may be heard
}

var _ wake.Spotter = (*Spotter)(nil)

// New returns a Spotter for the models, in their order.
func New(models ...*Model) (*Spotter, error) {
	s, err := newSpotter(models)
	if err != nil {
		return nil, err
	}
	s.deaf, s.heard = make([]audio.Position, len(models)), make([]audio.Position, len(models))
	own := make([]*Model, len(models))
	for i, m := range models {
		o := *m
		o.Cutoff, o.Margin = 1, 0 // which nothing is above: only its score counts
		own[i] = &o
	}
	if s.own, err = newSpotter(own); err != nil {
		return nil, err
	}
	if s.plain, err = newSpotter(models); err != nil {
		return nil, err
	}
	for i, w := range s.plain.words {
		w.low = w.cutoff // there what the speaker says stands out too
		if models[i].Cutoff <= half && models[i].Margin > 0 {
			w.cutoff, w.low, w.least = 255, 255, 255 // which nothing is above: it would be imagined there
		}
	}
	return s, nil
}

func newSpotter(models []*Model) (*Spotter, error) {
	if len(models) < 1 || len(models) > wake.MaxWords {
		return nil, fmt.Errorf("%d wake words: want 1 to %d", len(models), wake.MaxWords)
	}
	s := &Spotter{features: feature.New(), found: make([]wake.Detection, 0, len(models))}
	var errs []error
	rows := 0
	for _, m := range models {
		w, err := load(m)
		if err != nil {
			errs = append(errs, fmt.Errorf("wake word %q: %w", m.Name, err))
			continue
		}
		s.names = append(s.names, m.Name)
		s.words = append(s.words, w)
		s.lag = append(s.lag, audio.Position(len(w.recent)*feature.Step))
		rows = max(rows, w.reach()+2*len(w.phases))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	s.history.rows = make([]row, rows)
	return s, nil
}

func load(m *Model) (*word, error) {
	if !(m.Cutoff > 0 && m.Cutoff <= 1) || m.Window < 1 || m.Window > maxWindow {
		return nil, fmt.Errorf("cutoff %v over a window of %d: want more than 0 and at most 1, and 1 to %d",
			m.Cutoff, m.Window, maxWindow)
	}
	if !(m.Margin >= 0 && m.Margin < m.Cutoff) {
		return nil, fmt.Errorf("margin %v: want 0 or more and less than the cutoff of %v", m.Margin, m.Cutoff)
	}
	// ESPHome truncates the cutoff to a byte too, 0 included, below which nothing falls.
	cutoff, low := max(1, int(m.Cutoff*255)), max(1, int((m.Cutoff-m.Margin)*255))
	var phases []*phase
	for stride := 1; len(phases) < stride; {
		net, err := newNetwork(m.network)
		if err != nil {
			return nil, err
		}
		stride = net.InputShape()[1]
		phases = append(phases, &phase{net: net, stride: stride})
	}
	least := cutoff
	if m.Margin > 0 {
		least = min(cutoff, int(max(share*m.Cutoff, half)*255))
	}
	return newWord(phases, cutoff, low, least, m.Window), nil
}

func (s *Spotter) String() string { return fmt.Sprintf("microWakeWord for %q", s.names) }

// Push implements wake.Spotter. Where audio was lost for up to 100 ms the stream
// goes on; a longer gap, or a step back, begins a new one.
func (s *Spotter) Push(f *audio.Frame, at audio.Position) []wake.Detection {
	if s.begun && (at < s.next || at-s.next > audio.Samples(maxGap) || s.history.count >= maxRows) {
		s.Reset()
	}
	s.begun, s.next = true, at+audio.FrameSamples
	s.found = s.found[:0]
	for i := 0; i < len(f); i += feature.Step {
		copy(s.pcm[:], f[i:])
		s.levels.push(&s.pcm, s.silent)
		row := s.features.Push(&s.pcm)
		if row == nil {
			continue
		}
		feature.Quantize(s.row[:], row)
		s.history.push(&s.row)
		if s.still++; s.row.mean() >= stir {
			s.still = 0
		}
		s.infer(at + audio.Position(i+feature.Step))
	}
	for _, d := range s.again {
		if i := slices.Index(s.names, d.Name); s.next >= s.deaf[i] && !s.leftOver(s.next) && s.listens(i, s.next) {
			s.found = append(s.found, d)
		}
	}
	s.again = nil
	return s.found
}

// listens reports whether a word that is heard now counts, which is then not heard again at once.
func (s *Spotter) listens(i int, now audio.Position) bool {
	if s.heard == nil {
		return true
	}
	if now < s.heard[i] {
		return false
	}
	s.heard[i] = now + refractory*feature.Step
	return true
}

// Spoken tells whether somebody speaks in the frames that follow, or may: a word that follows
// a pause is believed sooner.
func (s *Spotter) Spoken(yes bool) { s.silent, s.plain.silent = !yes, !yes }

// Played takes the frame that the speaker plays, and the one of the microphone with less of the
// echo taken out, before Push gets the one that begins at the same position. What is heard in far
// is not a person's in plain, even if the room returns it. What Push gets counts all the same: a
// suppressor takes most of the speaker out of it, and who says stop does so while the speaker talks. But
// neither is a person's where the detector hears nobody: what is left of music resembles a word at times.
func (s *Spotter) Played(far, plain *audio.Frame, at audio.Position) {
	s.again, s.plays = s.plain.Push(plain, at), at+audio.FrameSamples
	s.own.Push(far, at)
	for i, w := range s.own.words {
		if w.score > ownShare*float32(s.words[i].cutoff)/255 {
			s.deaf[i] = at + audio.Samples(ownLinger)
		}
	}
}

// another reports whether another word than i has just been heard: alexa is half a hey mycroft.
func (s *Spotter) another(i int, now audio.Position) bool {
	for k, until := range s.heard {
		if k != i && now < until {
			return true
		}
	}
	return false
}

// leftOver reports whether a word that is heard now is only what is left of the speaker's sound.
func (s *Spotter) leftOver(now audio.Position) bool { return now <= s.plays && s.levels.word < uttered }

// infer shows the newest row, whose window ends at now, to each word. One that only a pause before
// it makes heard, which is known some rows later, is not heard beside another.
//
// The mean passes the cutoff about when the whole window lies behind the word, so
// the word ended a window ago: on six recordings 0.09 s early to 0.12 s late.
func (s *Spotter) infer(now audio.Position) {
	for i, w := range s.words {
		ago, ok := w.push(&s.history, &s.levels, s.still)
		if ok && !(ago > 0 && s.another(i, now)) && !s.leftOver(now) && s.listens(i, now) {
			s.found = append(s.found, wake.Detection{
				Name: s.names[i], Score: w.scale(w.best), Position: now - s.lag[i] - audio.Position(ago*feature.Step),
			})
		}
	}
}

// Scores appends the mean probability of each model over its window, 0 to 1, in
// the order of New, to dst and returns it.
func (s *Spotter) Scores(dst []float32) []float32 {
	for _, w := range s.words {
		dst = append(dst, w.score)
	}
	return dst
}

// Names are the names of the models, in the order of New. The caller changes
// nothing in them.
func (s *Spotter) Names() []string { return s.names }

// Reset implements wake.Spotter.
func (s *Spotter) Reset() {
	s.begun = false
	s.features.Reset()
	s.history.count, s.still = 0, 0
	s.levels, s.silent = levels{}, false
	clear(s.deaf)
	clear(s.heard)
	s.plays = 0
	for _, w := range s.words {
		w.reset()
	}
}
