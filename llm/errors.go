package llm

import "errors"

// The errors of a chat model that a caller may branch on, whoever serves it. What
// matches one of them wraps the cause.
var (
	ErrUnreachable = errors.New("model server is not reachable")
	ErrModel       = errors.New("model server does not have the model")
	ErrBusy        = errors.New("model server is busy")
	ErrStalled     = errors.New("model server does not answer in time")
	ErrBroken      = errors.New("answer of the model server is broken")
	ErrRefused     = errors.New("model server refuses the request") // for instance: the model has no tools
	ErrKey         = errors.New("model server refuses the key")
)
