// Package stocks holds the tools stocks_quote and stocks_watch: prices of stocks
// as Finnhub tells them, of those that are named or those that a person
// watches. It runs no goroutine and imports llm, tools and tools/fetch only; the
// watched ones are kept by the daemon.
package stocks
