// Package journal writes what happens: Journal follows the events and puts a line per
// turn into the log and each turn into the store, on the goroutine of its Run; Tail
// keeps the last lines of the log for those who look. Both only observe.
package journal
