// Package box looks at the machine for hearthctl doctor, without the daemon and without
// its libraries: sound cards and who holds them, disk, clock, heat, memory, rights, and
// the systemd unit. Most of it is read from /proc and /sys; timedatectl, systemctl and
// systemd-analyze are asked where they are installed.
//
// It runs no goroutine, changes nothing unless a finding's Repair is called, and imports
// daemon/doctor and daemon/vitals only.
package box

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"hearthd/daemon/doctor"
)

// Options say what belongs to hearthd.
type Options struct {
	Root     string // folder that contains /proc, /sys and /run; empty: /
	Account  string // of the service
	Unit     string
	StateDir string
	// PID is the daemon's; 0: it does not run.
	PID int
	// Floor is a time that has passed, such as that of the build; zero: none is known.
	Floor time.Time
	// Readable are files and folders that the daemon must be able to read, and Private
	// those of them that nobody else should.
	Readable, Private []string
	Capture, Playback string // ALSA names
	Timezone          string // that hearthd is told to use; empty: the machine's
}

// Box is the machine.
type Box struct{ opt Options }

// New returns the machine as o describes hearthd's part of it.
func New(o Options) *Box {
	o.Root = cmp.Or(o.Root, "/")
	return &Box{opt: o}
}

// limit is for what is read from the kernel or asked of systemd on a slow, busy box.
const limit = 15 * time.Second

// Checks are all checks of the machine.
func (b *Box) Checks() []doctor.Check {
	one := func(run func(context.Context) doctor.Finding) func(context.Context) []doctor.Finding {
		return func(ctx context.Context) []doctor.Finding { return []doctor.Finding{run(ctx)} }
	}
	var list []doctor.Check
	for _, c := range []struct {
		name string
		run  func(context.Context) []doctor.Finding
	}{
		{doctor.Permissions, b.permissions}, {doctor.Disk, one(b.disk)}, {doctor.Holders, b.holders},
		{doctor.Cards, one(b.cards)}, {doctor.Memory, one(b.memory)}, {doctor.Clock, b.clocks},
		{doctor.Service, one(b.service)}, {doctor.Temperature, one(b.temperature)}, {doctor.Wear, one(b.wear)},
		{doctor.Hardening, one(b.hardening)},
	} {
		list = append(list, doctor.Check{Name: c.name, Limit: limit, Run: c.run})
	}
	return list
}

// maxText bounds what is read of a file of the kernel.
const maxText = 256 << 10

// path is where a file of the kernel is.
func (b *Box) path(elem ...string) string {
	return filepath.Join(append([]string{b.opt.Root}, elem...)...)
}

// text reads a file of the kernel, trimmed; empty if it does not exist or cannot be read.
func (b *Box) text(elem ...string) string {
	t, err := os.ReadFile(b.path(elem...))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(t[:min(len(t), maxText)]))
}

// number reads a file of the kernel that holds one.
func (b *Box) number(elem ...string) (float64, bool) {
	n, err := strconv.ParseFloat(b.text(elem...), 64)
	return n, err == nil
}

// glob lists files of the kernel, by their names there.
func (b *Box) glob(pattern string) []string {
	list, err := fs.Glob(os.DirFS(b.opt.Root), pattern)
	if err != nil {
		return nil // the pattern is bad, which it is not
	}
	return list
}

// errAbsent says that a program is not installed.
var errAbsent = errors.New("not installed")

// ask runs a program and returns what it wrote.
func ask(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "SYSTEMD_COLORS=0", "SYSTEMD_PAGER=")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errAbsent
	case errors.As(err, &exit):
		first, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
		err = fmt.Errorf("run %s: %w: %.200s", name, err, first)
	case err != nil:
		err = fmt.Errorf("run %s: %w", name, err)
	}
	return string(out), err
}

// properties reads lines of KEY=VALUE.
func properties(text string) map[string]string {
	m := make(map[string]string)
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			m[key] = value
		}
	}
	return m
}

// repair is what a program mends.
func repair(name string, args ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := ask(ctx, name, args...)
		return err
	}
}
