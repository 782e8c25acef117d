package llm

import (
	"errors"
	"fmt"
)

// The errors of a chat model that a caller may branch on, whoever serves it. An error that matches
// one of them wraps the cause.
var (
	ErrUnreachable = errors.New("model server is not reachable")
	ErrModel       = errors.New("model server does not have the model")
	ErrBusy        = errors.New("model server is busy")
	ErrRate        = errors.New("model server limits the rate of requests")
	ErrQuota       = errors.New("model server says that the account is used up")
	ErrStalled     = errors.New("model server does not answer in time")
	ErrBroken      = errors.New("answer of the model server is broken")
	ErrRefused     = errors.New("model server refuses the request") // for instance: the model has no tools
	ErrKey         = errors.New("model server refuses the key")
	ErrElsewhere   = errors.New("request is answered elsewhere")
	ErrNoThinking  = errors.New("model cannot think")
)

// ServerError says which server and model an error came from.
type ServerError struct {
	Server, Model string
	Err           error
}

func (e *ServerError) Error() string {
	return fmt.Sprintf("chat with %q of %s: %v", e.Model, e.Server, e.Err)
}

// Unwrap gives the cause.
func (e *ServerError) Unwrap() error { return e.Err }
