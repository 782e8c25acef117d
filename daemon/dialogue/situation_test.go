package dialogue

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"hearthd/daemon/event"
)

var update = flag.Bool("update", false, "write the table of situations into ARCHITECTURE.md")

// drawn is the table as ARCHITECTURE.md shows it.
func drawn() string {
	var b strings.Builder
	columns := reflect.TypeFor[row]()
	b.WriteString("| situation |")
	for i := range columns.NumField() {
		fmt.Fprintf(&b, " %s |", columns.Field(i).Tag.Get("title"))
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", columns.NumField()) + "\n")
	for k, r := range table {
		fmt.Fprintf(&b, "| %s |", kind(k))
		for i := range columns.NumField() {
			fmt.Fprintf(&b, " %s |", reflect.ValueOf(r).Field(i))
		}
		b.WriteString("\n")
	}
	return b.String()
}

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

func TestBoxThatCannotHearNeverShowsThatItListens(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		for _, silent := range []func(bool) error{
			func(on bool) error { return r.d.SetMuted(t.Context(), on) },
			func(on bool) error { return r.d.SetMicrophone(t.Context(), !on) },
		} {
			if err := r.d.Listen(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := silent(true); err != nil {
				t.Fatal(err)
			}
			if err := r.d.Listen(t.Context()); err == nil || r.state() == event.Listening {
				t.Errorf("%v, state %s", err, r.state())
			}
			if err := silent(false); err != nil || r.state() != event.Idle {
				t.Errorf("%v, state %s", err, r.state())
			}
		}
	})
}
