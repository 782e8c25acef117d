package vad

// Reading is what a level meter shows, in dBFS (0 is a full-scale square wave).
type Reading struct {
	Level       float32 // RMS of the detector's last frame
	Floor       float32 // noise floor
	Probability float32 // of the detector's last frame
}
