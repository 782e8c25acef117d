// Package refusal has the errors for a command that was understood and is refused, or came too late. It runs nothing
// and imports nothing of hearthd.
package refusal

import "errors"

// ErrUnbegun says that nothing was done of a command, because hearthd ends: the next one may be asked.
var ErrUnbegun = errors.New("not begun")

// Error is the error of such a command. Its text is for the person or program that sent it.
type Error string

// Speaker is the refusal of what nobody would hear.
const Speaker Error = "the speaker does not work, so nobody would hear it"

func (e Error) Error() string { return string(e) }

// Failure is the control API's answer when something was refused, or went wrong.
type Failure struct {
	Error string `json:"error"`
}
