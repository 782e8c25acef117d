package footprint

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestPagesOfTheProgramAreGivenBackAndItGoesOn(t *testing.T) {
	resident := func() int { // pages of files
		text, err := os.ReadFile("/proc/self/statm") // size resident shared …
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(strings.Fields(string(text))[2])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	p, err := mappings()
	if err != nil || len(p) < 2 {
		t.Fatalf("%x, %v; want code and constants", p, err)
	}
	before := resident()
	if err := p.giveBack(); err != nil {
		t.Fatal(err)
	}
	if after := resident(); after >= before {
		t.Errorf("%d pages of files before, %d after", before, after)
	}
}
