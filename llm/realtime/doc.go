// Package realtime is the client of a speech-to-speech service that speaks the
// OpenAI Realtime protocol (GA): audio of a person in, audio of an answer out,
// over one websocket, with every tool call handed over and owed an output.
//
// A Session is one connection. Its loop owns all state: which turn is the current
// one, which response the service is making, which calls are owed an output. One
// goroutine reads, one writes from a bounded queue; Run waits for both. A Turn hands over what belongs to it, and
// nothing of a turn that is over. A Client keeps at most one Session: it connects
// when one is wanted, ends it when it is idle or old, and keeps away from a
// service that does not answer.
//
// The package decides neither when audio may be sent nor who answers; the
// dialogue does. It must not import the daemon.
package realtime
