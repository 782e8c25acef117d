// Package calendar holds the tools calendar_list, calendar_next, calendar_add,
// calendar_move and calendar_delete, over a CalDAV server, an .ics file of the
// box's own, or the calendars of a Home Assistant.
//
// Entries are often written by strangers, as invitations are. So every length is bounded while
// reading, an entry that cannot be read is logged and skipped, and the words of entries are foreign
// text. Repeating events are expanded in their own time zone. The package runs no goroutine and
// imports config/files, language, llm, tools, tools/fetch, tools/phrase and tools/when only.
package calendar
