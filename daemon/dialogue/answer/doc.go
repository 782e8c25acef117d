// Package answer finds and speaks the answer of one turn: by an intent, by a responder or by
// the thinker; or it says what nobody asked for just now.
//
// Answerer.Answer is the goroutine of a turn, which its caller runs. Beneath it run one for
// the voice while a model writes, one that plays what a responder says, and one per tool call;
// it waits for all of them. It tells the loop by reports, of which the last is an Ended. Of the
// machine that decides which turn goes on it knows nothing, and must not import
// daemon/dialogue.
package answer
