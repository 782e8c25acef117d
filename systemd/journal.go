package systemd

import (
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// JournalSocket is where journald takes entries in its native protocol.
const JournalSocket = "/run/systemd/journal/socket"

// NewJournalHandler returns a handler to journald's socket, that writes journal entries with
// fields; identifier is what journalctl -t selects. MESSAGE is the message followed by its
// attributes; each attribute is also a field: session is HEARTHD_SESSION, took_ms is
// HEARTHD_TOOK_MS, a group stands in front with an underscore, and message_id is MESSAGE_ID. A
// value is cut at 16 KiB and an entry at 64 KiB. It never waits: a line that journald does not
// take at once is dropped and counted, and the next one that gets through carries the number in
// HEARTHD_DROPPED. It opens a local socket, for as long as the process, and sends nothing yet.
func NewJournalHandler(socket, identifier string, level slog.Leveler) (*Handler, error) {
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram"})
	if err != nil {
		return nil, fmt.Errorf("open journal socket: %w", err)
	}
	return &Handler{to: &journal{conn: conn, to: socket, identifier: identifier}, level: level}, nil
}

// journal is one sending socket. It is not connected: journald may start later, and may restart.
type journal struct {
	conn       *net.UnixConn
	to         string // the path of journald's socket
	identifier string
	dropped    atomic.Uint64
	told       atomic.Uint64 // how many of dropped the journal knows about
}

// write fails when the line was dropped, and says why.
func (j *journal) write(r slog.Record, fields []field) error {
	e := newEntry(j.identifier, r, fields)
	dropped, told := j.dropped.Load(), j.told.Load()
	if dropped > told {
		e = e.add(fieldPrefix+"DROPPED", strconv.FormatUint(dropped-told, 10))
	}
	if err := j.send(e); err != nil {
		j.dropped.Add(1)
		return fmt.Errorf("write journal entry: %w", err)
	}
	j.told.CompareAndSwap(told, dropped)
	return nil
}

// send hands e to the kernel or gives up at once.
func (j *journal) send(e entry) error {
	raw, err := j.conn.SyscallConn()
	if err != nil {
		return err
	}
	var sent error
	to := &unix.SockaddrUnix{Name: j.to} // of this call alone: Sendto writes into it
	err = raw.Control(func(fd uintptr) {
		sent = unix.Sendto(int(fd), e, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, to)
	})
	if err != nil {
		return err
	}
	return sent
}
