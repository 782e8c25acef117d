// Package timer holds what rings: kitchen timers, alarms and reminders, with the
// tools timer_*, alarm_* and reminder_*. It imports llm, tools and tools/when
// only; a store that the daemon gives it keeps all of them over a restart, and a
// bell makes the noise.
//
// What was set for a length of time counts monotonic time: setting the clock does
// not change when it rings. Over a restart only the wall clock knows how long the
// box was off, so each is stored with its wall-clock end, which is corrected when
// the clock is set. What was set for a time of day follows the clock, and waits
// while the clock is known to be wrong, as on a box without a real-time clock.
// What ended while the box was off is reported as missed, and a clock that went
// backwards over the restart makes no timer longer than it was.
//
// What ends is stored as ringing, and the bell gets its event right after that
// commit, from the same goroutine; it is forgotten by the store when its ringing
// has ended. So nothing is lost, and an event is given once, whenever the process is
// killed, but for the microseconds between commit and bell: what is killed there
// rings after the restart without an event, as does all that rang then. A store that
// takes longer than patience is not waited for; what rang before its commit and is
// killed before it has its event twice.
//
// Timers.Run is a goroutine that the caller owns. It sleeps until the next end, and
// wakes for nothing else; a second one, which it waits for, writes to the store and
// follows the clock when that is set.
package timer
