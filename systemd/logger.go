package systemd

import (
	"fmt"
	"log/slog"
	"os"

	"golang.org/x/sys/unix"
)

// LogOptions says where a program's log lines may go.
type LogOptions struct {
	Identifier string // name in the journal
	Level      slog.Leveler
	Stderr     *os.File
	Journal    string // socket, JournalSocket in production
}

// NewLogger returns a logger to the journal when journald itself reads
// o.Stderr, which $JOURNAL_STREAM says; else to o.Stderr, with <N> prefixes when
// systemd started this process but somebody else reads its output. A LimitHandler
// stands in front of either.
func NewLogger(o LogOptions) *slog.Logger {
	stream := os.Getenv("JOURNAL_STREAM")
	if stream != "" && stream == streamOf(o.Stderr) {
		h, err := NewJournalHandler(o.Journal, o.Identifier, o.Level)
		if err == nil {
			return slog.New(NewLimitHandler(h))
		}
		log := slog.New(NewLimitHandler(newConsoleHandler(o.Stderr, o.Level, true)))
		log.Warn("journal not usable, fields are lost", "error", err)
		return log
	}
	return slog.New(NewLimitHandler(newConsoleHandler(o.Stderr, o.Level, stream != "" && !isTerminal(o.Stderr))))
}

// streamOf is the device and inode of f as $JOURNAL_STREAM writes them.
func streamOf(f *os.File) string {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return "" // closed: nobody reads it
	}
	return fmt.Sprintf("%d:%d", st.Dev, st.Ino)
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}
