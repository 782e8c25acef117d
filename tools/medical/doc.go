// Package medical holds the medical calculators, one tool each: indices, scores
// and doses as their papers publish them, with units, the range that each is
// for, and its source. Values outside the range are refused with a sentence. It
// computes what it is told and advises nothing. It runs no goroutine and imports
// llm, tools and tools/phrase only.
package medical
