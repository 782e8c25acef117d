package dialogue

import (
	"time"

	"hearthd/daemon/dialogue/answer"
)

// answerLimit is how long a question waits for its answer at most. One that was asked aloud
// ends before that, with its window.
const answerLimit = time.Minute

// question is one that has been asked and not answered yet; its zero value is none. One that
// was asked aloud waits during the turn that asks it and the window after that. One that was
// asked in writing waits whatever else goes on.
type question struct {
	*answer.Question
	until time.Time
	again bool // the person has a second chance, because the first answer was not understood
}

// waits reports whether there is one, and aloud whether it was asked aloud.
func (q *question) waits() bool { return q.Question != nil }
func (q *question) aloud() bool { return q.waits() && q.Voice }

// records reports whether its answer is to be recorded.
func (q *question) records() bool { return q.waits() && q.Record }

// isFrom reports whether this turn asked it.
func (q *question) isFrom(turn uint64) bool { return q.waits() && q.Turn == turn }

// answered ends the question with the next request, whoever makes it, and returns it if that
// may be its answer: in time, and by the same person, or aloud if it was asked aloud: whose voice it is decides
// nothing.
func (q *question) answered(person string, aloud bool) *answer.Question {
	was := *q
	*q = question{}
	if !was.waits() || !aloud && was.Person != person || was.Voice != aloud || time.Now().After(was.until) {
		return nil
	}
	return was.Question
}

// How much softer and louder than the request the yes may be, in dB. Of one voice that
// stays where it is, "yes" is up to 6.5 dB softer than a request and up to 3 dB louder
// (five synthetic voices, the loudest 100 ms of each, 2026-11); a step away from the
// microphone is as much again where people stand close by.
const (
	softerYes = 10
	louderYes = 6
)

// sameVoice reports whether a yes at this level may be from who was asked. One from much
// farther away than the request, or much louder, is from somebody else, such as a
// television. Where either level is 0 it is not known.
func (q *question) sameVoice(level float32) bool {
	if !q.aloud() || !q.WantsYes() || q.Level == 0 || level == 0 {
		return true
	}
	return level >= q.Level-softerYes && level <= q.Level+louderYes
}

// dropAloud forgets it if it was asked aloud.
func (q *question) dropAloud() {
	if q.aloud() {
		*q = question{}
	}
}
