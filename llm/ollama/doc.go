// Package ollama is the client of an Ollama server: it streams chat answers,
// loads the model ahead of time and says whether the server can be used.
//
// It runs no goroutine between calls, and those of a call (net/http's own) have
// ended when its connection has. A Client may be used by several goroutines. It
// must not import daemon, tools or its siblings under llm.
package ollama
