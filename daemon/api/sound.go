package api

// SoundDevice is what became of a sound device.
type SoundDevice struct {
	Part  string `json:"part"`  // microphone or speaker
	State string `json:"state"` // running or lost
	Rate  int    `json:"rate,omitempty"`
	Error string `json:"error,omitempty"`
}

// Sounding is one thing that hearthd probe sound has found: a device or a reading.
type Sounding struct {
	Device  *SoundDevice `json:"device,omitempty"`
	Reading *Meter       `json:"reading,omitempty"`
}
