// Package openai asks chat models behind any server with OpenAI's chat completions
// endpoint (vLLM, llama.cpp, Ollama, the cloud), by go-openai. It runs no goroutine
// between requests, keeps no connection, and imports llm and llm/speechapi, which
// bounds the connections.
package openai
