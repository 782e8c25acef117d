// Package dialogue is the turn machine: it decides which utterance opens a turn, has it
// answered (package answer), and lets the answer be interrupted.
//
// Run is one select loop that owns all state of the machine. Beside it run one goroutine
// per utterance, which feeds the recogniser, one that sends it to a responder, and one per
// turn; the loop waits for all of them before it returns. They report to the loop by
// channel. Every turn has an id that only grows: what an older turn still reports is put
// into its own document and changes nothing else.
//
// Read situation.go first: its table says what each event does in each situation. Then
// dialogue.go, the loop; every event that it takes has a file or a function of its name,
// which looks its row up and acts. What is shown to others, and when something that waits
// may be said, follows from the table after each event (settle); nothing else decides it.
//
// The package must not import daemon/mqtt, daemon/control, config or memory;
// of the speech engines it knows the contracts only.
package dialogue
