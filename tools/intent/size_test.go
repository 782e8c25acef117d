package intent_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"hearthd/tools/intent"
)

// The program tells of a grammar how many of its states it gives a silence.
func TestAGrammarHasAsManyStatesAsPocketsphinxSays(t *testing.T) {
	m, err := intent.New(intent.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.SetSamples()
	g := m.Grammar()
	file := filepath.Join(t.TempDir(), "command.gram")
	if err := os.WriteFile(file, []byte(g.JSGF), 0o600); err != nil {
		t.Fatal(err)
	}
	const model = "/usr/share/pocketsphinx/model/en-us/"
	out, err := exec.Command("pocketsphinx_batch", "-jsgf", file, "-hmm", model+"en-us", "-dict", model+"cmudict-en-us.dict", "-ctl", "/dev/null").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	said := regexp.MustCompile(`Added (\d+) silence word transitions`).FindSubmatch(out)
	if said == nil {
		t.Fatalf("it tells of no states: %s", out)
	}
	if states, err := strconv.Atoi(string(said[1])); err != nil || states != g.States {
		t.Errorf("states: %d, and pocketsphinx has %s", g.States, said[1])
	}
	if g.Arcs < g.States {
		t.Errorf("arcs: %d of %d states", g.Arcs, g.States)
	}
	t.Logf("%d states, %d arcs", g.States, g.Arcs)
}
