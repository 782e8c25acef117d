package micro

const (
	// refractory is how many rows below the cutoff must pass after a detection
	// before the next: 1 s, MIN_SLICES_BEFORE_DETECTION of ESPHome's
	// streaming_model.h.
	refractory = 100

	// settled is how many rows the mean of a word that only followed a pause must have been
	// below its highest: 30 ms, a block of most models.
	settled = 3

	// alert is the probability from which all phases run, 255 is 1, and calm how
	// many rows must stay below it until one phase is enough again.
	alert = 16
	calm  = 100

	// stir is the mean of a row, 0 to 255, that no quiet room reaches: white noise gives up to 31,
	// the onset of speech 200. After calm rows below it even the first phase stops.
	stir = 48
)

// word is one model at work. Cutoff, window and refractory time are as in
// StreamingModel and WakeWordModel of ESPHome, with three differences.
//
// A network takes stride rows at a time, so its probabilities depend on where the
// blocks begin. ESPHome leaves that to chance. A word runs every phase, which
// gives a probability per row, and of each stride rows the highest counts. As
// long as the first phase is nowhere near, the others sleep; when it stirs they
// catch up from the history. In a quiet room the first phase does so too, when
// something is heard.
//
// A word that follows a pause is heard from a lower cutoff on. If only a detector of speech
// tells the pause, it is heard when its mean has been at its highest, so that a clear word
// is heard from its usual cutoff on.
//
// And a new stream is not ignored for a second, only until the window is full.
type word struct {
	phases []*phase // phase k begins k rows into the stream
	cutoff int      // 255 is 1
	low    int      // cutoff of a word that stands out
	least  int      // cutoff after a pause that a detector tells
	alert  int
	recent []uint8 // probability by row, the index is modulo its length, 255 is 1
	awake  int     // rows until the phases but the first fall asleep
	dozes  bool    // the first phase sleeps too
	ignore int     // rows until a detection counts
	score  float32 // mean probability, 0 to 1
	best   int     // highest sum since it was below least
	past   int     // rows since then
}

// newWord makes the word of a model that was checked.
func newWord(phases []*phase, cutoff, low, least, window int) *word {
	w := &word{phases: phases, cutoff: cutoff, low: low, least: least, alert: alert}
	w.recent = make([]uint8, window*len(phases))
	w.reset()
	return w
}

func (w *word) reset() {
	for k, p := range w.phases {
		p.reset(k)
	}
	clear(w.recent)
	w.awake, w.dozes, w.score, w.ignore, w.best, w.past = 0, false, 0, len(w.recent), 0, 0
}

// push takes the newest row of h, the levels and how many rows were still, and says whether
// the word was heard as of it, and how many rows ago.
func (w *word) push(h *history, l *levels, still int) (ago int, heard bool) {
	newest := w.infer(h, still)
	// The word that was just heard must be over before the next is awaited.
	if w.ignore > 0 && newest < w.low {
		w.ignore--
	}
	sum, blocks := w.sum(h.count-1), len(w.recent)/len(w.phases)
	w.score = w.scale(sum)
	w.past++
	switch {
	case w.ignore > 0 || w.past > settled && sum <= w.least*blocks:
		w.best = 0
	case sum > w.best:
		w.best, w.past = sum, 0
	}
	switch {
	case w.ignore > 0:
		return 0, false
	case sum > w.cutoff*blocks || sum > w.low*blocks && l.afterPause():
		w.best, w.past = sum, 0
	case w.past != settled || w.best <= w.least*blocks || !l.paused():
		return 0, false
	}
	clear(w.recent)
	w.ignore = refractory
	return w.past, true
}

// scale is a sum as a mean probability, 0 to 1.
func (w *word) scale(sum int) float32 {
	return float32(sum) / float32(255*(len(w.recent)/len(w.phases)))
}

// probability returns the place of that of row i, one of the last in recent.
func (w *word) probability(i int) *uint8 {
	return &w.recent[(i+len(w.recent))%len(w.recent)]
}

// top returns the highest probability of the block that ends with row i.
func (w *word) top(i int) (p int) {
	for k := range w.phases {
		p = max(p, int(*w.probability(i - k)))
	}
	return p
}

// sum adds the tops of the window that ends with row i.
func (w *word) sum(i int) (s int) {
	for k := 0; k < len(w.recent); k += len(w.phases) {
		s += w.top(i - k)
	}
	return s
}

// infer shows the newest row to the phases that are awake, wakes the others or
// puts them to sleep, and returns the top as of that row.
func (w *word) infer(h *history, still int) int {
	i := h.count - 1
	*w.probability(i) = 0
	switch {
	case w.awake == 0 && still >= calm:
		w.dozes = true
	case w.dozes:
		w.dozes = false
		w.rouse(h, 0, 1)
	default:
		w.run(h.at(i), w.probability(i))
	}
	top := w.top(i)
	switch {
	case top < w.alert:
		w.awake = max(w.awake-1, 0)
	case w.awake > 0:
		w.awake = calm
	default:
		w.awake = calm
		w.rouse(h, 1, len(w.phases))
		top = w.top(i)
	}
	return top
}

// run shows a row to the phases that are awake.
func (w *word) run(r *row, probability *uint8) {
	for k, p := range w.phases {
		if k > 0 && w.awake == 0 {
			break
		}
		if v, ok := p.push(r); ok {
			*probability = v
		}
	}
}

// reach is how many rows the recent probabilities depend on.
func (w *word) reach() int {
	return w.phases[0].net.Reach()*len(w.phases) + len(w.recent)
}

// rouse brings the phases from first up to end, and their recent probabilities, to
// where they would be had they seen all of the stream.
func (w *word) rouse(h *history, first, end int) {
	stride := len(w.phases)
	for k := first; k < end; k++ {
		p, start := w.phases[k], k
		if far := h.count - w.reach() - k; far > 0 {
			start += far / stride * stride
		}
		p.reset(max(k-h.count, 0))
		for i := start; i < h.count; i++ {
			if v, ok := p.push(h.at(i)); ok && h.count-i <= len(w.recent) {
				*w.probability(i) = v
			}
		}
	}
}
