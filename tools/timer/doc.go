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
// Timers.Run is a goroutine that the caller owns. It sleeps until the next end or
// until the clock is set, and wakes for nothing else; a second one, which it waits
// for, writes down what rang. A timer is forgotten by the store only after its
// Event was received from Fired, so a crash in between rings twice rather than not
// at all.
package timer
