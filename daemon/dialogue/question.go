package dialogue

import (
	"time"

	"hearthd/daemon/dialogue/answer"
)

// answerLimit is how long a question that was asked in writing waits, and the
// longest that any does.
const answerLimit = time.Minute

// question is the one that waits for its answer; zero: none does. One that was asked aloud
// waits in the turn that asks it and in the window after that; one in writing waits beside
// whatever goes on.
type question struct {
	*answer.Question
	until time.Time
	again bool // the answer was not understood once
}

// waits reports whether there is one.
func (q *question) waits() bool { return q.Question != nil }

// aloud reports whether there is one that was asked aloud.
func (q *question) aloud() bool { return q.waits() && q.Voice }

// records reports whether what a person says next is wanted as it sounds.
func (q *question) records() bool { return q.waits() && q.Record }

// isFrom reports whether a turn has asked it.
func (q *question) isFrom(turn uint64) bool { return q.waits() && q.Turn == turn }

// answered ends it with the next request of anybody, and gives it if that is its answer:
// what was asked aloud is answered aloud, and what was asked in writing in writing.
func (q *question) answered(person string, aloud bool) *answer.Question {
	was := *q
	*q = question{}
	if !was.waits() || was.Person != person || was.Voice != aloud || time.Now().After(was.until) {
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

// dropAloud forgets one that was asked aloud.
func (q *question) dropAloud() {
	if q.aloud() {
		*q = question{}
	}
}
