// Package dialogue is the turn machine: it decides which utterance opens a turn, has it
// answered (package answer), and lets the answer be interrupted.
//
// Run is one select loop that owns all state of the machine. Beside it run one goroutine
// per utterance, which feeds the recogniser, one that sends it to a responder, and one per
// turn; the loop waits for all of them before it returns. They report to the loop by
// channel. Every turn has an id that only grows: what an older turn still reports is put
// into its own document and changes nothing else.
//
// The package must not import daemon/mqtt, daemon/control, config or memory;
// of the speech engines it knows the contracts only.
package dialogue
