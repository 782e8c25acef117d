// Package tflite runs the small streaming networks of microWakeWord: TensorFlow
// Lite files whose tensors are 8-bit integers and whose memory stands in
// resource variables. The arithmetic is that of TensorFlow Lite's reference
// kernels, bit for bit (gemmlowp's fixed-point multipliers, double rounding).
//
// A file is not trusted: every offset, length and shape in it is bounded before
// use. Load turns the graph into a flat list of steps over buffers of fixed
// size; Invoke allocates nothing.
//
// The package runs no goroutine and imports nothing of hearthd. An Interpreter
// and the slices it hands out belong to one goroutine.
package tflite
