// Package pubmed holds the tools pubmed_search and pubmed_abstract: papers of
// medicine as the E-utilities of the NCBI find them. It keeps to the rate that
// the NCBI allows. It runs no goroutine and imports llm, tools, tools/fetch and tools/phrase only.
package pubmed
