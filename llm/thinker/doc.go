// Package thinker is the text brain behind the voice: text in, spoken sentences out. It keeps the
// conversation inside its limits, asks a chat model, runs the tools that the model calls, asks
// again until there is an answer, and cuts the stream of tokens into sentences that can be spoken
// as they complete.
//
// Think works on the goroutine that ranges over it; the only goroutines it starts are those of tool
// calls, and it waits for them. All methods of Thinker may be called from any goroutine: the
// conversation has a lock, and a turn that a later one has superseded can neither speak nor write
// to it any more. The package must not import daemon, memory or its siblings under llm; of tools it
// knows only calls and their results.
package thinker
