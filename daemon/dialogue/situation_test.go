package dialogue

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of situations into ARCHITECTURE.md")

// drawn is the table as ARCHITECTURE.md shows it.
func drawn() string {
	var b strings.Builder
	b.WriteString("| situation |")
	for h := range happenings {
		fmt.Fprintf(&b, " %s |", h)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", int(happenings)) + "\n")
	for _, row := range table {
		fmt.Fprintf(&b, "| %s |", row.in)
		m := &machine{situation: row.in}
		for h := range happenings {
			fmt.Fprintf(&b, " %s |", m.does(h))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// name makes a row of the table a situation.
func (n name) name() name { return n }

func TestArchitectureShowsTheTableOfSituations(t *testing.T) {
	const file, begin, end = "../../ARCHITECTURE.md", "<!-- situations -->\n", "<!-- /situations -->"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	shown, after, ends := strings.Cut(rest, end)
	if !found || !ends {
		t.Fatalf("%s has no place for the table", file)
	}
	if shown == drawn() {
		return
	}
	if !*update {
		t.Fatalf("%s shows another table; run go test with -update", file)
	}
	if err := os.WriteFile(file, []byte(before+begin+drawn()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
