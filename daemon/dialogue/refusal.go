package dialogue

import "hearthd/daemon/refusal"

// The refusals.
const (
	errEmpty   refusal.Error = "text is empty"
	errTooLong refusal.Error = "text is longer than 2000 bytes" // maxText
	errSound   refusal.Error = "sound is empty or longer than 15 s"
	errNotWAV  refusal.Error = "sound is not a WAV file that can be played"
	errCut     refusal.Error = "it was cut off"
	errText    refusal.Error = "text is not valid UTF-8"
	errBusy    refusal.Error = "busy: somebody is speaking, or too much is waiting to be said"
	errMuted   refusal.Error = "muted: the microphone is closed"
	errNoMic   refusal.Error = "the microphone does not work"
	errVoice   refusal.Error = "wake.engine is off: turns are not opened by voice"
	ErrPerson  refusal.Error = "nobody of that name is in memory.people"
	errVolume  refusal.Error = "volume is not between 0 and 100"
	errQuiet   refusal.Error = "quiet hours: only what is urgent is announced now"
	errDND     refusal.Error = "do not disturb: only what is urgent is announced until that is switched off"
	errStopped refusal.Error = "shutting down"
)
