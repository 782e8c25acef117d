// Package calendar holds the tools calendar_list, calendar_next, calendar_add,
// calendar_move and calendar_delete, over a CalDAV server or an .ics file of the
// box's own.
//
// What stands in a calendar was often written by somebody else, so it is read with
// bounds on every length, what cannot be read is named and skipped, and its words
// are foreign text. Repetitions are expanded on the clock of the event's own zone.
// The package runs no goroutine and imports llm, tools, tools/fetch and tools/when
// only.
package calendar
