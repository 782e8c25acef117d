// Package search holds the tools web_search and web_read: what a search engine finds, and
// the text of a page that it found. All of it is foreign text, so web_read opens only
// addresses that a search has found, and none in the home network. The package runs no
// goroutine and imports llm, tools, tools/fetch and tools/phrase only.
package search
