package calendar

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/emersion/go-ical"
)

// maxFold is the longest line that RFC 5545, 3.1 allows, in bytes.
const maxFold = 75

const (
	head = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//hearthd//hearthd//EN\r\n"
	foot = "END:VCALENDAR\r\n"
)

// encode writes components. Unlike go-ical's encoder it accepts whatever others wrote, and
// folds long lines.
func encode(list ...*ical.Component) []byte {
	var b bytes.Buffer
	for _, c := range list {
		encodeComponent(&b, c)
	}
	return b.Bytes()
}

func encodeComponent(b *bytes.Buffer, c *ical.Component) {
	fold(b, "BEGIN:"+c.Name)
	for _, name := range slices.Sorted(maps.Keys(c.Props)) {
		for _, p := range c.Props[name] {
			line := name
			for _, param := range slices.Sorted(maps.Keys(p.Params)) {
				var values []string
				for _, v := range p.Params[param] {
					if v = strings.ReplaceAll(v, `"`, ""); strings.ContainsAny(v, ",;:") {
						v = `"` + v + `"`
					}
					values = append(values, v)
				}
				line += ";" + param + "=" + strings.Join(values, ",")
			}
			fold(b, line+":"+p.Value)
		}
	}
	for _, child := range c.Children {
		encodeComponent(b, child)
	}
	fold(b, "END:"+c.Name)
}

// fold writes one line, folded between characters.
func fold(b *bytes.Buffer, s string) {
	s = strings.NewReplacer("\r", "", "\n", "").Replace(s)
	for room := maxFold; len(s) > room; room = maxFold - 1 {
		n := room
		for n > 1 && !utf8.RuneStart(s[n]) {
			n--
		}
		b.WriteString(s[:n] + "\r\n ")
		s = s[n:]
	}
	b.WriteString(s + "\r\n")
}
