// Package journaltest is a journal for tests: it takes entries in journald's native
// protocol on a socket, as journald does, and makes a real journal file of them, which
// journalctl reads. One goroutine, which Listen starts and Close ends, reads the
// socket. It imports nothing of hearthd.
package journaltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// ErrNoTool says that systemd's own writer of journal files is not installed.
var ErrNoTool = errors.New("systemd-journal-remote is not installed (Debian package systemd-journal-remote)")

// maxEntry is more than hearthd sends in one entry, in bytes.
const maxEntry = 256 << 10

// remote is where Debian has the program that writes journal files.
var remote = []string{"/usr/lib/systemd/systemd-journal-remote", "/lib/systemd/systemd-journal-remote"}

// Journal takes entries. Any goroutine may use it.
type Journal struct {
	dir  string
	conn *net.UnixConn
	done chan struct{}

	mu    sync.Mutex
	all   []string // in the export format, without the blank line after each
	files int
}

// Listen makes a journal in dir, which must exist and have a short name.
func Listen(dir string) (*Journal, error) {
	j := &Journal{dir: dir, done: make(chan struct{})}
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: j.Socket(), Net: "unixgram"})
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	j.conn = conn
	go j.take()
	return j, nil
}

// Socket is where entries are taken.
func (j *Journal) Socket() string { return filepath.Join(j.dir, "journal.sock") }

// Close ends the taking of entries.
func (j *Journal) Close() error {
	err := j.conn.Close()
	<-j.done
	return err
}

// take gives each entry the fields that journald would add: those of the service.
func (j *Journal) take() {
	defer close(j.done)
	buf := make([]byte, maxEntry)
	for {
		n, err := j.conn.Read(buf)
		if err != nil {
			return
		}
		now := time.Now()
		entry := fmt.Sprintf("__REALTIME_TIMESTAMP=%d\n__MONOTONIC_TIMESTAMP=%d\n_BOOT_ID=%032x\n_SYSTEMD_UNIT=hearthd.service\n%s",
			now.UnixMicro(), now.UnixMicro(), 1, buf[:n])
		j.mu.Lock()
		j.all = append(j.all, entry)
		j.mu.Unlock()
	}
}

// Has reports whether an entry has all of fields, each NAME=value.
func (j *Journal) Has(fields ...string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range j.all {
		all := true
		for _, f := range fields {
			all = all && strings.Contains(e, "\n"+f+"\n")
		}
		if all {
			return true
		}
	}
	return false
}

// Text is what was taken so far, for the log of a test that failed.
func (j *Journal) Text() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Join(j.all, "\n")
}

// File writes what was taken so far into a journal file and returns its name. The
// error is ErrNoTool where nothing can write one.
func (j *Journal) File(ctx context.Context) (string, error) {
	program := ""
	for _, p := range remote {
		if _, err := os.Stat(p); err == nil {
			program = p
		}
	}
	if program == "" {
		return "", ErrNoTool
	}
	j.mu.Lock()
	j.files++
	file := filepath.Join(j.dir, fmt.Sprintf("%d.journal", j.files))
	text := strings.Join(j.all, "\n") + "\n"
	j.mu.Unlock()
	cmd := exec.CommandContext(ctx, program, "--output="+file, "--split-mode=none", "-")
	cmd.Stdin, cmd.WaitDelay = strings.NewReader(text), time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("write journal file: %w: %.1000s", err, out.Bytes())
	}
	return file, nil
}
