// Package tools holds the tools of the house: the Tool interface, the registry,
// the executor that gives every Call exactly one Outcome, the loader of tools
// that are declared as files and run as programs, and the words in which tools
// say numbers and durations. It must not import daemon or memory.
//
// Executor.Run calls a tool in a goroutine of its own, so that one that
// ignores its context cannot hold a turn; Executor.Wait waits for such
// stragglers. Arguments belong to the tool once it is called, and a Result
// belongs to the caller.
package tools
