// Package lang reads the words of a language: it cuts a text into tokens and finds
// numbers, durations, times, days, repetitions, items and names in them. It knows nothing
// of requests.
//
// phrases.go holds what a file lists, ready to be looked up; language.go says what is in a
// file; written.go and text.go cut words out of it; slots.go, on top, has a Reader for each
// type of words. A Reader gives every way to
// read the tokens from a place on, the preferred one first, each with what it costs.
//
// It runs no goroutine. A Language does not change after NewLanguage, but for the names
// that SetNames swaps, and may be used by many goroutines.
package lang
