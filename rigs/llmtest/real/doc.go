// Package real runs a real Ollama for tests: the program itself, with models that
// rigs/llmtest/gguf wrote. `make integration` builds it once and names it in
// HEARTHD_TEST_OLLAMA; without that, and without OLLAMA_HOST, what needs it is skipped.
//
// A Server has two goroutines, which read the log of the program and wait for its end.
// It must not import what is tested with it.
package real
