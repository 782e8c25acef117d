package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"hearthd/rigs/testcard"
)

// suite is what the tests share; TestMain makes it and nobody changes it.
var suite struct {
	dir      string // with a card, whose plugin others take over
	hearthd  string
	ctl      string
	speech   string // hearth-speech
	voice    *chorus
	parallel sync.Map // names of the tests that run beside others
}

func TestMain(m *testing.M) {
	if os.Getenv(bareCapture) != "" {
		os.Exit(captureOnly())
	}
	if os.Getenv(journalled) != "" {
		os.Exit(journalledDaemon())
	}
	// The tests wait for sound far more than for the processor. A flag goes before it.
	if err := flag.Set("test.parallel", "3"); err != nil {
		panic(err)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "hearthd-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	suite.dir, suite.voice = dir, newChorus()
	suite.hearthd, suite.ctl = filepath.Join(dir, "hearthd"), filepath.Join(dir, "hearthctl")
	suite.speech = filepath.Join(dir, "hearth-speech")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", dir, "hearthd/cmd/hearthd", "hearthd/cmd/hearthctl",
		"hearthd/cmd/hearth-speech")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build hearthd:", err)
		return 1
	}
	if _, err := testcard.Build(context.Background(), dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
