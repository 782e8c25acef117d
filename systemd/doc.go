// Package systemd is what hearthd says to systemd and what it is given by it:
// readiness and status (Notifier), the keep-alive that proves progress
// (Watchdog), log lines with fields (Handler, LimitHandler, NewLogger),
// secrets (Credential) and sockets (Listeners). The unit, the account and the
// message catalog stand beside the code.
//
// Without systemd everything here still works and says nothing: a Notifier
// without a socket drops what it is told, a Watchdog without an interval waits.
// The only goroutine is the one that calls Watchdog.Run. Log handlers copy what
// they keep and never wait for the journal. The package imports nothing of
// hearthd but config/letters.
package systemd
