package api

// Meter is what the microphone gave in a tenth of a second, and what the front end
// made of it. Levels are dBFS, RMS of 20 ms without direct current unless they say
// otherwise; -96 is digital silence.
type Meter struct {
	At      float64            `json:"at_s"` // end of the stretch in the microphone's stream
	Level   float32            `json:"level_dbfs"`
	Quiet   float32            `json:"quiet_dbfs"` // of the quietest 20 ms; Level is of the loudest
	Peak    float32            `json:"peak_dbfs"`  // of single samples
	Floor   float32            `json:"floor_dbfs"` // noise, as the gate measures it
	Clipped int                `json:"clipped"`    // samples at full scale
	Speech  float32            `json:"speech"`     // the detector's highest probability, 0 to 1
	Speaks  bool               `json:"speaks"`     // an answer sounds
	Held    bool               `json:"held"`       // the speaker sounds, and the detector gets nothing
	Gain    *float32           `json:"gain_db,omitempty"`
	Wake    map[string]float32 `json:"wake,omitempty"` // how sure each wake word is, 0 to 1
	Echo    *MeterEcho         `json:"echo,omitempty"` // nil: hearthd cancels none
	// Wave is the shape of the sound, one entry for each 20 ms: the highest sample in
	// dBFS, the detector's probability in percent, and what the gate did with it, a
	// sum of WaveOpen and WaveHeld. The first reading has those of the last minute.
	Wave [][3]int8 `json:"wave,omitempty"`
}

// MeterEcho is the state of the echo canceller.
type MeterEcho struct {
	Active      bool     `json:"active"` // the speaker sounds
	Good        bool     `json:"good"`   // so little echo is left that a person is heard through it
	Suppression float32  `json:"suppression_db"`
	DelayMS     *float32 `json:"delay_ms,omitempty"` // nil: not known yet
	DriftPPM    float32  `json:"drift_ppm"`
}

// What the gate did with a frame.
const (
	WaveOpen = 1 // it belongs to an utterance
	WaveHeld = 2 // the speaker sounded, and nobody listened
)

// SoundDevice is how opening a sound device went.
type SoundDevice struct {
	Part  string `json:"part"`  // microphone or speaker
	State string `json:"state"` // running or lost
	Rate  int    `json:"rate,omitempty"`
	Error string `json:"error,omitempty"`
}

// Sounding is one result of hearthd probe sound: a device or a reading.
type Sounding struct {
	Device  *SoundDevice `json:"device,omitempty"`
	Reading *Meter       `json:"reading,omitempty"`
}
