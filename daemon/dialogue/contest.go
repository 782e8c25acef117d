package dialogue

import "time"

// Bid is how sure this box is that it was called, for those who decide between
// several boxes that were.
type Bid struct {
	Busy  bool      // an answer or a timer sounds here, which is probably meant
	Score float32   // of the wake word, 0 to 1
	Since time.Time // nothing of what was heard was said before
}

// Verdict says whether this box answers, or Box does instead.
type Verdict struct {
	Won  bool
	Sure bool // no other verdict follows
	Box  string
}

// phraseScore is the score of the phrase, of which it is known only that it is in
// the words: where a spotter hears it, too, the level decides.
const phraseScore = 1

// claim is that somebody called this box, while other boxes may have heard it as well.
type claim struct {
	Verdict      // the newest
	pending bool // there is none yet
	score   float32
	begun   time.Time
	waited  time.Duration // for the verdict
}

// ruling is a verdict on its way to the loop.
type ruling struct {
	*claim
	verdict Verdict
}
