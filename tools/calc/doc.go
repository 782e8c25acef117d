// Package calc holds the tool calc: arithmetic as people say it, exact as long as the numbers are
// fractions, and bounded, so that no expression can occupy the processor or the memory. It runs no
// goroutine and imports tools and tools/phrase only.
package calc
