package e2e

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hearthd/config"
	"hearthd/daemon"
	"hearthd/rigs/journaltest"
	"hearthd/systemd"
)

// journalled in the environment makes this test program the daemon, with its journal
// at the socket of that name: journald's own is not a test's to take.
const journalled = "HEARTHD_TEST_JOURNAL"

func journalledDaemon() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	c, err := config.Load(config.Source{File: os.Args[len(os.Args)-1], Environ: os.Environ()})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	h, err := systemd.NewJournalHandler(os.Getenv(journalled), "hearthd", slog.LevelInfo)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	d, err := daemon.New(daemon.Options{
		Config: c, Version: "test", StateDir: os.Getenv("STATE_DIRECTORY"), RuntimeDir: os.Getenv("RUNTIME_DIRECTORY"),
		Log: slog.New(systemd.NewLimitHandler(h)), Notifier: systemd.NewNotifier(""),
	})
	if err == nil {
		err = d.Run(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// journalled is a kitchen whose daemon logs to a journal.
func (k *kitchen) journalled() *journaltest.Journal {
	k.t.Helper()
	self, err := os.Executable()
	check(k.t, err)
	j, err := journaltest.Listen(k.dir)
	check(k.t, err)
	k.t.Cleanup(func() {
		if err := j.Close(); err != nil {
			k.t.Error(err)
		}
	})
	k.program = self
	k.env = append(k.env, journalled+"="+j.Socket())
	return j
}

// awaitLine waits until the journal has an entry with fields.
func (k *kitchen) awaitLine(j *journaltest.Journal, fields ...string) {
	k.t.Helper()
	for end := time.Now().Add(patience); !j.Has(fields...); {
		if time.Now().After(end) {
			k.t.Fatalf("the journal has no entry with %q:\n%s", fields, j.Text())
		}
		<-time.After(10 * time.Millisecond)
	}
}

// symptom is a row of the table in packaging/guide/trouble.md.
type symptom struct {
	what     string
	command  []string // journalctl and its arguments
	says     string
	cure     string
	original string
}

// symptoms reads that table.
func symptoms(t *testing.T) []symptom {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "packaging", "guide", "trouble.md"))
	check(t, err)
	section, _, _ := strings.Cut(string(text), "\n## ")
	var list []symptom
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) != 4 || !strings.HasPrefix(cells[1], "`journalctl ") {
			continue
		}
		list = append(list, symptom{
			what: cells[0], command: strings.Fields(strings.Trim(cells[1], "`")), says: strings.Trim(cells[2], "`"), cure: cells[3], original: line,
		})
	}
	return list
}
