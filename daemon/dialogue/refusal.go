package dialogue

import "hearthd/daemon/refusal"

// The refusals.
const (
	ErrEmpty   refusal.Error = "text is empty"
	ErrTooLong refusal.Error = "text is longer than 2000 bytes" // MaxText
	ErrSound   refusal.Error = "sound is empty or longer than 15 s"
	errNotWAV  refusal.Error = "sound is not a WAV file that can be played"
	ErrText    refusal.Error = "text is not valid UTF-8"
	ErrBusy    refusal.Error = "busy: somebody is speaking, or too much is waiting to be said"
	ErrMuted   refusal.Error = "muted: the microphone is closed"
	ErrNoMic   refusal.Error = "the microphone does not work"
	ErrVoice   refusal.Error = "wake.engine is off: turns are not opened by voice"
	ErrPerson  refusal.Error = "nobody of that name is in memory.people"
	ErrVolume  refusal.Error = "volume is not between 0 and 100"
	ErrQuiet   refusal.Error = "quiet hours: only what is urgent is announced now"
	ErrDND     refusal.Error = "do not disturb: only what is urgent is announced until that is switched off"
	ErrStopped refusal.Error = "shutting down"
)
