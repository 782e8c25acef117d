package dialogue

import (
	"time"

	"hearthd/daemon/peer"
)

// phraseScore is the score of the wake phrase. The recogniser does not say how sure it is of its
// words, so where a spotter heard the phrase as well, the level decides.
const phraseScore = 1

// claim is a call that other boxes may have heard too, and their verdict.
type claim struct {
	peer.Verdict      // the latest
	pending      bool // none has come yet
	score        float32
	begun        time.Time
	waited       time.Duration // until the verdict came
}

// ruling is a verdict on its way to the loop.
type ruling struct {
	*claim
	verdict peer.Verdict
}
