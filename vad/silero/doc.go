// Package silero is the Silero voice-activity detector
// (https://github.com/snakers4/silero-vad, MIT, version 5 or 6) in pure Go. The
// model file is the user's: silero_vad_16k_op15.onnx, 1.3 MB, read once.
//
// The network takes 512 samples of 16 kHz after 64 of the chunk before, and gives
// one probability: short-time spectrum, four convolutions, an LSTM of 128 cells,
// one output. Only the weights are read from the file; the graph is known here,
// so a model of another graph is refused. It agrees with onnxruntime within 1e-4.
//
// It runs no goroutine and owns all its buffers; samples passed in are borrowed
// until the call returns. It imports audio/fourier and
// config/input, and nothing else of hearthd.
package silero
