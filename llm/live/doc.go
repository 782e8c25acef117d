// Package live lets llm/realtime hold its turns with GPT-Live, which speaks a protocol of its own: a
// session hears and speaks all the time, decides by itself when it answers, and hands over what it
// cannot know as a delegation. Options.Open makes such a session look like one of the Realtime
// protocol, so that turns, calls, cuts and the keeping of the session are written once.
//
// The protocol (OpenAI API reference, Live primary WebSocket, 2026-11) has no end of an answer, no
// cancellation and no memory that can be cleared. So an answer ends when its speech has; one that is
// cut is dropped until it pauses, and the service is told to stop and what was heard of it; and a
// session that has heard what was not meant for it ends. It wants sound for as long as it answers:
// silence is sent then, and nothing at all between the turns.
//
// A session has three goroutines, for which Close and CloseNow wait: one reads what the service sends,
// one writes, and one has the silence sent. The package must not import the daemon.
package live
