// Package gguf writes tiny language models that say what a script tells them, as
// genuine GGUF files that Ollama and llama.cpp load: Llama's architecture with two
// layers of hand-made weights, nothing trained. So a test can stand on a real
// server, with its tokeniser, its cache, its grammar and its parser of tool calls,
// and still know every answer. WriteEmbedder does the same for vectors.
//
// How it thinks. A line of the script is a chain of tokens that occur nowhere else;
// the output matrix makes each follow the one before. Which line is begun is decided
// by the last trigger of the prompt: the first layer copies to each position what
// stands one and two positions before it, and the second one attends to the latest
// position behind a trigger that has no letter or digit on either side. Slots, such as
// the number in "for ten minutes", are found in the same way and copied into the
// answer. All margins are so wide that neither temperature nor the 16-bit cache
// changes a token.
//
// It runs no goroutine and imports nothing of hearthd.
package gguf
