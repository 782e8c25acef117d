package contract

import (
	"fmt"
	"strings"
	"time"
)

// Tables are the parts of packaging/mqtt.md that are made from this package, by
// the name that stands in their markers.
func Tables() map[string]string {
	return map[string]string{"topics": topicTable(), "commands": commandTable(), "entities": entityTable()}
}

func topicTable() string {
	var b strings.Builder
	b.WriteString("| topic | retained | payload | when |\n|---|---|---|---|\n")
	for _, t := range Topics() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", t.Level, yes(t.Retained), t.Payload, t.When)
	}
	return b.String()
}

func commandTable() string {
	var b strings.Builder
	b.WriteString("| topic | plain payload | fields | what it does, within which bounds | at once, then one each |\n|---|---|---|---|---|\n")
	for _, c := range Commands() {
		fmt.Fprintf(&b, "| `%s/%s` | %s | %s | %s | %d, %v |\n", Set, c.Name, c.Plain, c.Fields, c.Effect, c.Burst,
			short(c.Every))
	}
	return b.String()
}

// short is a duration without the zeros.
func short(d time.Duration) string {
	return strings.TrimSuffix(strings.TrimSuffix(d.String(), "0s"), "m0s")
}

func entityTable() string {
	var b strings.Builder
	b.WriteString("| entity | shows | sets | if |\n|---|---|---|---|\n")
	for _, e := range everything().entities() {
		fmt.Fprintf(&b, "| `%s.PREFIX_NODE_%s` %s | %s | %s | %s |\n", e.Platform, e.ID, e.Name, code(e.Reads),
			code(e.Sets), e.Only)
	}
	return b.String()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func code(s string) string {
	if s == "" {
		return "–"
	}
	return "`" + s + "`"
}

// everything is a box with all that any may have.
func everything() *Device {
	d := &Device{Prefix: "PREFIX", Node: "NODE", Words: []string{AllWords, Phrase}, Policies: []string{Auto, Local},
		Currency: "USD", Transcripts: true, Temperature: true}
	for _, c := range Commands() {
		d.Commands = append(d.Commands, c.Name)
	}
	return d
}
