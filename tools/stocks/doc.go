// Package stocks holds the tools stocks_quote and stocks_watch: prices of stocks from Finnhub, of
// those that are named or those that a person watches. It runs no goroutine and imports llm, tools,
// tools/fetch and tools/phrase only; the daemon keeps the watched ones.
package stocks
