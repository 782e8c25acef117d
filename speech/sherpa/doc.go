// Package sherpa calls the C library of sherpa-onnx, which recognises and makes speech, tells voices
// apart and waits for phrases. The library is loaded at run time, without cgo: a program that has none
// works, and says so when it is asked.
//
// A call into the library cannot be interrupted, and a model that is broken may end the whole process, as
// may a fault of the library: it belongs in a process that others can do without. Nothing here runs a
// goroutine. A Recogniser, a Voice, a Printer and a Spotter may be used by several goroutines at once, a Stream
// and a Watch by one.
package sherpa
