package systemd

import (
	"encoding/binary"
	"log/slog"
	"strconv"
	"strings"

	"hearthd/config/letters"
)

const (
	// fieldPrefix keeps the daemon's own fields apart from the journal's.
	fieldPrefix = "HEARTHD_"
	// maxName is journald's own limit, in bytes; it drops longer fields.
	maxName = 64
	// maxValue and maxEntry bound one field and one entry, in bytes. A Unix
	// datagram holds about 200 KiB by default (net.core.wmem_default); what is
	// above that would have to go by memfd, and a log line is not worth it.
	maxValue = 16 << 10
	maxEntry = 64 << 10
)

// priority maps a level to syslog's: 3 error, 4 warning, 6 info, 7 debug.
func priority(l slog.Level) int {
	switch {
	case l >= slog.LevelError:
		return 3
	case l >= slog.LevelWarn:
		return 4
	case l >= slog.LevelInfo:
		return 6
	default:
		return 7
	}
}

// entry writes one journal entry in the native protocol
// (https://systemd.io/JOURNAL_NATIVE_PROTOCOL): NAME=value and a line break, or,
// for a value with a line break in it, NAME, a line break, the length as 64-bit
// little-endian, the value and a line break.
type entry []byte

func newEntry(identifier string, r slog.Record, fields []field) entry {
	e := make(entry, 0, 512)
	e = e.add("PRIORITY", strconv.Itoa(priority(r.Level)))
	e = e.add("SYSLOG_IDENTIFIER", identifier)
	e = e.add("MESSAGE", string(appendText(nil, r.Message, fields)))
	for _, f := range fields {
		e = e.add(fieldName(f), f.value)
	}
	return e
}

// add appends a field. One that no longer fits into the entry is left out.
func (e entry) add(name, value string) entry {
	value = letters.Marked(value, maxValue, cutMark)
	if len(e)+len(name)+len(value)+len("\n01234567\n") > maxEntry {
		return e
	}
	e = append(e, name...)
	if strings.Contains(value, "\n") {
		e = append(e, '\n')
		e = binary.LittleEndian.AppendUint64(e, uint64(len(value)))
	} else {
		e = append(e, '=')
	}
	e = append(e, value...)
	return append(e, '\n')
}

// fieldName is HEARTHD_ and the key in upper case, with _ for what the journal
// does not take. A message_id that is one goes to the field of the catalog.
func fieldName(f field) string {
	if f.key == "message_id" && isMessageID(f.value) {
		return "MESSAGE_ID"
	}
	name := fieldPrefix + strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		default:
			return '_'
		}
	}, f.key)
	return name[:min(len(name), maxName)]
}

func isMessageID(s string) bool {
	return len(s) == 32 && strings.Trim(s, "0123456789abcdef") == ""
}
