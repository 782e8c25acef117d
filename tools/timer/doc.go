// Package timer holds what rings: kitchen timers, alarms and reminders, with the tools timer_*,
// alarm_* and reminder_*, and orders that are carried out later. It imports tools, tools/phrase and
// tools/when only. A store that the daemon provides keeps all of them over a restart, and a bell
// makes the noise.
//
// What was set for a length of time counts monotonic time, so setting the clock does not
// change when it rings. Over a restart only the wall clock knows how long the box was off.
// Therefore each is stored with its end on the wall clock, which is corrected when the clock
// is set. What was set for a time of day follows the clock, and waits while the clock is
// known to be wrong, as on a box without a real-time clock. What ended while the box was off
// is reported as missed. A clock that went backwards over the restart makes no timer longer
// than it was.
//
// What ends is first stored as ringing; right after that commit, on the same goroutine, the
// bell gets its event. The store forgets it when its ringing has ended. So nothing is lost
// whenever the process is killed, and an event is sent once. Only if it is killed in the
// microseconds between commit and bell, the timer rings after the restart without an event,
// like everything that was ringing then. If the store takes longer than patience, the bell
// does not wait; if the process is killed before that late commit, the event is sent twice.
//
// Timers.Run is a goroutine that the caller owns. It sleeps until the next end and wakes for
// nothing else. A second one, for which it waits, writes to the store, and follows the clock
// when that is set.
package timer
