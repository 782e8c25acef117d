package thinker

import (
	"fmt"
)

// Stop says why a turn ended.
type Stop string

// The reasons to stop. After Satisfied, StepLimit, Repeated and NoNews there was an answer, and
// after TimeLimit and Failed where tools had found something; the others come as a StopError.
const (
	Satisfied Stop = "satisfied"  // the model answered
	StepLimit Stop = "step_limit" // the model had to answer without further tools
	Repeated  Stop = "repeated"   // the same call came too often; then the model had to answer
	NoNews    Stop = "no_news"    // tools only repeated what was known; then the model had to answer
	TimeLimit Stop = "time_limit" // thinking took too long
	Empty     Stop = "empty"      // the model said nothing that can be spoken
	Cancelled Stop = "cancelled"  // the caller ended it, or a newer turn began
	Failed    Stop = "failed"     // the chat model failed
)

// StopError ends a turn that has no answer, or only the beginning of one. Its
// text is for the log, not for the speaker.
type StopError struct {
	Stop Stop
	Err  error // the cause: of the chat model, or of the context
}

func (e *StopError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("thinking stopped: %s", e.Stop)
	}
	return fmt.Sprintf("thinking stopped: %s: %v", e.Stop, e.Err)
}

func (e *StopError) Unwrap() error { return e.Err }
