package thinker

import "slices"

// State is where a turn of the thinker stands.
type State string

// The states.
const (
	Idle        State = "idle"
	Processing  State = "processing" // the model reads the prompt
	Generating  State = "generating"
	ToolCalling State = "tool_calling"
	Complete    State = "complete"
	Aborted     State = "cancelled"
	Errored     State = "error"
)

// moves are the legal ones. A new turn may begin in every state: Processing.
var moves = map[State][]State{
	Processing:  {Generating, ToolCalling, Complete, Aborted, Errored},
	Generating:  {ToolCalling, Processing, Complete, Aborted, Errored},
	ToolCalling: {Processing, Complete, Aborted, Errored},
}

func legal(from, to State) bool { return slices.Contains(moves[from], to) }

// ended is the state that a turn ends in.
func (s Stop) ended() State {
	switch s {
	case Cancelled:
		return Aborted
	case Failed, TimeLimit, Empty:
		return Errored
	}
	return Complete
}
