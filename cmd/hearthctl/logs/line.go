package logs

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"hearthd/cmd/hearthctl/ctl"
)

// line is an entry for a person: when, how bad, who, and what. The end of a turn is
// told as a sentence.
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

// text is the message without what stands beside it already.
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
