// Package refusal is how a command is refused that was understood. It runs nothing and
// imports nothing of hearthd.
package refusal

// Error is the error of such a command. Its text is for the one who sent it.
type Error string

func (e Error) Error() string { return string(e) }

// Failure is what the control API answers to what was refused, or went wrong.
type Failure struct {
	Error string `json:"error"`
}
