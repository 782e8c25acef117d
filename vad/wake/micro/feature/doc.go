// Package feature turns 16 kHz audio to the features that microWakeWord networks
// were trained on: 40 logarithmic mel bands with noise reduction and automatic
// gain per channel, one row per 10 ms over a window of 30 ms.
//
// It is the fixed-point front end of TensorFlow Lite for Microcontrollers
// (tensorflow/lite/experimental/microfrontend) with the settings of ESPHome's
// micro_wake_word, equal to it in every bit; the tables in testdata were made by
// a build of that library. PCAN is that of Wang et al., "Trainable Frontend for
// Robust and Far-Field Keyword Spotting" (2017), with fixed parameters.
//
// The package runs no goroutine, copies what it keeps of its caller's samples and
// imports nothing of hearthd.
package feature
