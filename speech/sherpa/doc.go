// Package sherpa calls the C library of sherpa-onnx, which recognises and makes speech, and tells
// voices apart. The library is loaded at run time, without cgo: a program that has none works, and says so when it
// is asked.
//
// A call into the library cannot be interrupted, and a model that is broken may end the whole process, as
// may a fault of the library: it belongs in a process that others can do without. Nothing here runs a
// goroutine. A Recogniser, a Voice and a Printer may be used by several goroutines at once, a Stream by one.
package sherpa
