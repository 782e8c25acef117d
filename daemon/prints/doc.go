// Package prints tells who speaks, by prints of the voices of those who have left some here. A hearth-speech of this
// box makes them, which is reached by a Unix socket: a print never goes to another machine. The package runs no
// goroutine; any may use Prints.
//
// Whom it names is a guess, for what is remembered and for lists. It permits nothing.
package prints
