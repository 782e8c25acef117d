package logs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hearthd/cmd/hearthctl/ctl"
)

// logEntry is one line of the journal.
type logEntry struct {
	raw    json.RawMessage
	fields map[string]json.RawMessage
}

// parseLogEntry reads a line of journalctl -o json. The entry keeps a copy.
func parseLogEntry(line []byte) (logEntry, error) {
	e := logEntry{raw: slices.Clone(line)}
	if err := json.Unmarshal(e.raw, &e.fields); err != nil {
		return e, fmt.Errorf("read entry: %w", err)
	}
	return e, nil
}

// texts are the values of a field. journalctl writes a text as a string, what is no
// text as a list of bytes, null for what is too long, and a list of these for a field
// that stands in the entry more than once.
func texts(raw json.RawMessage) []string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return []string{s}
	}
	var b []byte
	if json.Unmarshal(raw, &b) == nil {
		return []string{string(b)}
	}
	var many []json.RawMessage
	var list []string
	if json.Unmarshal(raw, &many) == nil {
		for _, m := range many {
			if json.Unmarshal(m, &s) == nil {
				list = append(list, s)
			}
		}
	}
	return list
}

// field is the first value of one of hearthd's own fields, made fit for a terminal.
func (e logEntry) field(key string) string { return e.value("HEARTHD_" + strings.ToUpper(key)) }

func (e logEntry) value(name string) string {
	if t := texts(e.fields[name]); len(t) > 0 {
		return ctl.Visible(t[0])
	}
	return ""
}

// chatter is whether systemd tells at each start of a credential of the unit that the household does not have, as most
// do not have most of them.
func (e logEntry) chatter() bool {
	return e.value("SYSLOG_IDENTIFIER") != "hearthd" &&
		strings.HasPrefix(e.value("MESSAGE"), "Couldn't read inherited credential ")
}

// waited is how long a person waited for the first sound, or, where there was none,
// for the end, in milliseconds.
func (e logEntry) waited() int64 {
	for _, key := range []string{"first_sound_ms", "took_ms"} {
		if n, err := strconv.ParseInt(e.field(key), 10, 32); err == nil && n > 0 {
			return n
		}
	}
	return 0
}

// line is an entry for a person: when, how bad, who, and what. The end of a turn is written as a
// sentence.
func (e logEntry) line() string {
	when := "               "
	if us, err := strconv.ParseInt(e.value("__REALTIME_TIMESTAMP"), 10, 64); err == nil {
		when = time.UnixMicro(us).Local().Format("Jan _2 15:04:05")
	}
	text := e.text()
	if e.value("MESSAGE_ID") == messageTurn {
		text = e.turn()
	}
	return strings.TrimRight(fmt.Sprintf("%s %-5s %-10s %s", when, e.level(), e.field("component"), text), " ")
}

// level is the priority as hearthd's levels are called.
func (e logEntry) level() string {
	switch p := e.value("PRIORITY"); p {
	case "7":
		return "debug"
	case "4":
		return "warn"
	case "0", "1", "2", "3":
		return "ERROR"
	}
	return ""
}

// text is the message without what the line shows already.
func (e logEntry) text() string {
	text := e.value("MESSAGE")
	for _, key := range []string{"component", "session"} {
		if v := e.field(key); v != "" {
			text = strings.Replace(text, " "+key+"="+v, "", 1)
		}
	}
	return text
}

// turn is a finished turn as a sentence.
func (e logEntry) turn() string {
	var b strings.Builder
	fmt.Fprintf(&b, "turn %s %s", e.field("turn"), e.field("outcome"))
	if r := e.field("reason"); r != "" {
		fmt.Fprintf(&b, ", %s", r)
	}
	if h := e.field("heard"); h != "" {
		fmt.Fprintf(&b, " “%s”", h)
	}
	fmt.Fprintf(&b, " (%s", e.field("route"))
	for _, key := range []string{"intent", "thinker"} {
		if v := e.field(key); v != "" {
			fmt.Fprintf(&b, " %s", v)
		}
	}
	for _, tool := range texts(e.fields["HEARTHD_TOOL"]) {
		fmt.Fprintf(&b, "; tool %s", ctl.Visible(tool))
	}
	b.WriteString(")")
	if a := e.field("answer"); a != "" {
		fmt.Fprintf(&b, ", said “%s”", a)
	}
	if first := e.field("first_sound_ms"); first != "" && first != "0" {
		fmt.Fprintf(&b, ", first sound after %s ms", first)
	}
	mark := ": "
	for _, s := range []string{"endpoint", "stt", "route", "tool", "tts", "play"} {
		if ms := e.field(s + "_ms"); ms != "" {
			fmt.Fprintf(&b, "%s%s %s", mark, s, ms)
			mark = ", "
		}
	}
	fmt.Fprintf(&b, "; done after %s ms", e.field("took_ms"))
	return b.String()
}
