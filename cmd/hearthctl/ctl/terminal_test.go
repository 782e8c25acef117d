package ctl

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Ctrl-C at a passphrase is heard at once, and leaves a terminal that shows what is typed next.
func TestInterruptedPassphraseLeavesTheTerminalAsItWas(t *testing.T) {
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer ptmx.Close()
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Hidden(ctx, tty, cancel); !errors.Is(err, ErrInterrupted) {
		t.Error(err)
	}
	now, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil || now.Lflag&unix.ECHO == 0 {
		t.Errorf("%+v, %v", now, err)
	}
}

func TestProgressTellsRateAndTimeLeft(t *testing.T) {
	for _, tc := range []struct {
		have, of, first int64
		took            time.Duration
		want            string
	}{
		{0, 500_000, 0, 0, "  0 % of 500 kB"},
		{50_000_000, 100_000_000, 0, 10 * time.Second, " 50 % of 100.0 MB, 5.0 MB/s, 10s left"},
		// A download that goes on: what was there before says nothing of the rate.
		{60_000_000, 100_000_000, 50_000_000, 20 * time.Second, " 60 % of 100.0 MB, 500 kB/s, 1m20s left"},
		{100_000_000, 100_000_000, 0, 10 * time.Second, "100 % of 100.0 MB, 10.0 MB/s, 0s left"},
		{50, 100, 50, time.Minute, " 50 % of 0 kB"},
	} {
		if got := progressText(tc.have, tc.of, tc.first, tc.took); got != tc.want {
			t.Errorf("%q, want %q", got, tc.want)
		}
	}
}

func TestProgressIsABarOnATerminalAndALineElsewhere(t *testing.T) {
	var b strings.Builder
	p := &Progress{Out: &b, Name: "model\x1b"}
	for n := range int64(101) {
		p.Show(n*10_000, 1_000_000)
	}
	p.Show(5, 0)
	p.End()
	if b.String() != "model : 100 % of 1.0 MB\n" {
		t.Errorf("%q", b.String())
	}
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer ptmx.Close()
	p = &Progress{Out: tty, Name: "model"}
	p.Show(0, 1_000_000)
	p.Show(1_000_000, 1_000_000)
	p.End()
	if err := tty.Close(); err != nil {
		t.Error(err)
	}
	shown := make([]byte, 1000)
	n, err := ptmx.Read(shown)
	if err != nil {
		t.Fatal(err)
	}
	got := string(shown[:n])
	for n < len(shown) && !strings.Contains(got, "\n") {
		if n, err = ptmx.Read(shown); err != nil {
			break
		}
		got += string(shown[:n])
	}
	if !strings.Contains(got, "\rmodel ["+strings.Repeat(".", 30)+"]   0 % of 1.0 MB") ||
		!strings.Contains(got, "["+strings.Repeat("#", 30)+"] 100 % of 1.0 MB\x1b[K\r\n") {
		t.Errorf("%q", got)
	}
}
