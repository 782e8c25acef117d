// Package micro hears wake words with the microWakeWord models that ESPHome
// devices use: a .json manifest and a .tflite network beside it, read as they
// are. One Spotter runs several of them over one feature front end
// (micro/feature), each in an interpreter of its own (micro/tflite).
//
// The package runs no goroutine. A Spotter belongs to the goroutine that pushes;
// it copies what it keeps of a frame. It imports audio, config/input, wake and its
// own packages only, and neither opens a network connection nor follows a path out of
// the manifest's folder.
package micro
