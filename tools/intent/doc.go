// Package intent is the path without a model: it knows a closed set of kitchen
// requests and turns the text of one into the tool call that does it. The
// requests are written once, as patterns in a folder of files per language; the
// grammar of the embedded recogniser is made from the same patterns, so that
// whatever that recogniser can write down, the Matcher understands.
//
// From file to Match: data.go reads the files; build.go makes a Matcher of them, with
// pattern.go, which parses a pattern into the forest, where equal parts are one; index.go
// finds the patterns that a text may begin; chart.go reads them at the least cost, with the
// readers of package lang for numbers, times and names, and best.go chooses among them;
// find.go tries what else may have been meant.
//
// It runs no goroutine and keeps no text. A Matcher does not change after New
// and may be used by many goroutines. The recogniser gets the grammar as text.
package intent
