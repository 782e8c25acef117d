// Package timer holds the kitchen timers and the tools timer_set, timer_left
// and timer_cancel. It imports llm and tools only; a store that the daemon
// gives it keeps the timers over a restart.
//
// A running timer counts monotonic time: setting the clock does not change when
// it rings. Over a restart only the wall clock knows how long the box was off,
// so each timer is stored with its wall-clock end, which is corrected when the
// clock is set. What ended while the box was off is reported as missed, and a
// clock that went backwards over the restart, as on a box without a real-time
// clock, makes no timer longer than it was.
//
// Timers.Run is the one goroutine, and the caller owns it. A timer is forgotten
// by the store only after its Event was received from Fired, so a crash in
// between rings twice rather than not at all.
package timer
