package systemd

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestConsoleLineIsForAPerson(t *testing.T) {
	var b bytes.Buffer
	h := newConsoleHandler(&b, slog.LevelInfo,
		false).WithAttrs([]slog.Attr{slog.String("component", "mqtt")}).WithGroup("broker")
	r := slog.NewRecord(time.Date(2026, 11, 20, 7, 5, 3, 42e6, time.UTC), slog.LevelWarn, "broker lost", 0)
	r.AddAttrs(slog.String("url", "mqtt://kitchen"), slog.Duration("after", 90*time.Second))
	if err := h.Handle(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	want := "07:05:03.042 WARN broker lost component=mqtt broker.url=mqtt://kitchen broker.after=1m30s\n"
	if b.String() != want {
		t.Errorf("wrote %q, want %q", b.String(), want)
	}
}

func TestPeerCannotForgeALineOrAnEscape(t *testing.T) {
	log, out := lines()
	log.Error("answer refused", "error", "bad\n<3>fire", "model", "\x1b[2Jhi", "topic", "a b", "rate", "")
	want := `<3>answer refused error="bad\n<3>fire" model="\x1b[2Jhi" topic="a b" rate=""` + "\n"
	if out.String() != want {
		t.Errorf("wrote %q, want %q", out, want)
	}
}

func TestLongValueIsCutInTheText(t *testing.T) {
	log, out := lines()
	log.Info("x", "error", strings.Repeat("é", 4000))
	if n := out.Len(); n > shown+20 {
		t.Errorf("line has %d bytes", n)
	}
}

func TestLoggerGoesToTheJournalThatReadsStderr(t *testing.T) {
	p := listenPeer(t)
	stderr := stderrFile(t)
	t.Setenv("JOURNAL_STREAM", stream(t, stderr))
	NewLogger(LogOptions{Identifier: "hearthd", Level: slog.LevelInfo, Stderr: stderr, Journal: p.path}).Info("hello")
	if got := p.entry()["MESSAGE"]; got != "hello" {
		t.Errorf("journal has %q", got)
	}
	if got := content(t, stderr); got != "" {
		t.Errorf("stderr has %q", got)
	}
}

func TestLoggerPrefixesForAnotherReader(t *testing.T) {
	t.Setenv("JOURNAL_STREAM", "1:2")
	stderr := stderrFile(t)
	NewLogger(LogOptions{Identifier: "hearthd", Level: slog.LevelInfo, Stderr: stderr}).Warn("hello")
	if got := content(t, stderr); got != "<4>hello\n" {
		t.Errorf("stderr has %q", got)
	}
}

func TestLoggerWritesTextWithoutSystemd(t *testing.T) {
	t.Setenv("JOURNAL_STREAM", "")
	stderr := stderrFile(t)
	NewLogger(LogOptions{Identifier: "hearthd", Level: slog.LevelInfo, Stderr: stderr}).Info("hello", "turn", 1)
	if got := content(t, stderr); !strings.HasSuffix(got, " INFO hello turn=1\n") {
		t.Errorf("stderr has %q", got)
	}
}

func stderrFile(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func content(t *testing.T, f *os.File) string {
	t.Helper()
	b, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// stream is what systemd would write into $JOURNAL_STREAM for f.
func stream(t *testing.T, f *os.File) string {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(f.Name(), &st); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d:%d", st.Dev, st.Ino)
}
