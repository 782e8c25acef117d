package dialogue

import "time"

// Bid describes how this box was called, so that the boxes that heard the same can decide
// which one answers.
type Bid struct {
	Busy  bool      // an answer or a timer sounds here, so this box is probably meant
	Score float32   // of the wake word, 0 to 1
	Since time.Time // the call was not spoken before that
}

// Verdict says whether this box answers, or which other one does.
type Verdict struct {
	Won  bool
	Sure bool // no other verdict follows
	Box  string
}

// phraseScore is the score of the wake phrase. The recogniser does not tell how sure it is of
// its words, so where a spotter heard the phrase as well, the level decides.
const phraseScore = 1

// claim is a call that other boxes may have heard too, and what they say to it.
type claim struct {
	Verdict      // the latest
	pending bool // none has come yet
	score   float32
	begun   time.Time
	waited  time.Duration // until the verdict came
}

// ruling is a verdict on its way to the loop.
type ruling struct {
	*claim
	verdict Verdict
}
