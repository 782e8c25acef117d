// Package phrase says things: a Book holds the sentences of one language, which are data, and
// fills them in. It runs no goroutine, and a Book does not change after New.
//
// Each file NAME.yaml in the folder answers of a language is a table of templates of
// text/template: what stands there beside KEY is said with book.Say("NAME.KEY", Args{…}).
//
//	cancelled: The {{.timer}} is cancelled.
//	left: "{{duration .left}} left on the {{.timer}}."
//
// Go decides what is told and passes it as values: numbers, times, durations, names, lists, or
// Args for something that has several of these. How that is said, with which article, in which
// case and order, is the matter of the template. A sentence begins with a capital letter and
// has one space between words, however it is written in the file. What is no sentence but is put
// into one is a Part; a template puts in another with {{part "NAME.KEY" .thing}}. An argument
// with one name has one type in all sentences of a file, which the tests rely on (samples_test.go).
//
// The functions of templates are those of Book.functions. What they need to know of a language
// stands in two files of that folder: grammar.yaml has words (numbers, nouns with gender and
// plural, articles, months), core.yaml the forms that the functions fill in (core.clock,
// core.day, core.ordinal). So another language is another folder.
//
// To add a sentence: write it into language/en/answers and language/de/answers, call it, and
// name a new argument in samples_test.go. The tests of this package name a key that is
// missing, not called, or called with other arguments.
package phrase
