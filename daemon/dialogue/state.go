package dialogue

import (
	"slices"

	"hearthd/daemon/event"
)

// moves lists the legal transitions of the turn machine. Starting is left for a
// resting state (Idle, Muted, Faulted) once, when Run begins.
var moves = map[event.State][]event.State{
	event.Starting:    {event.Idle, event.Muted, event.Faulted},
	event.Idle:        {event.Listening, event.Thinking, event.Speaking, event.Muted, event.Faulted},
	event.Listening:   {event.Idle, event.Thinking, event.Speaking, event.Muted, event.Faulted},
	event.Thinking:    {event.ToolCalling, event.Speaking, event.Listening, event.Idle, event.Muted, event.Faulted},
	event.ToolCalling: {event.Thinking, event.Speaking, event.Listening, event.Idle, event.Muted, event.Faulted},
	event.Speaking:    {event.Thinking, event.ToolCalling, event.Listening, event.Idle, event.Muted, event.Faulted},
	event.Muted:       {event.Idle, event.Faulted, event.Thinking, event.Speaking},
	event.Faulted:     {event.Idle, event.Muted, event.Thinking, event.Speaking},
}

func legal(from, to event.State) bool { return slices.Contains(moves[from], to) }
