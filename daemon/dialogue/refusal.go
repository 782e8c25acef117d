package dialogue

import "hearthd/daemon/refusal"

// Refusal is the error of a command that was understood and not carried out.
type Refusal = refusal.Error

// The refusals.
const (
	ErrEmpty   Refusal = "text is empty"
	ErrTooLong Refusal = "text is longer than 2000 bytes" // MaxText
	ErrSound   Refusal = "sound is empty or longer than 15 s"
	ErrText    Refusal = "text is not valid UTF-8"
	ErrBusy    Refusal = "busy: somebody is speaking, or too much is waiting to be said"
	ErrMuted   Refusal = "muted: the microphone is closed"
	ErrNoMic   Refusal = "the microphone does not work"
	ErrVoice   Refusal = "wake.engine is off: turns are not opened by voice"
	ErrPerson  Refusal = "nobody of that name is in memory.people"
	ErrVolume  Refusal = "volume is not between 0 and 100"
	ErrQuiet   Refusal = "quiet hours: only what is urgent is announced now"
	ErrDND     Refusal = "do not disturb: only what is urgent is announced until that is switched off"
	ErrStopped Refusal = "shutting down"
)
